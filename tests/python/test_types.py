#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types of the Python module: mypy has no complaint about the package and a program of a user, and finds mistakes in decks.

    test_types.py SOURCE WORK
"""
import os
import re
import subprocess
import sys
from pathlib import Path

source, work = (Path(word).resolve() for word in sys.argv[1:])
here = source / "tests/python/typed"
environment = {**os.environ, "MYPYPATH": str(source / "python")}


def complaints(*words):
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", here / "mypy.ini", "--cache-dir", work, *words], cwd=source,
                          env=environment, capture_output=True, text=True)
    if done.stderr.strip():
        print(done.stderr)
    return [line for line in done.stdout.splitlines() if ": error:" in line]


failures = complaints("-p", "apsis") + complaints(here / "good.py")
bad = here / "bad.py"
wanted = {number for number, line in enumerate(bad.read_text(encoding="utf-8").splitlines(), 1) if line.endswith("# mistake")}
said = complaints(bad)
found = {int(number) for number in re.findall(r"bad\.py:(\d+): error", "\n".join(said))}
if not wanted or found != wanted:
    failures.append(f"mistakes in lines {sorted(wanted)} of bad.py; mypy: {said}")
for failure in failures:
    print(f"FAILED: {failure}")
sys.exit(1 if failures else 0)
