# SPDX-License-Identifier: Apache-2.0
"""A simulation in this process, by the extension `_apsis` (docs/python/simulation.md)."""
from __future__ import annotations

import html
import json
import operator
import os
import warnings
import weakref
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from ..bodies import Bodies, path_word
from ..decks import Deck
from ..errors import ApsisWarning, Problem, UsageError
from ..files import open_regular, write
from ..snapshots import Snapshot
from ..units import SYSTEMS, Units, exact_name
from .extension import State, _apsis
from .live import LiveView, show

BODIES = ("generator", "list", "file", "parts")  # keys of which the section `bodies` of a deck has one
GIVEN = "bodies of the program"  # the file that a deck names for Bodies


class Measurement(NamedTuple):
    """Conserved quantities of all bodies at one time.

    kinetic, potential [mass length^2 / time^2]: in the frame of the coordinates, with the energies of forces besides gravity;
    internal_kinetic: in the centre-of-mass frame; mass [mass]; momentum, angular_momentum (3,): about the origin;
    center_of_mass (3,) [length]; virial_ratio: K / |W| with the internal K.
    """

    kinetic: float
    potential: float
    internal_kinetic: float
    mass: float
    momentum: tuple[float, float, float]
    angular_momentum: tuple[float, float, float]
    center_of_mass: tuple[float, float, float]
    virial_ratio: float

    @property
    def total(self) -> float:
        """K + W in the frame of the coordinates."""
        return self.kinetic + self.potential

    @property
    def internal(self) -> float:
        """K + W in the centre-of-mass frame, the energy that is judged."""
        return self.internal_kinetic + self.potential


class _Elements(NamedTuple):
    """Elements of Kepler orbits, arrays with a row for each body but the primary. The angles inclination, ascending_node,
    argument_of_pericentre, true_anomaly and mean_anomaly are in the unit `angles`, "radians" or "degrees"."""

    id: np.ndarray
    semi_major_axis: np.ndarray
    eccentricity: np.ndarray
    inclination: np.ndarray
    ascending_node: np.ndarray
    argument_of_pericentre: np.ndarray
    true_anomaly: np.ndarray
    mean_anomaly: np.ndarray
    period: np.ndarray


class Orbits(_Elements):
    __doc__ = _Elements.__doc__
    angles: str = "radians"

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, angles={self.angles!r})"


class Stop(NamedTuple):
    """Why the deck ended a call of `advance` early.

    reason: "encounter", "escape", "collision", or "violation" of a limit of conservation; ids of the bodies; distance [length] of
    two of them, or from the centre of mass; time [time] of the event.
    """

    reason: str
    ids: tuple[int, ...]
    distance: float
    time: float


class Megno(NamedTuple):
    """Indicators of chaos since the start: MEGNO, its mean over time (2 for regular orbits), and the Lyapunov exponent [1 / time]."""

    megno: float
    mean: float
    lyapunov_exponent: float


class Pair(NamedTuple):
    """Two bodies by their ids, and their distance [length]."""

    first: int
    second: int
    distance: float


class Picture(bytes):
    """The bytes of a PNG file; a notebook shows it."""

    def _repr_png_(self) -> bytes:
        return bytes(self)

    def __repr__(self) -> str:
        return f"<apsis.Picture, {len(self)} bytes>"

    def save(self, path: str | os.PathLike) -> None:
        """Writes the file."""
        write(path, bytes(self))


def _bodies_of(source: Any) -> Any:
    """Returns a source as a deck, `Bodies`, or a mapping."""
    if isinstance(source, (str, os.PathLike)):
        return Deck.load(source)
    if isinstance(source, Snapshot):
        return source[:]
    if isinstance(source, (list, tuple)) and source and all(isinstance(each, Mapping) for each in source):
        return {"list": list(source)}
    if not isinstance(source, (Bodies, Mapping)):
        raise UsageError(Problem("Simulation", f"a {type(source).__name__} is no source of bodies", "",
                                 "give apsis.Bodies(mass, position, velocity), a list of dictionaries, a model, a deck or its file"))
    return source


def _deck_of(source: Any, keywords: Mapping[str, Any]) -> Deck:
    """Returns the deck of bodies and of keywords that are not None."""
    gravity = {key: keywords[key] for key in ("softening", "solver", "precision", "G") if keywords[key] is not None}
    scheme = keywords["integrator"] or "leapfrog_kdk"
    integrator = dict(scheme) if isinstance(scheme, Mapping) else {"name": scheme}
    if keywords["time_step"] is not None:
        integrator["time_step"] = keywords["time_step"]
    if gravity.get("solver") == "auto" and not gravity.get("softening"):
        gravity["solver"] = "direct"  # the only one without softening
    sections: dict[str, Any] = {"integrator": integrator}
    if gravity:
        sections["gravity"] = gravity
    units = keywords["units"]
    if isinstance(source, Bodies) and source.units.are_known:
        # A deck compares them with its own.
        sections["units"] = Deck(units=units, bodies=Bodies([], np.zeros((0, 3)), units=source.units))["units"]
    elif units is not None:
        sections["units"] = units
    for name in SECTIONS:
        if keywords[name] is not None:
            sections[name] = keywords[name]
    for table in (keywords["diagnostics"] or {}):  # its rows are read at any time
        if table != "transits":
            sections["diagnostics"] = {**sections["diagnostics"],
                                       table: {"interval": abs(integrator.get("time_step", 1.0)), **keywords["diagnostics"][table]}}
    if keywords["start_time"] is not None:
        sections["run"] = {"start_time": keywords["start_time"]}
    if not isinstance(source, Bodies):
        sections["bodies"] = dict(source)
    return Deck(sections)


SECTIONS = ("collisions", "encounters", "removal", "forces", "conservation", "diagnostics")  # of a deck, which are keywords as well


def _warn_of_files(deck: Mapping[str, Any]) -> None:
    """Warns of parts of a deck that have no effect on a simulation."""
    def section(name):
        return deck[name] if isinstance(deck.get(name), Mapping) else {}

    parts = [name for name in ("output", "diagnostics") if section(name)]
    parts += [f"run.{name}" for name in ("max_wall_time", "stop_file") if name in section("run")]
    if section("conservation").get("on_violation") == "retry":
        parts.append("conservation.on_violation 'retry' (advance ends early instead)")
    if parts:
        verb = "has" if len(parts) == 1 else "have"
        warnings.warn(f"{', '.join(parts)} {verb} no effect on a Simulation (it writes no files and knows no end); read tables by "
                      "sim.table(name), sim.megno(), sim.orbits() and sim.transits, or use apsis.run(deck)", ApsisWarning, stacklevel=4)


def _columns(bodies: Bodies) -> dict[str, Any]:
    """Returns the columns as the extension takes them."""
    columns = {"mass": bodies.mass, "position": bodies.position, "velocity": bodies.velocity, "id": bodies.id}
    if bodies.species is not None:
        columns["species"] = np.asarray(bodies.species, dtype=np.uint8)
    if bodies.radius is not None:
        columns["radius"] = bodies.radius
    if bodies.name is not None:
        columns["name"] = list(map(str, bodies.name))
    return columns


def _count(call: str, value: Any, least: int, advice: str) -> int:
    """Returns a number of steps."""
    try:
        count = operator.index(value)
    except TypeError:
        count = least - 1
    if count < least or isinstance(value, bool) or count >= 2 ** 63:
        raise UsageError(Problem(call, f"{value!r} is no number of steps", f"it is a whole number from {least}", advice))
    return count


class Edit:
    """A block that changes the bodies of a simulation at its end, unless it raises."""

    __slots__ = ("_simulation", "_bodies")

    def __init__(self, simulation: Simulation):
        self._simulation = simulation

    def __enter__(self) -> Bodies:
        self._bodies = self._simulation.bodies()
        return self._bodies

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self._simulation._replace(self._bodies)


class Steps:
    """Steps of a simulation in a loop; its length is the number of times that the loop is passed."""

    def __init__(self, simulation: Simulation, steps: int, every: int):
        self._simulation, self._steps, self._every = simulation, steps, every

    def __len__(self) -> int:
        return -(-self._steps // self._every)

    def __iter__(self) -> Iterator[Simulation]:
        simulation, total = self._simulation, 0
        while total < self._steps:
            count = min(self._every, self._steps - total)
            simulation.advance(count)
            total += count
            yield simulation
            if simulation.stop is not None:
                return


class Simulation(State):
    """Bodies that evolve in this process.

    source: a `Deck` or its file; a model such as `apsis.plummer(1000)` or another section `bodies` of a deck; a list of dictionaries,
    one for each body; `Bodies`; or a `Snapshot`. The other parameters are keys and sections of a deck, for a source that is not one:
    time_step [time], integrator (a name, or a section such as `apsis.hermite4(0.01)`), softening [length], solver, precision, units,
    G, start_time [time], collisions, encounters, removal, forces, conservation and diagnostics. `set` overrides keys of the deck:
    {"gravity.softening": 0.01}. threads: number of host threads of this process, which the first simulation chooses.

    A simulation obeys all sections that change the motion or end it. What ends a run ends a call of `advance` early, see `stop`. It
    writes no files: an ApsisWarning names the sections of a deck that do.

    Raises BadInput with every problem of the deck and of the bodies.

    The arrays `position`, `velocity`, `acceleration` (N, 3), `mass` and `id` (N,) are read-only views of the columns of the
    simulation without a copy: float32 in single precision. They show the state after each step, until `edit`, `add`, `remove` or an
    event replaces the columns; a view keeps its own memory alive. `x, y, z = sim.position.T` is contiguous. On a GPU they are arrays of
    the device, see `DeviceArray`: CuPy and PyTorch read them by DLPack, and numpy gets a copy.
    """

    def __init__(self, source: Deck | Bodies | Snapshot | Mapping[str, Any] | Sequence[Mapping[str, Any]] | str | os.PathLike, *,
                 time_step: float | None = None, integrator: str | Mapping[str, Any] | None = None, softening: float | None = None,
                 solver: str | None = None, precision: str | None = None, units: str | Units | Mapping[str, Any] | None = None,
                 G: float | None = None, start_time: float | None = None, collisions: Mapping[str, Any] | None = None,
                 encounters: Mapping[str, Any] | None = None, removal: Mapping[str, Any] | None = None,
                 forces: Sequence[Mapping[str, Any]] | None = None, conservation: Mapping[str, Any] | None = None,
                 diagnostics: Mapping[str, Any] | None = None, set: Mapping[str, Any] | None = None, threads: int | None = None):
        keywords = {"time_step": time_step, "integrator": integrator, "softening": softening, "solver": solver,
                    "precision": precision, "units": units, "G": G, "start_time": start_time, "collisions": collisions,
                    "encounters": encounters, "removal": removal, "forces": forces, "conservation": conservation,
                    "diagnostics": diagnostics}
        given: Any = _bodies_of(source)
        is_deck = isinstance(given, Deck) or not (isinstance(given, Bodies) or any(key in given for key in BODIES))
        if is_deck:
            surplus = [name for name, value in keywords.items() if value is not None]
            if surplus:
                key = {"time_step": "integrator.time_step", "integrator": "integrator.name", "units": "units.system",
                       "start_time": "run.start_time", **{name: name for name in SECTIONS}}.get(surplus[0], "gravity." + surplus[0])
                raise UsageError(Problem(surplus[0], "is given beside a deck", "the deck describes the whole simulation",
                                         "give set={'" + key + "': ...}"))
            deck = given if isinstance(given, Deck) else Deck(dict(given))
            _warn_of_files(deck)
        else:
            deck = _deck_of(given, keywords)
        overrides = [f"{path}={json.dumps(value)}" for path, value in (set or {}).items()]
        columns = _columns(given) if isinstance(given, Bodies) else None
        self._begin(_apsis.Simulation(deck.with_full_paths().json(), deck.source, overrides, columns, threads))

    def _begin(self, core: _apsis.Simulation) -> None:
        self._core = core
        self._first: Measurement | None = None
        self._view: LiveView | None = None
        self._units: Units | None = None
        limits = json.loads(core.deck).get("conservation", {})
        self._reports = any(name.startswith("max_") for name in limits) and limits.get("on_violation", "report") == "report"
        _simulations.add(self)

    # Evolution

    def advance(self, steps: int | None = None, *, until: float | None = None) -> None:
        """Makes steps of the deck (1 by default), or lands exactly on a time [time].

        The last step to `until` is shorter where the time is not a whole number of steps away; forces are then evaluated once
        more. Ctrl-C stops between two steps or takes a long one back, and the simulation can go on. Raises Collision if no step
        resolves a pair of bodies, and NotFinite. What ends a run ends the call early: see `stop`, and `events`. A later call goes
        on.
        """
        if until is None:
            self._core.advance(1 if steps is None else _count("advance", steps, 0, "for a time write advance(until=...)"))
        elif steps is not None:
            raise UsageError(Problem("advance", "steps and until are given", "each of them says how far", "leave one out"))
        else:
            try:
                time = float(until)
            except (TypeError, ValueError):
                raise UsageError(Problem("advance", f"{until!r} is no time", "until is a number", "give a time")) from None
            self._core.advance_to(time)
        if self._reports:
            self._report()

    def _report(self) -> None:
        """Warns once if a limit of conservation is exceeded."""
        is_broken, energy, momentum = self._core.judged()
        if is_broken:
            self._reports = False
            warnings.warn(f"conservation: a limit of the deck is exceeded at time {self.time:g} (relative energy error {energy:.3g}, "
                          f"momentum error {momentum:.3g}); reduce the time step", ApsisWarning, stacklevel=3)

    def steps(self, steps: int, every: int = 1) -> Steps:
        """Advances by `steps` steps in a loop, and gives this simulation after every `every` of them, and after the last. The loop ends
        where the deck ends a run, see `stop`. Its length is that of the loop, for progress bars."""
        return Steps(self, _count("steps", steps, 0, "give one"), _count("steps", every, 1, "give one as every"))

    @property
    def stop(self) -> Stop | None:
        """Why the deck ended the last call of `advance` early; None if it did not."""
        stop = self._core.stop()
        return None if stop is None else Stop(stop[0], tuple(stop[1]), *stop[2:])

    def turn_back(self) -> None:
        """Reverses the direction of time."""
        self._core.reverse_time()

    @property
    def time_step(self) -> float:
        """Step of the deck [time], negative backwards in time. It can be set: forces are then evaluated anew."""
        return self._core.time_step

    @time_step.setter
    def time_step(self, value: float) -> None:
        self._core.time_step = value

    @property
    def events(self) -> list[dict[str, Any]]:
        """Collisions, mergers, bounces, encounters and removals in the last call of advance: kind, time, first, second (ids),
        distance, speed."""
        return self._core.events()

    # Changes

    def edit(self) -> Edit:
        """Gives the bodies to change: `with sim.edit() as bodies: bodies.velocity *= 0.9`.

        Changes are taken over at the end of the block, unless it raises; the integrator then starts anew, the counters of
        steps and interactions as well. `add` and `remove` change the number of bodies.
        """
        return Edit(self)

    def add(self, more: Bodies | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None, **body: Any) -> None:
        """Adds bodies: `Bodies`, a model, or one or several bodies in the words of a list of bodies in a deck:

            sim.add(mass=1e-3, semi_major_axis=2, eccentricity=0.1, primary="Sun", name="b", radius=1e-4)

        Orbits are about the primary, an id or a name, or the names of several; without it about the first body. Ids that exist
        already are changed.
        """
        if (more is None) == (not body):
            raise UsageError(Problem("add", "needs bodies", "", "give Bodies, a model, or mass=..., position=... or orbital elements"))
        bodies = self.bodies()
        if isinstance(more, Bodies):
            if not more.units.are_known:  # numbers in those of this simulation
                more = Bodies(more.mass, more.position, more.velocity, id=more.id, species=more.species, radius=more.radius,
                              name=more.name, units=self.units)
            bodies = bodies + more
        elif isinstance(more, Mapping) and any(key in more for key in BODIES if key != "list"):
            bodies = bodies + self._make(dict(more))
        else:
            several = [body] if more is None else more
            if isinstance(several, Mapping):
                several = several.get("list", [several])
            for each in several:
                if not isinstance(each, Mapping):
                    raise UsageError(Problem("add", f"a {type(each).__name__} is no body", "",
                                             "give Bodies, or mass=..., position=... or orbital elements"))
                bodies = bodies + self._place(dict(each), bodies)
        self._replace(bodies)

    def _make(self, section: dict[str, Any]) -> Bodies:
        """Returns the bodies of a section `bodies` of a deck, in the units of this simulation."""
        deck = self.deck
        gravity = {name: value for name, value in deck["gravity"].items() if name in ("G", "softening", "softening_kernel")}
        made = Deck({"units": deck["units"], "gravity": gravity, "bodies": section,
                     "integrator": {"name": "leapfrog_kdk", "time_step": 1.0}}, source="add")
        return Simulation(made).bodies()

    def _place(self, body: dict[str, Any], bodies: Bodies) -> Bodies:
        """Returns one body in the words of a deck, whose orbit is about some of `bodies`."""
        primary = body.pop("primary", None)
        words = [word.strip() for word in ("" if primary is None else str(primary)).split(",") if word.strip()]
        if "barycentre" in words:
            rows = list(range(len(bodies)))
        else:
            rows = [bodies.index(int(word) if word.isdigit() else word) for word in words] or [0]
        mass = bodies.mass[rows]
        weight = mass / mass.sum() if mass.sum() > 0 else np.full(len(rows), 1 / len(rows))
        if len(rows) == 1:
            centre = {"mass": mass[0], "position": bodies.position[rows[0]], "velocity": bodies.velocity[rows[0]]}
        else:
            centre = {"mass": mass.sum(), "position": weight @ bodies.position[rows], "velocity": weight @ bodies.velocity[rows]}
        made = self._make({"list": [centre, body]})[1]
        made.id[:] = 0
        return made

    def remove(self, bodies: int | str | Iterable[int | str]) -> None:
        """Removes the bodies with these ids, integers, or names, texts."""
        words: Any = bodies
        chosen = [words] if isinstance(words, str) or np.ndim(words) == 0 else list(words)
        kept = self.bodies()
        mask = np.ones(len(kept), dtype=bool)
        mask[[kept.index(each) for each in chosen]] = False
        self._replace(kept[mask])

    def _replace(self, bodies: Bodies) -> None:
        self._core.set_bodies(_columns(bodies))
        self._first = None

    # State

    def __len__(self) -> int:
        return self._core.count

    @property
    def deck(self) -> Deck:
        """The deck with every default filled in. Bodies that a program gave or changed are no part of it: a run of the present bodies is
        apsis.run(apsis.Deck(sim.deck, bodies=sim.bodies(), run={"end_time": ..., "start_time": sim.time}))."""
        deck = Deck.loads(self._core.deck)
        if deck.get_path("bodies.file") == GIVEN:
            del deck["bodies"]
        return deck

    @property
    def units(self) -> Units:
        """Units of all numbers."""
        if self._units is None:
            system = json.loads(self._core.deck).get("units", {}).get("system", "custom")
            self._units = Units(system) if system in SYSTEMS else Units("custom", *map(exact_name, self._core.unit_names))
        return self._units

    def bodies(self) -> Bodies:
        """A copy of all bodies in double precision."""
        columns = self._core.bodies()
        species = columns["species"]
        return Bodies._of(mass=columns["mass"], position=columns["position"], velocity=columns["velocity"], id=columns["id"],
                          species=None if species.tobytes() == b"\1" * len(species) else species, radius=columns.get("radius"),
                          name=columns.get("name"), units=self.units)

    # Measurements

    def measure(self) -> Measurement:
        """Conserved quantities. O(N) and, after most integrators, a sum of potentials."""
        measurement = Measurement(**self._core.measure())
        if self._first is None:
            self._first = measurement
        if self._view is not None:
            self._core.show_measurement()
        return measurement

    @property
    def energy_error(self) -> float:
        """Change of the internal energy since the first measurement, over that energy; 0 if this is the first one."""
        now = self.measure()
        assert self._first is not None
        first = self._first.internal
        return (now.internal - first) / abs(first) if first else 0.0

    def field(self, points) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations (M, 3) [length / time^2] and potentials (M,) of all bodies at points (M, 3) [length], in double precision.

        Without forces besides gravity. O(N M). For a bridge between two codes.
        """
        places = np.atleast_2d(np.asarray(points, dtype=float))
        if places.ndim != 2 or places.shape[1] != 3:
            raise UsageError(Problem("field", f"points have the shape {np.shape(points)}", "", "give an array (M, 3)"))
        return self._core.field(places)

    def closest_pair(self) -> Pair | None:
        """The two bodies that are nearest to each other, not both massless; None if there are none."""
        pair = self._core.closest_pair()
        return None if pair is None else Pair(*pair)

    def density_centre(self) -> tuple[tuple[float, float, float], float] | None:
        """Density centre (Casertano & Hut 1985) and core radius [length]; None for fewer than seven bodies."""
        return self._core.density_centre()

    def orbits(self, primary: int | str | Sequence[int | str] | None = None, *, about: str = "primary",
               angles: str = "radians") -> Orbits:
        """Osculating elements of all other bodies, for unsoftened gravity of two bodies.

        primary: id or name of a body, or those of several for their centre of mass; default: the first body. about: "primary", or
        "jacobi": each about the centre of mass of all bodies before it, as REBOUND has them. angles: "radians" or "degrees".
        """
        if about not in ("primary", "jacobi") or angles not in ("radians", "degrees"):
            raise UsageError(Problem("orbits", "about or angles has another value", f"they are {about!r} and {angles!r}",
                                     "give about='primary' or 'jacobi', angles='radians' or 'degrees'"))
        if about == "jacobi" and primary is not None:
            raise UsageError(Problem("orbits", "primary is given beside about='jacobi'", "each of them says what is at the centre",
                                     "leave one out"))
        if about == "jacobi":
            primaries = []
        elif type(primary) is int:
            primaries = [primary]
            if primary < 0:
                raise UsageError(Problem("orbits", f"there is no body {primary}", "ids are numbers from 0", "give an id or a name"))
        else:
            words: Any = primary
            is_one = isinstance(words, str) or np.ndim(words) == 0
            rows = [0] if words is None else [self.index(each) for each in ([words] if is_one else words)]
            primaries = [int(self.id[row]) for row in rows]
            if not primaries:
                raise UsageError(Problem("orbits", "there is no primary", "the list is empty", "give ids or names, or about='jacobi'"))
        ids, *elements = self._core.orbits(primaries)
        if angles == "degrees":
            elements[2:7] = map(np.degrees, elements[2:7])
        orbits = Orbits(ids, *elements)
        orbits.angles = angles
        return orbits

    def table(self, name: str) -> dict[str, Any]:
        """The columns of a table that the section `diagnostics` requests: the rows at the present time, or all rows so far of a table
        that follows each step. Angles are in degrees, as in the tables of a run."""
        return self._core.table(name)

    def megno(self) -> Megno:
        """Indicators of chaos since the start. They need Simulation(..., diagnostics={"megno": {}}), or a deck with it."""
        return Megno(*(float(column[0]) for column in self.table("megno").values()))

    @property
    def transits(self) -> dict[str, Any]:
        """Transits so far: step, time, id, transit, impact and speed. They need Simulation(..., diagnostics={"transits": {...}})."""
        return self.table("transits")

    def force_errors(self, seed: int = 0, sample: int = 100) -> tuple[float, float, float]:
        """Relative errors of the accelerations of `sample` random bodies: median, 99th percentile, largest."""
        return self._core.force_errors(seed, sample)

    # Files, pictures and saved states

    def picture(self, **look: Any) -> Picture:
        """Draws the bodies. Settings are those of `output.render` in a deck: colour="speed", extent=5, width=800, height=600 (docs/pictures.md)."""
        return Picture(self._core.picture(json.dumps(look)))

    def show(self, port: int = 0, *, frames: Sequence[str] | None = None, browser: bool = False) -> LiveView:
        """Shows this simulation live: in the cell of a notebook, or on a page; its address is printed.

        The page follows `advance`; each `measure` adds a point to its plot of conserved quantities. The call returns the view that is
        open, if there is one. port: of this machine; 0: a free one. frames: origins of pages that may have the view in a frame;
        default: those of the Jupyter server that started this kernel. browser: opens the page in the browser of this machine. Raises
        UsageError where live views were not built, and FileError if the port is in use.
        """
        if self._view is None or not self._view.is_open:
            self._view = show(self, port, frames, browser)
        else:
            self._view.check_port(port)
        return self._view

    def snapshot(self, path: str | os.PathLike, *, accelerations: bool = False, potentials: bool = False) -> None:
        """Writes a snapshot in HDF5 (docs/files/snapshots.md), which replaces an existing file."""
        self._core.snapshot(path_word(path), accelerations, potentials)

    def save(self, path: str | os.PathLike) -> None:
        """Writes a file from which `restore` continues with the same bits."""
        write(path, self._core.save())

    @classmethod
    def restore(cls, path: str | os.PathLike, *, threads: int | None = None) -> Simulation:
        """Returns the simulation that `save` wrote. Raises BadInput for a damaged file."""
        stream, size = open_regular(path, "give a file of Simulation.save")
        with stream:
            return _restored(stream.read(size), threads)

    def __reduce__(self):
        return _restored, (self._core.save(),)

    # Life and display

    def close(self) -> None:
        """Frees the memory of this simulation, but for arrays that are still in use. Ends its live view."""
        self._core = _Closed()  # type: ignore[assignment]

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __repr__(self) -> str:
        if isinstance(self._core, _Closed):
            return "<apsis.Simulation, closed>"
        return f"<apsis.Simulation of {self.count} bodies at time {self.time:.6g}, step {self.step}, {self.kernel}>"

    def _repr_html_(self) -> str:
        if isinstance(self._core, _Closed):
            return html.escape(repr(self))
        rows = {"bodies": f"{self.count}", "time": f"{self.time:.6g}", "step": f"{self.step} of {self.time_step:.6g}",
                "kernel": self.kernel, "energy error": f"{self.energy_error:.1e}", "units": self.units.words()}
        cells = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>{html.escape(value)}</td></tr>"
                        for name, value in rows.items())
        return f"<table><caption>apsis.Simulation</caption>{cells}</table>"


_simulations: weakref.WeakSet[Simulation] = weakref.WeakSet()


def close_shared() -> None:
    """Closes all simulations that several ranks share: the other ranks forget their part."""
    for simulation in list(_simulations):
        if not isinstance(simulation._core, _Closed) and simulation._core.is_shared:
            simulation.close()


class _Closed:
    """Core of a closed simulation."""

    def __getattr__(self, name):
        raise UsageError(Problem("simulation", "is closed", "its memory was freed", "make another one"))


def _restored(state: bytes, threads: int | None = None) -> Simulation:
    simulation = Simulation.__new__(Simulation)
    simulation._begin(_apsis.restore(state, threads))
    return simulation
