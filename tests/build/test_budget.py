#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tools/budget.py on a build tree of two objects: sizes by room, limits that are kept and broken, and no limits.

    test_budget.py SOURCE WORK
"""
import contextlib
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
source, work = (Path(word).resolve() for word in sys.argv[1:])
sys.path.insert(0, str(source / "tools"))
import budget  # noqa: E402

if not shutil.which("g++"):
    print("skipped: no g++; sudo apt-get install g++")
    sys.exit(77)
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
for name, code in {"a": "namespace apsis::forces { int f(int x) { return x * x + 7; } }", "b": "int main() { return 0; }",
                   "unused": "int unused() { return 0; }"}.items():
    (work / f"{name}.cpp").write_text(code)
    subprocess.run(["g++", "-O1", "-c", f"{name}.cpp", "-o", f"{name}.o"], cwd=work, check=True)
(work / "build.ninja").write_text("build libapsis.a: ar a.o || order\nbuild apsis.openmp: link b.o | libapsis.a || unused.o\n"
                                  "build a.o: cc a.cpp\nbuild b.o: cc b.cpp\nbuild unused.o: cc unused.cpp\n")
(work / ".ninja_log").write_text("# ninja log v5\n0\t1500\t0\ta.o\t0\n0\t200\t0\tb.o\t0\n1500\t4500\t0\ta.o\t0\n")
(work / "CMakeCache.txt").write_text("APSIS_BACKEND:STRING=openmp\n")
budget.LIMITS = work / "budget.txt"
budget.instructions_of = lambda build, cache: ("test", "")
failures = []


def check(status, pattern, *options):
    sys.argv = ["budget.py", str(work), *options]
    with contextlib.redirect_stdout(io.StringIO()) as told:
        ended = budget.main()
    if ended != status or not re.search(pattern, told.getvalue(), re.S):
        failures.append(f"status {ended}, not {status} and '{pattern}':\n{told.getvalue()}")


check(77, r"2 objects.*: no limits.*\d forces\n.*3.0 a.o\n +0.2 b.o")
check(0, r"forces \(at most", "--write")
check(0, r"forces \(at most")
written = budget.LIMITS.read_text()
forces = int(re.search(r"test forces (\d+)", written)[1])
budget.LIMITS.write_text(written.replace(f"test forces {forces}", "test forces 3"))
check(1, rf"FAILED: forces has \d+ bytes of code, \d+ above its limit 3; .*--write")
budget.LIMITS.write_text(re.sub(r"test all \d+", "test all 1", written))
check(1, "FAILED: all has")
budget.LIMITS.write_text(written.replace("test ", "other "))
check(77, "no limits")
for failure in failures:
    print(f"FAILED: {failure}")
sys.exit(1 if failures else 0)
