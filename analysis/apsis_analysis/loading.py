# SPDX-License-Identifier: Apache-2.0
"""Tables and runs as numpy arrays with units."""
import json
from pathlib import Path

import numpy as np

from .problem import INPUT, Problem, unreadable

ADVICE = "give a directory that apsis run wrote"
TYPES = {"integer": "i8", "double": "f8", "string": "U64"}


class Table(dict):
    """Columns by name, each a numpy array of shape (rows,): table["time"]; table.units["time"] is its unit, "" if it has
    none, table.descriptions["time"] its meaning, table.system the system of units of the run ("henon", "solar", ...)."""

    def __init__(self, path, columns, described):
        super().__init__(columns)
        self.path = Path(path)
        of = {column["name"]: column for column in described["tableSchema"]["columns"]}
        self.units = {name: of[name].get("schema:unitText", "") for name in columns}
        self.descriptions = {name: of[name].get("dc:description", "") for name in columns}
        after = described.get("dc:description", "").partition("another: ")[2]
        self.system = after.partition(":")[0]

    @property
    def rows(self):
        return len(next(iter(self.values())))


def read_text(path, advice=ADVICE):
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise unreadable(error, path, advice) from error
    except UnicodeDecodeError as error:
        raise Problem(INPUT, f"{path}: is no text ({error.reason}); {advice}") from error


def read_json(path, advice=ADVICE):
    """The object of a JSON file."""
    try:
        found = json.loads(read_text(path, advice))
    except (ValueError, RecursionError) as error:
        raise Problem(INPUT, f"{path}: is not JSON ({error}); {advice}") from error
    if not isinstance(found, dict):
        raise Problem(INPUT, f"{path}: is not what Apsis writes (no object); {advice}")
    return found


def load_table(path):
    """A `Table` of X.csv, with the units of X.csv-metadata.json. A value that a row lacks is nan, a line
    that is only half written is left out."""
    lines = read_text(path).split("\n")
    described = read_json(f"{path}-metadata.json")
    try:
        names = lines[0].strip().split(",")
        known = {column["name"]: column.get("datatype") for column in described["tableSchema"]["columns"]}
        if not set(names) <= set(known):
            raise ValueError(f"its columns are not those of {Path(path).name}-metadata.json")
        rows = lines[1:-1]  # after the last line end there is nothing, or a line that is being written
        if not rows:
            raise Problem(INPUT, f"{path}: has no lines yet; wait for the run, or give one that has begun")
        # yields (rows,) records; an integer beyond 2^53 stays what it is
        kinds = [(name, TYPES.get(known[name], "f8")) for name in names]
        rows = [f"{row},".replace(",,", ",nan,").replace(",,", ",nan,")[:-1] for row in rows]
        found = np.atleast_1d(np.loadtxt(rows, delimiter=",", dtype=kinds, comments=None))
        return Table(path, {name: np.ascontiguousarray(found[name]) for name in names}, described)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Problem(INPUT, f"{path}: is not what apsis run writes ({error}); {ADVICE}") from error


class Run:
    """A run's directory. `deck` is the resolved deck, `summary` is {} while the run goes on."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.name = self.directory.resolve().name
        self.deck = read_json(self.directory / "deck.resolved.json")
        summary = self.directory / "summary.json"
        self.summary = read_json(summary) if summary.exists() else {}

    def section(self, name):
        """A section of the deck, {} if it has none."""
        found = self.deck.get(name)
        return found if isinstance(found, dict) else {}

    def has(self, table):
        return (self.directory / f"{table}.csv").exists()

    def table(self, name):
        """The columns of `name`.csv; the advice of a missing one is what the deck must ask for."""
        if not self.has(name):
            raise Problem(INPUT, f"{self.directory}: has no {name}.csv; give a run whose deck names diagnostics.{name}"
                          if name != "conservation" else f"{self.directory}: has no conservation.csv; {ADVICE}")
        return load_table(self.directory / f"{name}.csv")

    def snapshots(self):
        """Paths of the snapshots, by number."""
        return sorted(self.directory.glob("snapshot_*.h5"))


def load_run(directory):
    """A `Run`; a directory that is not there is a problem with status 74, one that is no run with 65."""
    directory = Path(directory)
    try:
        here = {entry.name for entry in directory.iterdir()}
    except OSError as error:
        raise unreadable(error, directory, ADVICE) from error
    if "deck.resolved.json" not in here:
        raise Problem(INPUT, f"{directory}: is no run (it has no deck.resolved.json); {ADVICE}")
    return Run(directory)
