#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a test with the optional packages that it names, as on a machine without the others.

    packages.py NEEDED USED SCRIPT [ARGUMENT...]

NEEDED and USED are names of OPTIONAL joined by commas. Without a needed package the test is skipped with status 77 and a
line that says what to install; where the environment has CI=true, that is status 1. Without a used one it tests less. All
others are hidden: a test that imports one it does not name fails, whatever is installed.
"""
import importlib.util
import os
import sys
from pathlib import Path

# Optional packages of tests, each with its package in Debian and the packages that it imports itself.
OPTIONAL = {
    "numpy": ("python3-numpy", ()),
    "h5py": ("python3-h5py", ("numpy",)),
    "PIL": ("python3-pil", ()),
    "matplotlib": ("python3-matplotlib", ("numpy", "PIL")),
    "yt": ("python3-yt", ("numpy", "PIL", "matplotlib", "h5py")),
    "mpi4py": ("python3-mpi4py", ()),
    "mypy": ("mypy", ()),
}
HIDING = str(Path(__file__).resolve().parent / "hidden_modules")


def names_of(words):
    """Returns the names in a list joined by commas."""
    names = [name for name in words.split(",") if name]
    unknown = set(names) - set(OPTIONAL)
    if unknown:
        raise SystemExit(f"packages.py knows no {', '.join(sorted(unknown))}")
    return names


def with_imports(names):
    """Returns the packages and all that they import."""
    return {each for name in names for each in (name, *OPTIONAL[name][1])}


def hiding(hidden):
    """Returns an environment in which Python does not find these packages."""
    path = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part not in ("", HIDING)]
    return {**os.environ, "APSIS_HIDDEN_MODULES": " ".join(sorted(hidden)), "PYTHONPATH": os.pathsep.join([HIDING, *path])}


def lacking(needed):
    """Returns the line that says what a test lacks on this machine, empty if it has all."""
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    install = " ".join(OPTIONAL[name][0] for name in missing)
    return f"skipped: no {', '.join(missing)}; sudo apt-get install {install}" if missing else ""


def main(needed, used, *command):
    needed, used = names_of(needed), names_of(used)
    reason = lacking(needed)
    if reason:
        print(reason)
        return 1 if os.environ.get("CI") == "true" else 77
    hidden = set(OPTIONAL) - with_imports([*needed, *used]) | set(os.environ.get("APSIS_HIDDEN_MODULES", "").split())
    os.execve(sys.executable, [sys.executable, *command], hiding(hidden))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
