#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the optional packages of the tests and of the module apsis: each one missing alone, and each one present alone.

    test_packages.py SOURCE WORK LIST

LIST has a line for each test: name, needed packages, used packages, script. A script and the files beside it import no
package that the line does not name. In each of these environments exactly the tests that need what is missing are skipped,
with its name and its Debian package; the module is imported, and its tools say in one line what is missing.
"""
import ast
import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from packages import OPTIONAL, hiding, lacking, names_of, with_imports  # noqa: E402

source, work, listed = (Path(word).resolve() for word in sys.argv[1:])
failures = []


def imports_of(script, known):
    """Returns the optional packages that a script, and what it imports from its folder, import."""
    known.add(script)
    imports = set()
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        names = ([each.name for each in node.names] if isinstance(node, ast.Import) else
                 [node.module] if isinstance(node, ast.ImportFrom) and node.module else
                 [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier() else [])
        for name in names:
            beside = script.parent / f"{name.partition('.')[0]}.py"
            if isinstance(node, ast.Constant) and name in OPTIONAL:
                continue  # a name in a list is no import
            if name.partition(".")[0] in OPTIONAL:
                imports.add(name.partition(".")[0])
            elif beside.is_file() and beside not in known:
                imports |= imports_of(beside, known)
    return imports


tests = []
for line in listed.read_text(encoding="utf-8").splitlines():
    name, needed, used, script = line.split(";")
    tests.append((name, names_of(needed)))
    surplus = imports_of(Path(script), set()) - with_imports([*names_of(needed), *names_of(used)])
    if surplus:
        failures.append(f"{name} imports {', '.join(sorted(surplus))}, which its line in tests/CMakeLists.txt does not name")
if not any(needed for _, needed in tests):
    failures.append("no test needs a package")
# mypy looks for packages itself, among those that are installed.
ignored = (source / "tests/python/typed/mypy.ini").read_text(encoding="utf-8")
failures += [f"mypy.ini does not let {name} be missing" for name in set(OPTIONAL) - set(dict(tests)["python_types"])
             if f"{name}.*" not in ignored]

# In a process with some packages hidden: which tests are skipped, and what the module and its tools say.
PROBE = """
import contextlib, io, sys
from packages import lacking, names_of
for words in sys.argv[1:]:
    print(lacking(names_of(words)))
import apsis
apsis.plummer(10), apsis.find_executable, apsis.Deck
from apsis.analysis import command_line
with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.suppress(SystemExit):
    command_line.main(["radii", "nowhere"])
print("analysis:", errors.getvalue().strip().replace(chr(10), " / "))
"""
installed = {name for name in OPTIONAL if not lacking([name])}
cases = [set(OPTIONAL)] + [{name} for name in OPTIONAL] + [set(OPTIONAL) - with_imports([name]) for name in OPTIONAL]
for hidden in cases:
    # A package whose own imports are hidden cannot be imported either.
    gone = {name for name in OPTIONAL if name not in installed or with_imports([name]) & hidden}
    environment = hiding(gone)
    environment["PYTHONPATH"] += f"{os.pathsep}{source / 'python'}{os.pathsep}{Path(__file__).resolve().parent}"
    process = subprocess.run([sys.executable, "-c", PROBE, *(",".join(needed) for _, needed in tests)], capture_output=True,
                          text=True, cwd=work, env={**environment, "PYTHONDONTWRITEBYTECODE": "1"})
    where = f"without {', '.join(sorted(gone))}"
    if process.returncode:
        failures.append(f"{where}: the module is not imported: {process.stderr[-500:]}")
        continue
    *decisions, line = process.stdout.splitlines()
    for (name, needed), said in zip(tests, decisions):
        missing = [each for each in needed if each in gone]
        expected = f"skipped: no {', '.join(missing)}; sudo apt-get install {' '.join(OPTIONAL[each][0] for each in missing)}"
        if said != (expected if missing else ""):
            failures.append(f"{where}: {name} says '{said}', not '{expected if missing else 'nothing'}'")
    is_missing = "a library is missing" in line
    if is_missing != bool(gone & {"numpy", "matplotlib"}) or (is_missing and "; install python3-" not in line):
        failures.append(f"{where}: {line}")

print(f"{len(tests)} tests with {len(cases)} sets of packages")
for failure in failures:
    print(f"FAILED: {failure}")
sys.exit(1 if failures else 0)
