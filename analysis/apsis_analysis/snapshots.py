# SPDX-License-Identifier: Apache-2.0
"""Snapshots: Apsis' own, and those of GADGET and SWIFT in one file. Bodies are read in pieces."""
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from .problem import INPUT, Problem, unreadable

ADVICE = "give a snapshot that apsis run wrote"
SPECIES = ("gas", "dark", "disk", "bulge", "stars", "other")  # PartType0 to 5
ROWS = 1 << 20  # bodies in a piece: some ten MiB a column
FIELDS = {"position": "Coordinates", "velocity": "Velocities", "mass": "Masses", "id": "ParticleIDs"}
CGS = {"length": {"m": 1e2, "km": 1e5, "au": 1.495978707e13, "pc": 3.0856775814913673e18, "kpc": 3.0856775814913673e21},
       "mass": {"g": 1.0, "kg": 1e3, "Msun": 1.98841e33},
       "time": {"s": 1.0, "d": 86400.0, "yr": 31557600.0, "Myr": 3.15576e13, "Gyr": 3.15576e16}}
KEYS = {"length": ("UnitLength_in_cm", "Unit length in cgs (U_L)"), "mass": ("UnitMass_in_g", "Unit mass in cgs (U_M)"),
        "time": ("UnitTime_in_s", "Unit time in cgs (U_t)")}


def words_of(value):
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def unit_of(file, kind):
    """The unit's name, "" if the numbers have none."""
    if not file["Apsis"].attrs.get("UnitsAreKnown", 1) if "Apsis" in file else "Units" not in file:
        return ""
    for key in KEYS[kind]:
        for place in (file.get("Units"), file.get("Parameters")):
            if place is not None and key in place.attrs:
                value = float(np.ravel(place.attrs[key])[0])
                near = [name for name, cgs in CGS[kind].items() if abs(value / cgs - 1) < 1e-4]
                return near[0] if near else f"({value:.6g} {dict(length='cm', mass='g', time='s')[kind]})"
    return ""


class Snapshot:
    """What a snapshot says of itself; its bodies by `pieces`.

    count: bodies; time; units: {"length": "pc", "mass": ..., "time": ..., "velocity": ...}, "" for none; system: that of
    the units; G; species: {0 to 5: how many}; deck: the resolved deck, {} in a stranger's file; about: who wrote it.
    """

    def __init__(self, path, file):
        self.path = Path(path)
        self.species = {int(kind[8:]): len(file[kind]["Coordinates"]) for kind in sorted(file)
                        if kind.startswith("PartType") and kind[8:] in "012345" and "Coordinates" in file[kind]}
        if not self.species and "Header" not in file:
            raise KeyError("no Header and no PartType0 to 5")
        header = file["Header"].attrs
        if int(np.ravel(header.get("NumFilesPerSnapshot", 1))[0]) > 1:
            raise ValueError("one of several files")
        self.count = sum(self.species.values())
        self.time = float(np.ravel(header["Time"])[0])
        self.mass_table = [float(mass) for mass in np.ravel(header.get("MassTable", []))]
        self.units = {kind: unit_of(file, kind) for kind in KEYS}
        each = self.units["length"], self.units["time"]
        self.units["velocity"] = f"{each[0]} {each[1]}^-1" if all(each) else ""
        own = file["Apsis"].attrs if "Apsis" in file else {}
        self.about = {name: words_of(value) for name, value in own.items()}
        self.system = self.about.get("UnitSystem", "")
        self.G = float(own.get("G", 1.0))
        deck = file["Apsis/Deck"][0] if "Apsis/Deck" in file else b"{}"
        self.deck = json.loads(words_of(deck))

    def pieces(self, *columns, species=None):
        """Bodies, at most 2^20 at a time: namespaces of `position` (n, 3), `velocity` (n, 3), `mass` (n,), `id` (n,),
        as they are asked for, and `species` (n,). Of one species or all. A number that is not finite is a problem."""
        import h5py
        with reading(self.path):
            with h5py.File(self.path, "r") as file:
                for kind, count in self.species.items():
                    if species is not None and SPECIES[kind] not in species:
                        continue
                    group = file[f"PartType{kind}"]
                    for first in range(0, count, ROWS):
                        yield self.piece(group, kind, slice(first, min(first + ROWS, count)), columns)

    def piece(self, group, kind, rows, columns):
        number = rows.stop - rows.start
        found = SimpleNamespace(species=np.full(number, kind, dtype=np.int8))
        for name in columns:
            if name == "mass" and "Masses" not in group:
                table = self.mass_table + [0.0] * 6
                values = np.full(number, table[kind])
            else:
                values = group[FIELDS[name]][rows]
            if values.shape != ((number, 3) if name in ("position", "velocity") else (number,)):
                raise ValueError(f"{FIELDS[name]} has the shape {values.shape}")
            values = values if name == "id" else np.asarray(values, dtype=float)
            if name != "id" and not np.isfinite(values).all():
                row = int(np.flatnonzero(~np.isfinite(values).reshape(number, -1).all(axis=1))[0])
                which = group["ParticleIDs"][rows.start + row] if "ParticleIDs" in group else rows.start + row
                raise Problem(INPUT, f"{self.path}: the {name} of body {which} is not finite; give another snapshot")
            setattr(found, name, values)
        return found


class reading:
    """Turns what h5py raises into a problem with the file's name."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        try:
            open(self.path, "rb").close()
        except OSError as error:
            raise unreadable(error, self.path, ADVICE) from error

    def __exit__(self, kind, error, trace):
        if isinstance(error, (OSError, KeyError, ValueError, TypeError, IndexError, RuntimeError, AttributeError)):
            said = str(error).strip('"\'')
            raise Problem(INPUT, f"{self.path}: cannot be read as a snapshot ({said}); {ADVICE}") from error


def open_snapshot(path):
    """A `Snapshot` with at least one body."""
    import h5py
    with reading(path):
        with h5py.File(path, "r") as file:
            found = Snapshot(path, file)
    if not found.count:
        raise Problem(INPUT, f"{path}: has no bodies; give a snapshot with one at least")
    return found


def load_snapshot(path):
    """All bodies of a snapshot, by species: a `Snapshot` with `position` (N, 3), `velocity` (N, 3), `mass` (N,), `id` (N,)
    and `kind` (N,), the species 0 to 5 of each; `units` names the units."""
    found = open_snapshot(path)
    pieces = list(found.pieces(*FIELDS))
    for name in FIELDS:
        setattr(found, name, np.concatenate([getattr(piece, name) for piece in pieces]))
    found.kind = np.concatenate([piece.species for piece in pieces])
    return found


def snapshots_of(names, most=9):
    """Each snapshot that is named, and of a run's directory at most so many, evenly apart."""
    files = []
    for name in map(Path, names):
        if not name.is_dir():
            files.append(name)
            continue
        found = sorted(name.glob("snapshot_*.h5"))
        if not found:
            raise Problem(INPUT, f"{name}: holds no snapshots; set output.snapshot_interval in the deck")
        number = min(most, len(found))
        files += [found[round(i * (len(found) - 1) / max(1, number - 1))] for i in range(number)]
    return files
