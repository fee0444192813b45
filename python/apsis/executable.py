# SPDX-License-Identifier: Apache-2.0
"""Finds the executable of Apsis and runs it. Imports no library."""
from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from .errors import FILES, INPUT, USAGE, failed, make_error
from .messages import raise_errors, read_messages, tell
from .places import CHECKOUT, PACKAGE

BACKENDS = ("openmp", "cuda", "hip", "serial")
NAMES = ("apsis", *(f"apsis.{backend}" for backend in BACKENDS))
ERRORS = ("--errors", "json")  # each message is one line of JSON
LAUNCHERS = ("OMPI_", "PMIX_", "PMI_", "PRTE_", "MPI_LOCALNRANKS", "MV2_")  # beginnings of the variables of launchers of MPI
DONE = (0, 1)  # conserved, or limits exceeded: the run has reached its end

_chosen_executable: str | None = None
_chosen_threads: int | None = None


def use(executable: str | os.PathLike | None = None, *, threads: int | None = None) -> str:
    """Chooses the executable of all further calls, and the number of threads of runs that do not say it.

    executable: a path, or a backend: "openmp", "serial", "cuda", "hip"; None: the one that is found without a choice.
    Returns the path of the executable.
    """
    global _chosen_executable, _chosen_threads
    _chosen_threads = threads
    _chosen_executable = None if executable is None else _named(executable)
    return find_executable()


def default_threads() -> int | None:
    """Returns the number of threads that `use` chose."""
    return _chosen_threads


def thread_options(threads: int | None) -> list[str]:
    """Returns the options of a run on a number of threads."""
    return [] if threads is None else ["--threads", str(threads)]


def _named(name: str | os.PathLike) -> str:
    name = os.fspath(name)
    if name in BACKENDS:
        path = _on_path((f"apsis.{name}",)) or _built(f"apsis.{name}")
        if not path:
            raise make_error(USAGE, f"executable: there is no apsis.{name} (neither on the path nor in {CHECKOUT}/build); build it, "
                             "or give the path of an executable")
        return path
    path = shutil.which(name) or (name if os.access(name, os.X_OK) and Path(name).is_file() else None)
    if not path:
        raise make_error(FILES, f"{name}: cannot be run (it is no executable file); give the path of an executable of Apsis")
    return str(Path(path).resolve())


def _on_path(names: tuple[str, ...] = NAMES) -> str | None:
    paths = (shutil.which(name) for name in names)
    return next((path for path in paths if path and not _is_wheel_command(path)), None)


def _is_wheel_command(path: str) -> bool:
    """Tells whether the file is the command that a wheel of this package installs: it would start itself."""
    try:
        with open(path, "rb") as file:
            return b"from apsis.__main__ import main" in file.read(4096)
    except OSError:  # an executable may be one that cannot be read
        return False


def _in_wheel() -> str | None:
    """Returns the executable that a wheel has within this package."""
    return next((str(PACKAGE / "bin" / name) for name in NAMES if os.access(PACKAGE / "bin" / name, os.X_OK)), None)


def _built(pattern="apsis.*") -> str | None:
    """Returns the newest executable of the build trees beside the sources."""
    built = [path for path in CHECKOUT.glob(f"build/*/{pattern}") if path.is_file() and os.access(path, os.X_OK)]
    return str(max(built, key=lambda path: path.stat().st_mtime)) if built else None


def _installed() -> str | None:
    """Returns the executable of the prefix in which this package is installed, below PREFIX/lib/apsis/python or
    PREFIX/lib/x86_64-linux-gnu/apsis/python."""
    if PACKAGE.parts[-3:-1] != ("apsis", "python"):
        return None
    places = [prefix / "bin" / name for prefix in list(PACKAGE.parents)[3:5] for name in NAMES]
    return next((str(path) for path in places if path.is_file() and os.access(path, os.X_OK)), None)


def find_executable(named: str | os.PathLike | None = None) -> str:
    """Returns the path of the executable: `named`, or that of `use`, of the variable APSIS_EXECUTABLE, that within a wheel of
    this package, of the path (apsis, apsis.openmp, apsis.cuda, apsis.hip, apsis.serial), that installed with this package, or
    the newest of build/*/ beside the sources. Raises `UsageError`."""
    if named:
        return _named(named)
    if _chosen_executable:
        return _chosen_executable
    variable = os.environ.get("APSIS_EXECUTABLE")
    if variable:
        return _named(variable)
    path = _in_wheel() or _on_path() or _installed() or _built()
    if not path:
        is_installed = PACKAGE.parent.name in ("site-packages", "dist-packages")
        raise make_error(USAGE, f"executable: there is none (no APSIS_EXECUTABLE, none of {', '.join(NAMES)} on the path"
                         + (", none in this package); install" if is_installed else f", none in {CHECKOUT}/build); build")
                         + " one, or give its path, in Python with apsis.use(path)")
    return path


def child_environment() -> dict[str, str] | None:
    """Returns the environment of the executable: None, that of this process, unless this is a rank of mpi4py. With the variables of
    the launcher of MPI the executable would take itself for that rank."""
    if "mpi4py.MPI" not in sys.modules:
        return None
    return {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}


def call(words: list) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end and returns the process, with its output as text."""
    words = [os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in words]
    try:
        return subprocess.run(words, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                              env=child_environment())
    except OSError as error:
        raise failed(error, words[0], "cannot be run", "give the path of another executable") from error


def obey(command: str, *words, executable: str | os.PathLike | None = None, replaced: tuple[str, str] = ("", ""),
         remarks: bool = True) -> str:
    """Runs a command of the executable and returns what it prints; raises its errors. replaced: a name of a temporary file, and
    the name for it in messages; remarks: whether remarks on a deck are warnings."""
    process = call([find_executable(executable), command, *ERRORS, *words])
    if process.returncode not in DONE:
        raise_errors(process.returncode, process.stderr, replaced)
    tell(read_messages(process.stderr, replaced), stacklevel=4, remarks=remarks)
    return process.stdout


def read_data(text: str, executable: str) -> dict[str, Any]:
    """Returns the object that a command with `--json` prints."""
    with contextlib.suppress(ValueError):
        data = json.loads(text)
        if isinstance(data, dict):
            return data
    raise make_error(INPUT, f"{executable}: does not print its data (no JSON object); give another executable")


def data_of(command: str, *words, executable: str | os.PathLike | None = None) -> dict[str, Any]:
    """Returns what a command prints with `--json`; raises its errors."""
    path = find_executable(executable)
    return read_data(obey(command, *words, "--json", executable=path), path)


def info(executable: str | os.PathLike | None = None) -> dict[str, Any]:
    """Returns facts about the executable by name, those of `apsis info --json`: info()["backend"] is "openmp", info()["threads"]
    a number. `executable` is its path, given or returned; `text` is what `apsis info` prints."""
    path = find_executable(executable)
    return {"executable": path, **data_of("info", executable=path)}


def list_entries(table: str | None = None, executable: str | os.PathLike | None = None) -> dict[str, Any]:
    """Returns the entries of a table and their meanings, or of all tables: list_entries("integrators")["leapfrog_kdk"]."""
    tables = tables_of(*([table] if table else []), executable=executable)
    entries_of = {name: {each["name"]: meaning_of(each) for each in entries} for name, entries in tables.items()}
    if table in entries_of:
        return entries_of[table]
    return entries_of


def tables_of(*words, executable: str | os.PathLike | None = None) -> dict[str, list[dict[str, Any]]]:
    """Returns the entries of the tables that `apsis list` with these words shows, by the name of the table."""
    return {table["name"]: table["entries"] for table in data_of("list", *words, executable=executable)["tables"]}


def meaning_of(entry: dict[str, Any]) -> str:
    """Returns the meaning of an entry, and why this executable lacks it."""
    return entry["doc"] + (f"; not here: {entry['unavailable']}" if entry["unavailable"] else "")


_schemas: dict[tuple, dict] = {}


def schema(executable: str | os.PathLike | None = None) -> dict:
    """Returns the JSON Schema (2020-12) of decks."""
    path = find_executable(executable)
    version = path, os.stat(path).st_mtime_ns
    if version not in _schemas:
        _schemas[version] = json.loads(obey("schema", executable=path))
    return _schemas[version]


def orders(executable: str) -> dict[str, int]:
    """Returns the order of each integrator, by name."""
    entries = tables_of("integrators", executable=executable).get("integrators", [])
    order_of = {entry["name"]: entry["order"] for entry in entries if "order" in entry}
    if not order_of:
        raise make_error(INPUT, f"{executable}: does not list orders of integrators; give another executable")
    return order_of
