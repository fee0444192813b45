# SPDX-License-Identifier: Apache-2.0
"""Finds apsis and runs it."""
import os
import re
import shutil
import subprocess
from pathlib import Path

from .problem import FILES, INPUT, USAGE, Problem, failed

DONE = (0, 1)  # conserved, or limits exceeded: the run has reached its end


def find_executable(named=None):
    """Returns the given executable, or the newest build/*/apsis.* of this checkout, or apsis on the path."""
    if named:
        found = shutil.which(named) or (named if os.access(named, os.X_OK) and Path(named).is_file() else None)
        if not found:
            raise Problem(FILES, f"{named}: cannot be run (it is no executable file); give --apsis the path of one")
        return str(Path(found).resolve())
    checkout = Path(__file__).resolve().parents[2]
    built = [path for path in checkout.glob("build/*/apsis.*") if path.is_file() and os.access(path, os.X_OK)]
    if built:
        return str(max(built, key=lambda path: path.stat().st_mtime))
    found = shutil.which("apsis")
    if not found:
        raise Problem(USAGE, "--apsis: there is no executable (none in build/*/apsis.*, no apsis on the path); build one or "
                      "give its path")
    return found


def called(words):
    """Runs a command to its end and returns the process."""
    try:
        return subprocess.run(words, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    except OSError as error:
        raise failed(error, words[0], "cannot be run", "give --apsis another") from error


def orders(executable):
    """Returns the order of each integrator, by name."""
    done = called([executable, "list", "integrators"])
    found = {name: int(order) for name, order in re.findall(r"^\s+(\w+) .*?\border (\d+)", done.stdout, re.M)}
    if done.returncode or not found:
        raise Problem(INPUT, f"{executable}: does not list integrators (status {done.returncode}); give --apsis another")
    return found


def run_deck(executable, deck, overrides, directory, threads=None):
    """Runs a deck to its end; its error message is raised as a problem with its own status."""
    words = [executable, "run", str(deck), "--quiet", "--output", str(directory)]
    for override in overrides:
        words += ["--set", override]
    if threads:
        words += ["--threads", str(threads)]
    done = called(words)
    if done.returncode not in DONE:
        said = [line for line in done.stderr.splitlines() if "error: " in line] or [f"{executable} ended with {done.returncode}"]
        status = done.returncode if done.returncode > 0 else 70
        raise Problem(status, said[0].removeprefix("apsis: error: "))
