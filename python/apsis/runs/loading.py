# SPDX-License-Identifier: Apache-2.0
"""Tables and runs as numpy arrays with units."""
from __future__ import annotations

import copy
import json
import math
import os
from pathlib import Path
from typing import Any, Dict

import numpy as np

from ..attributes import Strict
from ..decks import Deck
from ..errors import INPUT, Error, make_error, unreadable
from ..executable import obey
from ..files import MOST_JSON, MOST_TABLE, TemporaryDirectory, read_bytes
from ..kinds import DECK, SUMMARY, check_kinds
from ..snapshots import Snapshot, open_snapshot

ADVICE = "give a directory that apsis run wrote"
TYPES = {"integer": "i8", "double": "f8", "string": "U64"}


# Entries of diagnostics whose tables have another name.
ENTRIES = {"force_errors": "force_error_sample", "potential_errors": "potential_error_sample"}


class Columns(Dict[str, Any]):
    """Arrays of (rows,) by name; a missing one raises a problem with the table's path."""

    def __init__(self, path, columns):
        super().__init__(columns)
        self.path = Path(path)

    def __missing__(self, name):
        raise make_error(INPUT, f"{self.path}: has no column '{name}'; {ADVICE}")


class Table(Columns):
    """Columns by name, each a numpy array of shape (rows,): table["time"]; table.units["time"] is its unit, "" if it has
    none, table.descriptions["time"] its meaning, table.system the system of units of the run ("henon", "solar", ...)."""

    def __init__(self, path, columns, described):
        super().__init__(path, columns)
        described_columns = {column["name"]: column for column in described["tableSchema"]["columns"]}
        self.units = Columns(path, {name: text_in(described_columns[name], "schema:unitText") for name in columns})
        self.descriptions = Columns(path, {name: text_in(described_columns[name], "dc:description") for name in columns})
        after = described.get("dc:description", "").partition("another: ")[2]
        self.system = after.partition(":")[0]

    @property
    def rows(self) -> int:
        return len(next(iter(self.values())))

    def only(self, chosen):
        """Returns a table with the chosen rows; `chosen` is a mask of shape (rows,)."""
        part = copy.copy(self)
        part.update({name: values[chosen] for name, values in self.items()})
        return part


def text_in(record, key):
    """Returns record[key], "" if missing; raises a TypeError if it is not a text."""
    value = record.get(key, "")
    if not isinstance(value, str):
        raise TypeError(f"'{key}' is no text")
    return value


def read_text(path, advice=ADVICE, most=MOST_TABLE, kind="a table"):
    try:
        return read_bytes(path, most, kind, advice).decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise make_error(INPUT, f"{path}: is no text ({error.reason}); {advice}") from error


def read_json(path, advice=ADVICE) -> dict[str, Any]:
    """Returns the object of a JSON file; its numbers must be finite."""
    def finite(text):
        value = float(text)
        if not math.isfinite(value):
            raise ValueError(f"{text[:40]} is no finite number")
        return value

    try:
        content = json.loads(read_text(path, advice, MOST_JSON, "JSON"), parse_float=finite, parse_constant=finite)
    except (ValueError, RecursionError) as error:
        raise make_error(INPUT, f"{path}: is not JSON ({error}); {advice}") from error
    if not isinstance(content, dict):
        raise make_error(INPUT, f"{path}: is not what Apsis writes (no object); {advice}")
    return content


def load_table(path: str | os.PathLike) -> Table:
    """Returns a `Table` of X.csv, with the units of X.csv-metadata.json. Missing values are nan; an incomplete last line
    is left out."""
    lines = read_text(path).split("\n")
    described = read_json(f"{path}-metadata.json")
    try:
        names = lines[0].strip().split(",")
        known = {column["name"]: column.get("datatype") for column in described["tableSchema"]["columns"]}
        if not set(names) <= set(known):
            raise ValueError(f"its columns are not those of {Path(path).name}-metadata.json")
        rows = lines[1:-1]  # after the last line end there is nothing, or a line that is being written
        if not rows:
            raise make_error(INPUT, f"{path}: has no lines yet; wait for the run, or give one that has begun")
        # yields (rows,) records; integers beyond 2^53 keep all digits
        rows = [f"{row},".replace(",,", ",nan,").replace(",,", ",nan,")[:-1] for row in rows]
        # integers of which some are missing become doubles
        missing = {names[k] for row in rows if "nan" in row for k, field in enumerate(row.split(",")) if field == "nan"}
        kinds = [(name, "f8" if name in missing and known[name] == "integer" else TYPES.get(known[name], "f8"))
                 for name in names]
        records = np.atleast_1d(np.loadtxt(rows, delimiter=",", dtype=kinds, comments=None))
        return Table(path, {name: column_of(records[name]) for name in names}, described)
    except Error:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise make_error(INPUT, f"{path}: is not what apsis run writes ({error}); {ADVICE}") from error


def column_of(values):
    """Converts a column of texts to numbers if all of them are numbers."""
    values = np.ascontiguousarray(values)
    if values.dtype.kind == "U":
        try:
            return values.astype(float)
        except ValueError:
            pass
    return values


class Run(Strict):
    """A run directory.

    path: the directory; name: its name; deck: the resolved `Deck`; summary: content of summary.json, {} while the run is in
    progress.
    """

    _own = ("path", "name", "deck", "summary", "temporary")

    def __init__(self, directory: str | os.PathLike):
        self.path = Path(directory)
        self.name = self.path.resolve().name
        deck = self.path / "deck.resolved.json"
        self.deck = Deck(read_json(deck), source=str(deck))
        check_kinds(self.deck, DECK, deck, ADVICE)
        summary = self.path / "summary.json"
        self.summary: dict[str, Any] = read_json(summary) if summary.exists() else {}
        check_kinds(self.summary, SUMMARY, summary, ADVICE)
        self.temporary: TemporaryDirectory | None = None  # lives as long as this run

    def section(self, name):
        """Returns a section of the deck, {} if missing."""
        section = self.deck.get(name)
        return section if isinstance(section, dict) else {}

    def has(self, table):
        return (self.path / f"{table}.csv").exists()

    def table(self, name: str) -> Table:
        """Returns the columns of `name`.csv; the error for a missing one says what the deck must request."""
        if not self.has(name):
            raise make_error(INPUT, f"{self.path}: has no {name}.csv; give a run whose deck names "
                             f"diagnostics.{ENTRIES.get(name, name)}"
                          if name != "conservation" else f"{self.path}: has no conservation.csv; {ADVICE}")
        return load_table(self.path / f"{name}.csv")

    @property
    def conservation(self) -> Table:
        """The log of conserved quantities."""
        return self.table("conservation")

    def tables(self) -> list[str]:
        """Returns the names of the tables that the run has."""
        return sorted(path.stem for path in self.path.glob("*.csv"))

    def snapshot_paths(self):
        """Returns the paths of the snapshots, by number."""
        return sorted(self.path.glob("snapshot_*.h5"))

    def snapshots(self) -> list[Snapshot]:
        """Returns the snapshots, by number. Each reads its bodies when they are needed. Needs h5py."""
        return [open_snapshot(path) for path in self.snapshot_paths()]

    def cite(self) -> str:
        """Returns BibTeX entries of the works that the run uses, see `apsis.cite`."""
        return obey("cite", self.path)

    def __repr__(self):
        return f"Run({str(self.path)!r}, {self.summary.get('status', 'in progress')})"


def load_run(directory: str | os.PathLike) -> Run:
    """Returns a `Run`. A missing directory is a problem with status 74, one without a run has status 65."""
    directory = Path(directory)
    try:
        names = {entry.name for entry in directory.iterdir()}
    except OSError as error:
        raise unreadable(error, directory, ADVICE) from error
    if "deck.resolved.json" not in names:
        raise make_error(INPUT, f"{directory}: is no run (it has no deck.resolved.json); {ADVICE}")
    return Run(directory)
