# SPDX-License-Identifier: Apache-2.0
"""Snapshots: Apsis' own, and those of GADGET and SWIFT in one file. Bodies are read in pieces."""
from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from .bodies import SPECIES, Bodies
from .decks import Deck
from .errors import INPUT, INTERNAL, LIMITS, Error, make_error, unreadable
from .files import MEBI, open_regular
from .kinds import DECK, check_kinds
from .units import SYSTEMS, Units

ADVICE = "give a snapshot that apsis run wrote"
ROWS = 1 << 20  # bodies per piece: about ten MiB per column
FIELDS = {"position": "Coordinates", "velocity": "Velocities", "mass": "Masses", "id": "ParticleIDs"}
CGS = {"length": {"m": 1e2, "km": 1e5, "au": 1.495978707e13, "pc": 3.0856775814913673e18, "kpc": 3.0856775814913673e21},
       "mass": {"g": 1.0, "kg": 1e3, "Msun": 1.98841e33},
       "time": {"s": 1.0, "d": 86400.0, "yr": 31557600.0, "Myr": 3.15576e13, "Gyr": 3.15576e16}}
KEYS = {"length": ("UnitLength_in_cm", "Unit length in cgs (U_L)"), "mass": ("UnitMass_in_g", "Unit mass in cgs (U_M)"),
        "time": ("UnitTime_in_s", "Unit time in cgs (U_t)")}


FINITE = 1e150  # squares of larger coordinates overflow


def check_number(value, what):
    if not np.isfinite(value):
        raise ValueError(f"{what} is not finite")
    return value


class Promises:
    """Checks the announced sizes of datasets against the size of the file, with the rules of the executable
    (hdf5_input.cpp): a dataset is in the file itself and completely written, and all datasets together hold no more than
    compression can explain."""

    def __init__(self, file_bytes):
        self.file_bytes = file_bytes
        self.left = 64 * file_bytes + MEBI

    def check(self, parent, name, rows=None, width=None, kinds="iuf"):
        """Refuses a dataset that holds less than announced, or has another shape or type."""
        import h5py
        path = f"{parent.name.rstrip('/')}/{name}"
        if not isinstance(parent.get(name, getlink=True), h5py.HardLink):
            raise ValueError(f"{path} is a link: only what lies in the file itself is read")
        data = parent[name]
        if not isinstance(data, h5py.Dataset):
            raise ValueError(f"{path} is no dataset")
        if data.is_virtual or data.external:
            raise ValueError(f"{path} lies in other files")
        if data.dtype.kind not in kinds:
            raise ValueError(f"{path} is of another type")
        if rows is not None and data.shape != ((rows, width) if width else (rows,)):
            raise ValueError(f"{path} has the shape {data.shape}, and there are {rows} bodies")
        size = int(np.prod(data.shape, dtype=object)) * data.dtype.itemsize
        if size > self.left:
            raise ValueError(f"{path} promises more than the file holds: {size} bytes in a file of {self.file_bytes}")
        self.left -= size
        if data.chunks:
            needed = int(np.prod([-(-extent // chunk) for extent, chunk in zip(data.shape, data.chunks)], dtype=object))
            if data.id.get_num_chunks() < needed:
                raise ValueError(f"{path} is not all there: blocks of it were never written")
        elif data.id.get_storage_size() < size and data.id.get_create_plist().get_layout() == h5py.h5d.CONTIGUOUS:
            raise ValueError(f"{path} is not all there: only part of it was written")


def words_of(value):
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def unit_of(file, kind):
    """Returns the name of the unit, "" if the numbers have none."""
    if not file["Apsis"].attrs.get("UnitsAreKnown", 1) if "Apsis" in file else "Units" not in file:
        return ""
    for key in KEYS[kind]:
        for place in (file.get("Units"), file.get("Parameters")):
            if place is not None and key in place.attrs:
                value = float(np.ravel(place.attrs[key])[0])
                near = [name for name, cgs in CGS[kind].items() if abs(value / cgs - 1) < 1e-4]
                return near[0] if near else f"({value:.6g} {dict(length='cm', mass='g', time='s')[kind]})"
    return ""


def names_in(file, promises):
    """Returns the names of bodies, {id: name}: lines `id name` of Apsis/Names; {} if there are none."""
    if "Apsis/Names" not in file:
        return {}
    promises.check(file["Apsis"], "Names", kinds="SO")
    lines = words_of(file["Apsis/Names"][0]).splitlines()
    return {int(body): name for body, _, name in (line.partition(" ") for line in lines if line)}


class Snapshot:
    """A snapshot. Its bodies are read when they are needed, column by column, or in pieces by `pieces`.

    count: number of bodies; time [time]; units: `Units`; system: system of units; G; names: {id: name}; deck: the resolved
    deck, {} in files of other codes; about: the writer; counts: number of bodies of each species, {0 to 5: number}.

    position (N, 3) [length], velocity (N, 3) [velocity], mass (N,) [mass], id (N,), species (N,): 0 to 5, the index in
    `apsis.SPECIES`. snapshot["disk"], snapshot[mask] or snapshot[:100] are `Bodies`.
    """

    def __init__(self, path, file, file_bytes):
        self.path = Path(path)
        promises = Promises(file_bytes)
        self.counts = {int(kind[8:]): len(file[kind]["Coordinates"]) for kind in sorted(file)
                        if kind[:8] == "PartType" and kind[8:] in tuple("012345") and "Coordinates" in file[kind]}
        if not self.counts and "Header" not in file:
            raise KeyError("no Header and no PartType0 to 5")
        for kind, count in self.counts.items():
            group = file[f"PartType{kind}"]
            for name, column, width, kinds in (("position", "Coordinates", 3, "iuf"), ("velocity", "Velocities", 3, "iuf"),
                                               ("mass", "Masses", None, "iuf"), ("id", "ParticleIDs", None, "iu")):
                if column in group:
                    promises.check(group, column, count, width, kinds)
        header = file["Header"].attrs
        if int(np.ravel(header.get("NumFilesPerSnapshot", 1))[0]) > 1:
            raise ValueError("one of several files")
        self.count = sum(self.counts.values())
        self.time = check_number(float(np.ravel(header["Time"])[0]), "Time")
        self.mass_table = [check_number(float(mass), "MassTable") for mass in np.ravel(header.get("MassTable", []))[:6]]
        attributes = file["Apsis"].attrs if "Apsis" in file else {}
        self.about = {name: words_of(value) for name, value in attributes.items()}
        self.system = self.about.get("UnitSystem", "")
        self.units = Units.of_names(*(unit_of(file, kind) for kind in KEYS), system=self.system if self.system in SYSTEMS else "custom")
        self.G = check_number(float(attributes.get("G", 1.0)), "G")
        if "Apsis/Deck" in file:
            promises.check(file["Apsis"], "Deck", kinds="SO")
        self.names = names_in(file, promises)
        deck = json.loads(words_of(file["Apsis/Deck"][0] if "Apsis/Deck" in file else b"{}"))
        if not isinstance(deck, dict):
            raise ValueError("Apsis/Deck is no object")
        check_kinds(deck, DECK, f"{path}: Apsis/Deck", ADVICE)
        self.deck = Deck(deck, source=f"{path}: Apsis/Deck")
        self._columns = {}

    def _column(self, name):
        if name not in self._columns:
            self._columns[name] = np.concatenate([getattr(piece, name) for piece in self.pieces(name)])
        return self._columns[name]

    @property
    def position(self):
        return self._column("position")

    @property
    def velocity(self):
        return self._column("velocity")

    @property
    def mass(self):
        return self._column("mass")

    @property
    def id(self):
        return self._column("id")

    @property
    def species(self):
        return np.repeat(np.array(list(self.counts), dtype=np.int8), list(self.counts.values()))

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, chosen) -> Bodies:
        return self.bodies()[chosen]

    def bodies(self) -> Bodies:
        """Returns the bodies, as a copy."""
        return Bodies(self.mass.copy(), self.position.copy(), self.velocity.copy(), id=self.id.astype(np.uint64),
                      species=self.species, units=self.units)

    def __repr__(self):
        return f"Snapshot({str(self.path)!r}, {self.count} bodies, time {self.time:g})"

    def pieces(self, *columns, species=None):
        """Yields bodies, at most 2^20 at a time: namespaces of `position` (n, 3), `velocity` (n, 3), `mass` (n,), `id` (n,),
        as requested, and `species` (n,); of one species or all. Raises a problem for a number that is not finite."""
        import h5py
        with reading(self.path):
            with h5py.File(self.path, "r") as file:
                for kind, count in self.counts.items():
                    if species is not None and SPECIES[kind] not in species:
                        continue
                    group = file[f"PartType{kind}"]
                    for first in range(0, count, ROWS):
                        yield self.piece(group, kind, slice(first, min(first + ROWS, count)), columns)

    def piece(self, group, kind, rows, columns):
        number = rows.stop - rows.start
        bodies = SimpleNamespace(species=np.full(number, kind, dtype=np.int8))
        for name in columns:
            if name == "mass" and "Masses" not in group:
                table = self.mass_table + [0.0] * 6
                values = np.full(number, table[kind])
            else:
                values = group[FIELDS[name]][rows]
            if values.shape != ((number, 3) if name in ("position", "velocity") else (number,)):
                raise ValueError(f"{FIELDS[name]} has the shape {values.shape}")
            values = values if name == "id" else np.asarray(values, dtype=float)
            if name != "id" and not (np.abs(values) < FINITE).all():
                row = int(np.flatnonzero(~(np.abs(values) < FINITE).reshape(number, -1).all(axis=1))[0])
                which = group["ParticleIDs"][rows.start + row] if "ParticleIDs" in group else rows.start + row
                raise make_error(INPUT, f"{self.path}: the {name} of body {which} is not finite, or its square is not; give another "
                                 "snapshot")
            setattr(bodies, name, values)
        return bodies


class reading:
    """Converts errors of h5py to a problem with the file's name."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        """Returns the size of the file, which must be regular."""
        stream, size = open_regular(self.path, ADVICE)
        stream.close()
        return size

    def __exit__(self, kind, error, trace):
        if isinstance(error, Error):
            return
        if isinstance(error, OSError) and error.errno in LIMITS:
            raise unreadable(error, self.path, ADVICE) from error
        if isinstance(error, (OSError, KeyError, ValueError, TypeError, IndexError, RuntimeError, AttributeError, OverflowError)):
            said = str(error).strip('"\'')
            raise make_error(INPUT, f"{self.path}: cannot be read as a snapshot ({said}); {ADVICE}") from error


def open_snapshot(path: str | os.PathLike) -> Snapshot:
    """Opens a `Snapshot` with at least one body."""
    import h5py
    with reading(path) as size:
        with h5py.File(path, "r") as file:
            snapshot = Snapshot(path, file, size)
    if not snapshot.count:
        raise make_error(INPUT, f"{path}: has no bodies; give a snapshot with one at least")
    return snapshot


def load_snapshot(path: str | os.PathLike) -> Snapshot:
    """Reads all bodies of a snapshot in HDF5, by species. Needs h5py."""
    try:
        snapshot = open_snapshot(path)
    except ModuleNotFoundError as error:
        raise make_error(INTERNAL, f"{path}: cannot be read (h5py is not installed); install python3-h5py, or use "
                         "apsis.Bodies.load, which does without") from error
    for name in FIELDS:
        snapshot._column(name)
    return snapshot


def snapshots_of(names, most=9):
    """Returns the named snapshots; of a run directory at most `most`, evenly spaced."""
    files = []
    for name in map(Path, names):
        if not name.is_dir():
            files.append(name)
            continue
        paths = sorted(name.glob("snapshot_*.h5"))
        if not paths:
            raise make_error(INPUT, f"{name}: holds no snapshots; set output.snapshot_interval in the deck")
        number = min(most, len(paths))
        files += [paths[round(i * (len(paths) - 1) / max(1, number - 1))] for i in range(number)]
    return files
