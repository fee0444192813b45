#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types of the installed Python module: mypy has no complaint about the package and a program of a user, and finds mistakes in decks.

    test_types.py SOURCE BUILD WORK
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

source, build, work = (Path(word).resolve() for word in sys.argv[1:])
folder = source / "tests/python/typed"
shutil.rmtree(work / "package", ignore_errors=True)
subprocess.run(["cmake", "--install", build, "--prefix", work / "package", "--component", "wheel"], check=True, stdout=subprocess.DEVNULL)
environment = {**os.environ, "MYPYPATH": f"{work / 'package'}:{source / 'python'}"}  # the latter for the types of the extension


def complaints(*words):
    process = subprocess.run([sys.executable, "-m", "mypy", "--config-file", folder / "mypy.ini", "--cache-dir", work / "cache", *words],
                             cwd=source, env=environment, capture_output=True, text=True)
    if process.stderr.strip():
        print(process.stderr)
    return [line for line in process.stdout.splitlines() if ": error:" in line]


failures = complaints("-p", "apsis") + complaints(folder / "good.py")
bad = folder / "bad.py"
wanted = {number for number, line in enumerate(bad.read_text(encoding="utf-8").splitlines(), 1) if line.endswith("# mistake")}
messages = complaints(bad)
lines = {int(number) for number in re.findall(r"bad\.py:(\d+): error", "\n".join(messages))}
if not wanted or lines != wanted:
    failures.append(f"mistakes in lines {sorted(wanted)} of bad.py; mypy: {messages}")
for failure in failures:
    print(f"FAILED: {failure}")
sys.exit(1 if failures else 0)
