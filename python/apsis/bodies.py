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

from .errors import INPUT, make_error
from .executable import find_executable, obey
from .gadget import read_gadget, write_gadget
from .units import SYSTEMS, Units, exact_name

SPECIES = ("gas", "dark", "disk", "bulge", "stars", "other")  # PartType0 to 5
MOST_IN_DECK = 10_000  # bodies that a deck may list; more belong in a file
HEADER = re.compile(r"#\s*units:\s*(.*)")


class Bodies:
    """Bodies of a system, in double precision.

    mass (N,) [mass], position (N, 3) [length], velocity (N, 3) [velocity], id (N,) of unique integers >= 0, species (N,): 0 to 5,
    the index in `apsis.SPECIES`, or None; units: `Units`. The arrays may be written to.
    """

    def __init__(self, mass, position, velocity=None, *, id=None, species=None, units: str | Units = "henon"):
        self.mass = np.atleast_1d(np.array(mass, dtype=float))
        count = len(self.mass)
        self.position = np.array(position, dtype=float)
        self.velocity = np.zeros((count, 3)) if velocity is None else np.array(velocity, dtype=float)
        self.id = np.arange(count, dtype=np.uint64) if id is None else np.array(id, dtype=np.uint64)
        self.species = None if species is None else species_of(species, count)
        self.units = Units.make(units)
        for name, shape in (("mass", (count,)), ("position", (count, 3)), ("velocity", (count, 3)), ("id", (count,))):
            if getattr(self, name).shape != shape:
                raise make_error(INPUT, f"bodies: {name} has the shape {getattr(self, name).shape} (there are {count} masses); "
                                 f"give {shape}")

    # Files

    @classmethod
    def load(cls, path: str | os.PathLike, *, format: str | None = None) -> Bodies:
        """Reads a file of bodies: HDF5, text, tipsy, gadget, horizons, mercury or nemo; without `format` its content decides.

        The executable reads the file, so that its rules and messages hold. Names of bodies are not read.
        """
        words = [path] + (["--from", format] if format else [])
        with tempfile.TemporaryDirectory(prefix="apsis-") as folder:
            copy = Path(folder) / "bodies.gadget"
            obey("convert", *words, copy, "--to", "gadget")
            columns = read_gadget(copy)
        return cls(**columns, units=stated_units(words))

    def save(self, path: str | os.PathLike, *, format: str | None = None, replace: bool = False) -> list[str]:
        """Writes a file of bodies: text, HDF5, tipsy or gadget, by `format` or else by the extension. Bodies with species are
        written species by species.

        replace: whether an existing file may be replaced. Returns what the format cannot store, one line each.
        """
        with tempfile.TemporaryDirectory(prefix="apsis-") as folder:
            copy = Path(folder) / "bodies.gadget"
            write_gadget(copy, self)
            kind = format or {".txt": "text", ".dat": "text", ".csv": "text", ".bin": "tipsy", ".tipsy": "tipsy",
                              ".std": "tipsy"}.get(Path(path).suffix)
            options = [*(["--to", format] if format else []), *(["--force"] if replace else []),
                       *(["--ids"] if kind in ("text", "tipsy") else []),
                       *(["--csv"] if Path(path).suffix == ".csv" else []),
                       *(["--from-units", self.units.words()] if self.units.are_known and kind not in ("tipsy", "gadget") else [])]
            report = obey("convert", copy, path, *options)
        lost = [line.partition(": ")[2] for line in report.splitlines() if line.startswith("lost: ")]
        return [line for line in lost if self.species is not None or not line.startswith("species")]

    def deck_section(self) -> dict[str, Any]:
        """Returns the section `bodies` of a deck, a list; ids become 0, 1, 2 ..., and species are left out."""
        if len(self) > MOST_IN_DECK:
            raise make_error(INPUT, f"bodies: {len(self)} are too many for a list in a deck (at most {MOST_IN_DECK}); save them to a "
                             "file, and write bodies={\"file\": path}")
        rows = zip(self.mass.tolist(), self.position.tolist(), self.velocity.tolist())
        return {"list": [{"mass": mass, "position": position, "velocity": velocity} for mass, position, velocity in rows]}

    # A sequence of bodies

    def __len__(self) -> int:
        return len(self.mass)

    def __getitem__(self, chosen) -> Bodies:
        """Returns some bodies as a copy: a slice, a mask (N,), indices, one index, or those of a species by its name."""
        if isinstance(chosen, str):
            chosen = self.is_species(chosen)
        elif isinstance(chosen, (int, np.integer)):
            chosen = [chosen]
        return Bodies(self.mass[chosen], self.position[chosen], self.velocity[chosen], id=self.id[chosen],
                      species=None if self.species is None else self.species[chosen], units=self.units)

    def is_species(self, name: str) -> np.ndarray:
        """Returns which bodies (N,) are of a species, such as "disk"."""
        if name not in SPECIES:
            raise make_error(INPUT, f"bodies: there is no species '{name}'; use one of {', '.join(SPECIES)}")
        if self.species is None:
            return np.zeros(len(self), dtype=bool)
        return self.species == SPECIES.index(name)

    def __add__(self, other: Bodies) -> Bodies:
        """Returns the bodies of both. If ids meet, those of the second begin after the largest of the first."""
        if self.units != other.units:
            raise make_error(INPUT, f"bodies: have different units ({self.units.system} and {other.units.system}); convert one of them")
        ids = other.id
        if len(self) and np.isin(ids, self.id).any():
            ids = ids + (self.id.max() + np.uint64(1))
        species = None
        if self.species is not None or other.species is not None:
            species = np.concatenate([np.full(len(each), SPECIES.index("dark"), np.int8) if each.species is None else each.species
                                      for each in (self, other)])
        return Bodies(np.concatenate([self.mass, other.mass]), np.concatenate([self.position, other.position]),
                      np.concatenate([self.velocity, other.velocity]), id=np.concatenate([self.id, ids]), species=species,
                      units=self.units)

    def _placed(self, position, velocity) -> Bodies:
        return Bodies(self.mass, position, velocity, id=self.id, species=self.species, units=self.units)

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

    def __repr__(self) -> str:
        units = self.units.system if self.units.system != "custom" else self.units.words()
        return f"Bodies({len(self)}, mass {self.mass.sum():.6g}, units {units})"


def species_of(species, count: int) -> np.ndarray:
    """Returns species (N,) as integers 0 to 5; names and a single value are accepted."""
    if isinstance(species, str) or np.ndim(species) == 0:
        species = [species] * count
    numbers = np.array([SPECIES.index(each) if each in SPECIES else -1 for each in species] if len(species) and
                       isinstance(species[0], str) else species, dtype=np.int8)
    if numbers.shape != (count,) or ((numbers < 0) | (numbers > 5)).any():
        raise make_error(INPUT, f"bodies: species must be {count} of 0 to 5, or of the names {', '.join(SPECIES)}")
    return numbers


def stated_units(words: list) -> Units:
    """Returns the units that a file of bodies states, from the first line of its conversion to text."""
    words = [os.fspath(word) for word in words]
    with subprocess.Popen([find_executable(), "convert", *words, "/dev/stdout", "--to", "text"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None  # a pipe
        line = process.stdout.readline()
        process.kill()
    header = HEADER.match(line)
    return units_of(header[1].strip() if header else "")


def units_of(words: str) -> Units:
    """Returns units by the words of a text file: "henon", "solar: length 149597870700 m, mass ...", "length 3e16 m, mass ..."."""
    system = words.partition(":")[0]
    if system in SYSTEMS or not words:
        return Units.make(system or "henon")
    sizes = dict(word.split(" ", 1) for word in words.split(", "))
    units = Units.of_names(*(exact_name(sizes.get(kind, "")) for kind in ("length", "mass", "time")))
    same = [system for system, names in SYSTEMS.items() if names == (units.length, units.mass, units.time)]
    return Units.make(same[0]) if units.are_known and same else units
