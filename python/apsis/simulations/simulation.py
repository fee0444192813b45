# SPDX-License-Identifier: Apache-2.0
"""A simulation in this process, by the extension `_apsis` (docs/python/simulation.md)."""
from __future__ import annotations

import html
import json
import os
import weakref
from contextlib import contextmanager
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from ..bodies import Bodies
from ..decks import Deck
from ..errors import Problem, UsageError
from ..files import open_regular, write
from ..units import SYSTEMS, Units, exact_name
from .extension import State, _apsis
from .live import LiveView, show

BODIES = ("generator", "list", "file", "parts")  # keys of which the section `bodies` of a deck has one


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


class Orbits(NamedTuple):
    """Elements of the Kepler orbits of all other bodies about one, arrays (N - 1,); angles in [rad]."""

    id: np.ndarray
    semi_major_axis: np.ndarray
    eccentricity: np.ndarray
    inclination: np.ndarray
    ascending_node: np.ndarray
    argument_of_pericentre: np.ndarray
    true_anomaly: np.ndarray
    mean_anomaly: np.ndarray
    period: np.ndarray


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


def _deck_of(source, keywords: Mapping[str, Any]) -> Deck:
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
    units = keywords["units"] if keywords["units"] is not None else getattr(source, "units", None)
    if units is not None and (section := _units_section(units)):
        sections["units"] = section
    if not isinstance(source, Bodies):
        sections["bodies"] = dict(source)
    return Deck(sections)


def _units_section(units) -> dict[str, Any]:
    if isinstance(units, Mapping):
        return dict(units)
    if isinstance(units, str):
        return {"system": units}
    if units.system and units.system != "custom":
        return {"system": units.system}
    return {"length": units.length, "mass": units.mass, "time": units.time}


def _columns(bodies: Bodies) -> dict[str, Any]:
    """Returns the columns as the extension takes them."""
    columns = {"mass": np.ascontiguousarray(bodies.mass, dtype=float), "position": np.ascontiguousarray(bodies.position, dtype=float),
               "velocity": np.ascontiguousarray(bodies.velocity, dtype=float), "id": np.ascontiguousarray(bodies.id, dtype=np.uint64)}
    if bodies.species is not None:
        columns["species"] = np.ascontiguousarray(bodies.species, dtype=np.uint8)
    return columns


class Simulation(State):
    """Bodies that evolve in this process.

    source: a `Deck` or its file; a model such as `apsis.plummer(1000)` or another section `bodies` of a deck; or `Bodies`.
    The other parameters are the keys of a deck, for a source that is not one: time_step [time], integrator (a name, or a section
    such as `apsis.hermite4(0.01)`), softening [length], solver, precision, units, G. `set` overrides keys of the deck:
    {"gravity.softening": 0.01}. threads: number of host threads of this process, which the first simulation chooses.

    Raises BadInput with every problem of the deck and of the bodies.

    The arrays `position`, `velocity`, `acceleration` (N, 3), `mass` and `id` (N,) are read-only views of the columns of the
    simulation without a copy: float32 in single precision, and arrays of the device (DLPack) on a GPU. They show the state after
    each step, until `edit`, `add`, `remove` or an event replaces the columns; a view keeps its own memory alive. `x, y, z = sim.position.T`
    is contiguous.
    """

    def __init__(self, source: Deck | Bodies | Mapping[str, Any] | str | os.PathLike, *, time_step: float | None = None,
                 integrator: str | Mapping[str, Any] | None = None, softening: float | None = None, solver: str | None = None,
                 precision: str | None = None, units: str | Units | Mapping[str, Any] | None = None, G: float | None = None,
                 set: Mapping[str, Any] | None = None, threads: int | None = None):
        keywords = {"time_step": time_step, "integrator": integrator, "softening": softening, "solver": solver,
                    "precision": precision, "units": units, "G": G}
        if isinstance(source, (str, os.PathLike)):
            source = Deck.load(source)
        if isinstance(source, Deck) or not (isinstance(source, Bodies) or any(key in source for key in BODIES)):
            surplus = [name for name, value in keywords.items() if value is not None]
            if surplus:
                raise UsageError(Problem(surplus[0], "is given beside a deck", "the deck describes the whole simulation",
                                         "give set={'" + {"time_step": "integrator.time_step", "integrator": "integrator.name",
                                                          "units": "units.system"}.get(surplus[0], "gravity." + surplus[0])
                                         + "': ...}"))
            deck = source if isinstance(source, Deck) else Deck(dict(source))
        else:
            deck = _deck_of(source, keywords)
        overrides = [f"{path}={json.dumps(value)}" for path, value in (set or {}).items()]
        columns = _columns(source) if isinstance(source, Bodies) else None
        self._core = _apsis.Simulation(deck.with_full_paths().json(), deck.source, overrides, columns, threads)
        self._first: Measurement | None = None
        self._view: LiveView | None = None
        _simulations.add(self)

    # Evolution

    def advance(self, steps: int | None = None, *, until: float | None = None) -> None:
        """Makes steps of the deck (1 by default), or lands exactly on a time [time].

        The last step to `until` is shorter where the time is not a whole number of steps away; forces are then evaluated once
        more. Ctrl-C stops between two steps or takes a long one back, and the simulation can go on. Raises Collision if no step
        resolves a pair of bodies, and NotFinite. An event that ends a run ends the call early, see `events`.
        """
        if until is None:
            self._core.advance(1 if steps is None else steps)
        elif steps is not None:
            raise UsageError(Problem("advance", "steps and until are given", "each of them says how far", "leave one out"))
        else:
            self._core.advance_to(until)

    def steps(self, steps: int, every: int = 1) -> Iterator[Simulation]:
        """Advances by `steps` steps and yields this simulation after every `every` of them, and after the last."""
        total = 0
        while total < steps:
            count = min(every, steps - total)
            self.advance(count)
            total += count
            yield self

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

    @contextmanager
    def edit(self) -> Iterator[Bodies]:
        """Gives the bodies to change: `with sim.edit() as bodies: bodies.velocity *= 0.9`.

        Changes are taken over at the end of the block, unless it raises; the integrator then starts anew, the counters of
        steps and interactions as well. `add` and `remove` change the number of bodies.
        """
        bodies = self.bodies()
        yield bodies
        self._replace(bodies)

    def add(self, more: Bodies) -> None:
        """Adds bodies; their ids are changed where they exist already."""
        self._replace(self.bodies() + more)

    def remove(self, ids: int | Sequence[int]) -> None:
        """Removes the bodies with these ids."""
        bodies = self.bodies()
        removed = np.atleast_1d(np.asarray(ids, dtype=np.uint64))
        unknown = removed[~np.isin(removed, bodies.id)]
        if len(unknown):
            raise UsageError(Problem("remove", f"there is no body {unknown[0]}", "", "give ids of sim.id"))
        self._replace(bodies[~np.isin(bodies.id, removed)])

    def _replace(self, bodies: Bodies) -> None:
        self._core.set_bodies(_columns(bodies))
        self._first = None

    # State

    def __len__(self) -> int:
        return self._core.count

    @property
    def deck(self) -> Deck:
        """The deck with every default filled in. Bodies that a program gave are no part of it."""
        return Deck.loads(self._core.deck)

    @property
    def units(self) -> Units:
        """Units of all numbers."""
        system = json.loads(self._core.deck).get("units", {}).get("system", "custom")
        return Units.make(system) if system in SYSTEMS else Units.of_names(*map(exact_name, self._core.unit_names))

    def bodies(self) -> Bodies:
        """A copy of all bodies in double precision."""
        columns = self._core.bodies()
        species = columns["species"]
        return Bodies(columns["mass"], columns["position"], columns["velocity"], id=columns["id"],
                      species=species if (species != 1).any() else None, units=self.units)

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
        return self._core.field(np.atleast_2d(np.asarray(points, dtype=float)))

    def closest_pair(self) -> Pair | None:
        """The two bodies that are nearest to each other, not both massless; None if there are none."""
        pair = self._core.closest_pair()
        return None if pair is None else Pair(*pair)

    def density_centre(self) -> tuple[tuple[float, float, float], float] | None:
        """Density centre (Casertano & Hut 1985) and core radius [length]; None for fewer than seven bodies."""
        return self._core.density_centre()

    def orbits(self, primary: int = 0) -> Orbits:
        """Osculating elements of all bodies about the body with the id `primary`, for unsoftened gravity of the two."""
        ids, *elements = self._core.orbits(primary)
        return Orbits(ids.astype(np.uint64), *elements)

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
        self._core.snapshot(os.fspath(path), accelerations, potentials)

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
    simulation._core = _apsis.restore(state, threads)
    simulation._first = None
    simulation._view = None
    _simulations.add(simulation)
    return simulation
