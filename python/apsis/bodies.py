# SPDX-License-Identifier: Apache-2.0
"""Bodies as numpy arrays: made, moved, joined, read and written in every format of the executable."""
from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .attributes import Strict
from .errors import INPUT, USAGE, make_error
from .executable import find_executable, obey
from .gadget import read_gadget, write_gadget
from .units import SYSTEMS, Units, exact_name

SPECIES = ("gas", "dark", "disk", "bulge", "stars", "other")  # PartType0 to 5
MOST_IN_DECK = 10_000  # bodies that a deck may list; more belong in a file
HEADER = re.compile(r"#\s*units:\s*(.*)")


class Bodies(Strict):
    """Bodies of a system, in double precision.

    mass (N,) [mass], position (N, 3) [length], velocity (N, 3) [velocity], id (N,) of unique integers >= 0, species (N,): 0 to 5,
    the index in `apsis.SPECIES`, or None; radius (N,) [length], for collisions, or None; name: a list of N texts, "" for a body without
    one, or None; units: `Units`. The arrays may be written to.
    """

    _own = ("mass", "position", "velocity", "id", "species", "radius", "name", "units")

    def __init__(self, mass, position, velocity=None, *, id=None, species=None, radius=None, name=None, units: str | Units = "henon"):
        self.mass = np.atleast_1d(numbers_of("mass", mass))
        count = len(self.mass)
        self.position = numbers_of("position", position)
        self.velocity = np.zeros((count, 3)) if velocity is None else numbers_of("velocity", velocity)
        self.id = np.arange(count, dtype=np.uint64) if id is None else ids_of(id)
        self.species = None if species is None else species_of(species, count)
        self.radius = None if radius is None else numbers_of("radius", np.full(count, radius) if np.ndim(radius) == 0 else radius)
        self.name = None if name is None else [name] if isinstance(name, str) else [str(each) for each in name]
        self.units = Units.make(units)
        for column, shape in (("mass", (count,)), ("position", (count, 3)), ("velocity", (count, 3)), ("id", (count,)),
                              ("radius", (count,)), ("name", (count,))):
            values = getattr(self, column)
            if values is not None and np.shape(values) != shape:
                raise make_error(INPUT, f"bodies: {column} has the shape {np.shape(values)} (there are {count} masses); give {shape}")

    @classmethod
    def _of(cls, **columns: Any) -> Bodies:
        """Returns bodies of columns that are good, without a check and without copies."""
        bodies = cls.__new__(cls)
        vars(bodies).update(columns)
        return bodies

    # Files

    @classmethod
    def load(cls, path: str | os.PathLike, *, format: str | None = None) -> Bodies:
        """Reads a file of bodies: HDF5, text, tipsy, gadget, horizons, mercury or nemo; without `format` its content decides.

        The executable reads the file, so that its rules and messages hold. Names of bodies are not read.
        """
        words = [path_word(path)] + (["--from", format] if format else [])
        with tempfile.TemporaryDirectory(prefix="apsis-") as folder:
            copy = Path(folder) / "bodies.gadget"
            obey("convert", *words, copy, "--to", "gadget", replaced=(str(copy), "bodies"))
            columns = read_gadget(copy)
        units, radius_of = stated_in_text(words)
        radius = None if radius_of is None else [radius_of[int(each)] for each in columns["id"]]
        return cls(**columns, radius=radius, units=units)

    def save(self, path: str | os.PathLike, *, format: str | None = None, replace: bool = False) -> list[str]:
        """Writes a file of bodies: text, HDF5, tipsy or gadget, by `format` or else by the extension. Bodies with species are
        written species by species.

        replace: whether an existing file may be replaced. Returns what the format cannot store, one line each.
        """
        with tempfile.TemporaryDirectory(prefix="apsis-") as folder:
            copy = Path(folder) / ("bodies.gadget" if self.radius is None or self.species is not None else "bodies.txt")
            if copy.suffix == ".txt":
                write_text(copy, self)
            else:
                write_gadget(copy, self)
            kind = format or {".txt": "text", ".dat": "text", ".csv": "text", ".bin": "tipsy", ".tipsy": "tipsy",
                              ".std": "tipsy"}.get(Path(path).suffix)
            options = [*(["--to", format] if format else []), *(["--force"] if replace else []),
                       *(["--ids"] if kind in ("text", "tipsy") else []),
                       *(["--csv"] if Path(path).suffix == ".csv" else []),
                       *(["--from-units", self.units.words()] if self.units.are_known and kind not in ("tipsy", "gadget") else [])]
            report = obey("convert", copy, path_word(path), *options, replaced=(str(copy), "bodies"))
        lost = [line.partition(": ")[2] for line in report.splitlines() if line.startswith("lost: ")]
        lost += ["radii are left out"] if self.radius is not None and copy.suffix != ".txt" else []
        lost += ["names are left out"] if self.name is not None else []
        return [line for line in lost if self.species is not None or not line.startswith("species")]

    def deck_section(self) -> dict[str, Any]:
        """Returns the section `bodies` of a deck, a list. Bodies that a list cannot hold are refused: more than 10 000, those with
        species, and those with other ids than 0, 1, 2 ..."""
        advice = 'save them to a file, and write bodies={"file": path}'
        if len(self) > MOST_IN_DECK:
            raise make_error(INPUT, f"bodies: {len(self)} are too many for a list in a deck (at most {MOST_IN_DECK}); {advice}")
        if (self.id != np.arange(len(self), dtype=np.uint64)).any():
            raise make_error(INPUT, f"bodies: a list in a deck would lose their ids (it has the ids 0, 1, 2 ...); {advice}, or number them "
                             "anew by bodies.id = numpy.arange(len(bodies))")
        if self.species is not None and (self.species != SPECIES.index("dark")).any():
            raise make_error(INPUT, f"bodies: a list in a deck would lose their species (it has none); {advice}, or set bodies.species = None")
        rows: list[dict[str, Any]] = [{"mass": mass, "position": position, "velocity": velocity} for mass, position, velocity in
                                      zip(self.mass.tolist(), self.position.tolist(), self.velocity.tolist())]
        for row, radius in zip(rows, [] if self.radius is None else self.radius.tolist()):
            row["radius"] = radius
        for row, name in zip(rows, self.name or []):
            row.update({"name": name} if name else {})
        return {"list": rows}

    # A sequence of bodies

    def __len__(self) -> int:
        return len(self.mass)

    def __getitem__(self, chosen) -> Bodies:
        """Returns some bodies as a copy: a slice, a mask (N,), indices, one index, those of a species by its name, or one by its name."""
        if isinstance(chosen, str):
            chosen = [self.index(chosen)] if self.name and chosen in self.name else self.is_species(chosen)
        elif isinstance(chosen, (int, np.integer)):
            chosen = [chosen]
        return Bodies(self.mass[chosen], self.position[chosen], self.velocity[chosen], id=self.id[chosen],
                      species=None if self.species is None else self.species[chosen],
                      radius=None if self.radius is None else self.radius[chosen],
                      name=None if self.name is None else [self.name[i] for i in np.arange(len(self))[chosen]], units=self.units)

    def index(self, body: int | str) -> int:
        """Returns the row of the body with this id, an integer, or with this name, a text."""
        return index_of(body, self.id, self.name)

    def is_species(self, name: str) -> np.ndarray:
        """Returns which bodies (N,) are of a species, such as "disk"."""
        if name not in SPECIES:
            raise make_error(INPUT, f"bodies: there is no species '{name}'; use one of {', '.join(SPECIES)}")
        if self.species is None:
            return np.zeros(len(self), dtype=bool)
        return self.species == SPECIES.index(name)

    def __add__(self, other: Bodies) -> Bodies:
        """Returns the bodies of both. If ids meet, those of the second begin after the largest of the first."""
        if not self.units.are_same(other.units):
            raise make_error(INPUT, f"bodies: have different units ({units_text(self.units)} and {units_text(other.units)}); convert one "
                             "of them")
        ids = other.id
        if len(self) and len(other) and np.isin(ids, self.id).any():
            if int(self.id.max()) + int(ids.max()) + 1 >= 2 ** 64:
                raise make_error(INPUT, "bodies: have the same ids, and no larger ones are left (they are below 2^64); number one of them anew "
                                 "by bodies.id = numpy.arange(len(bodies))")
            ids = ids + (self.id.max() + np.uint64(1))

        def joined(name, default, kind):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine is None and theirs is None:
                return None
            return np.concatenate([np.full(len(each), default, kind) if column is None else np.asarray(column, kind)
                                   for each, column in ((self, mine), (other, theirs))])

        names = joined("name", "", object)
        if names is not None and len({*names} - {""}) < np.count_nonzero(names != ""):
            raise make_error(INPUT, "bodies: have the same names (a name is that of one body); give the bodies of one of them other names")
        return Bodies(np.concatenate([self.mass, other.mass]), np.concatenate([self.position, other.position]),
                      np.concatenate([self.velocity, other.velocity]), id=np.concatenate([self.id, ids]),
                      species=joined("species", SPECIES.index("dark"), np.int8), radius=joined("radius", 0.0, float), name=names,
                      units=self.units)

    def _placed(self, position, velocity) -> Bodies:
        return Bodies(self.mass, position, velocity, id=self.id, species=self.species, radius=self.radius, name=self.name,
                      units=self.units)

    def moved(self, position=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0)) -> Bodies:
        """Returns the bodies with a vector added to all positions, and another to all velocities."""
        return self._placed(self.position + np.asarray(position, float), self.velocity + np.asarray(velocity, float))

    def turned(self, inclination: float = 0.0, node: float = 0.0, argument: float = 0.0) -> Bodies:
        """Returns the bodies rotated as a part of a composite: by `argument` about z, `inclination` about x, `node` about z
        [degrees]."""
        def about_z(angle):
            c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
            return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

        c, s = np.cos(np.radians(inclination)), np.sin(np.radians(inclination))
        matrix = about_z(node) @ np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]) @ about_z(argument)
        return self._placed(self.position @ matrix.T, self.velocity @ matrix.T)

    def centred(self) -> Bodies:
        """Returns the bodies with their centre of mass at rest at the origin."""
        total = self.mass.sum()
        if not total > 0.0:
            raise make_error(INPUT, "bodies: have no centre of mass (all masses are 0); leave centred() out")
        return self.moved(-(self.mass @ self.position) / total, -(self.mass @ self.velocity) / total)

    def move_to_centre(self) -> None:
        """Moves these bodies so that their centre of mass is at rest at the origin."""
        centred = self.centred()
        self.position[:], self.velocity[:] = centred.position, centred.velocity

    def __repr__(self) -> str:
        return f"Bodies({len(self)}, mass {self.mass.sum():.6g}, units {units_text(self.units)})"


def units_text(units: Units) -> str:
    """Returns units in a few words."""
    return units.system if units.system != "custom" else units.words()


def path_word(path: str | os.PathLike) -> str:
    """Returns a path as a word of a command, which is no option."""
    word = os.fspath(path)
    if "\0" in word:
        raise make_error(INPUT, f"{word!r}: is no name of a file (it has a character with the number 0); choose another")
    return f"./{word}" if word.startswith("-") else word


def numbers_of(name: str, values) -> np.ndarray:
    """Returns a copy of numbers in double precision."""
    if np.ma.is_masked(values):
        raise make_error(INPUT, f"bodies: {name} has masked values (each body needs one); leave these bodies out")
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise make_error(INPUT, f"bodies: {name} is no array of numbers ({error}); give one row for each body") from None


def ids_of(values) -> np.ndarray:
    """Returns ids as unsigned integers of 64 bits."""
    ids = np.array(values)
    if ids.dtype.kind not in "ui" or (ids.dtype.kind == "i" and (ids < 0).any()):
        if not (ids.size == 0 or ids.dtype.kind == "O" and all(isinstance(each, int) and 0 <= each < 2 ** 64 for each in ids.flat)
                or ids.dtype.kind == "f" and ((ids == np.floor(ids)) & (ids >= 0) & (ids <= 2 ** 53)).all()):
            raise make_error(INPUT, "bodies: id has a value that is no id (they are whole numbers from 0 to 2^64 - 1); give other ids")
    return ids.astype(np.uint64)


def index_of(body: int | str, ids, names) -> int:
    """Returns the row of the body with an id or a name."""
    if isinstance(body, str):
        rows = [row for row, name in enumerate(names or []) if name == body and name]
        known = ", ".join(f"'{name}'" for name in (names or []) if name)
        why = f"names: {known}" if known else "no body has a name"
    else:
        number = ids_of(body) if np.ndim(body) == 0 else None
        if number is None:
            raise make_error(USAGE, f"bodies: {body!r} is not one body; give an id or a name")
        rows, why = np.flatnonzero(np.asarray(ids) == number).tolist(), f"there are {len(ids)} bodies"
    if not rows:
        raise make_error(USAGE, f"bodies: there is no body {body!r} ({why}); give an id or a name of one")
    return int(rows[0])


def species_of(species, count: int) -> np.ndarray:
    """Returns species (N,) as integers 0 to 5; names and a single value are accepted."""
    if isinstance(species, str) or np.ndim(species) == 0:
        species = [species] * count
    numbers = np.array([SPECIES.index(each) if each in SPECIES else -1 for each in species] if len(species) and
                       isinstance(species[0], str) else species, dtype=np.int8)
    if numbers.shape != (count,) or ((numbers < 0) | (numbers > 5)).any():
        raise make_error(INPUT, f"bodies: species must be {count} of 0 to 5, or of the names {', '.join(SPECIES)}")
    return numbers


def write_text(path: Path, bodies: Bodies) -> None:
    """Writes bodies with ids and radii as a table of text."""
    assert bodies.radius is not None
    names = "# id mass x y z vx vy vz radius\n"
    rows = zip(bodies.id.tolist(), bodies.mass.tolist(), bodies.position.tolist(), bodies.velocity.tolist(), bodies.radius.tolist())
    path.write_text(names + "".join(" ".join(map(repr, (number, mass, *x, *v, radius))) + "\n" for number, mass, x, v, radius in rows))


def stated_in_text(words: list) -> tuple[Units, dict[int, float] | None]:
    """Returns the units that a file of bodies states and the radius of each id, None without radii, from its conversion to text."""
    words = [os.fspath(word) for word in words]
    with subprocess.Popen([find_executable(), "convert", *words, "/dev/stdout", "--to", "text", "--ids"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None  # a pipe
        line = process.stdout.readline()
        header = HEADER.match(line)
        if header:
            line = process.stdout.readline()
        has_radii = line.split()[-1:] == ["radius"]
        radii = {int(row[0]): float(row[-1]) for row in map(str.split, process.stdout) if row[0].isdigit()} if has_radii else None
        process.kill()
    return units_of(header[1].strip() if header else ""), radii


def units_of(words: str) -> Units:
    """Returns units by the words of a text file: "henon", "solar: length 149597870700 m, mass ...", "length 3e16 m, mass ..."."""
    system = words.partition(":")[0]
    if system in SYSTEMS or not words:
        return Units.make(system or "henon")
    sizes = dict(word.split(" ", 1) for word in words.split(", "))
    units = Units.of_names(*(exact_name(sizes.get(kind, "")) for kind in ("length", "mass", "time")))
    same = [system for system, names in SYSTEMS.items() if names == (units.length, units.mass, units.time)]
    return Units.make(same[0]) if units.are_known and same else units
