#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel of a build tree, installs it into an empty environment, uses it there and removes it.

    test_wheel.py SOURCE BUILD EXECUTABLE WORK

Where the libraries are those of the build tree the wheel has no executable: EXECUTABLE then stands for an installed one.
"""
import base64
import csv
import hashlib
import io
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path


def run(*words, status=0, **environment):
    """Runs a command with only these variables and returns its output."""
    process = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd="/", timeout=300,
                             env={"HOME": "/nonexistent", "OMP_PROC_BIND": "false", **environment})
    text = process.stdout + process.stderr
    assert process.returncode == status, f"{words} ended with status {process.returncode}, not {status}:\n{text}"
    return text.strip()


def check_record(wheel):
    """Compares the list of files in a wheel with its files."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        record = next(name for name in names if name.endswith("/RECORD"))
        rows = {name: digest for name, digest, _ in csv.reader(io.StringIO(archive.read(record).decode()))}
        assert set(rows) == set(names), f"RECORD has other files: {set(rows) ^ set(names)}"
        for name in names:
            digest = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest()).rstrip(b"=").decode()
            assert name == record or rows[name] == f"sha256={digest}", f"RECORD has another digest of {name}"
    return names


def main():
    source, build, executable, work = map(Path, sys.argv[1:])
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode:
        print("skipped: no pip; sudo apt-get install python3-pip")
        return 77
    shutil.rmtree(work, ignore_errors=True)
    text = run(sys.executable, source / "python/make_wheel.py", build, work, PATH=os.environ["PATH"])
    wheel = Path(text.splitlines()[0])
    names = check_record(wheel)
    assert ("are left out" in text) == wheel.name.endswith("-py3-none-any.whl"), text
    # Empty but for numpy, which is the system's.
    venv.create(work / "venv", system_site_packages=True, symlinks=True)
    folder = work / "venv/bin"
    before = set((work / "venv").rglob("*"))
    pip = sys.executable, "-m", "pip", "--python", folder / "python"
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", "--no-compile", wheel)
    path = {"PATH": f"{folder}:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    place = run(folder / "python", "-c", "import apsis; print(apsis.__file__)", **path)
    assert place.startswith(str(work / "venv")), f"the module is that of {place}"
    if any(name.startswith("apsis/bin/") for name in names):
        chosen = {}
    else:
        # The command of the wheel does not start itself.
        text = run(folder / "apsis", "--version", status=64, **path)
        assert "executable: there is none" in text and text.count("\n") == 0, text
        assert "none in this package); install one" in text and "/build" not in text, text
        chosen = {"APSIS_EXECUTABLE": str(executable)}
    version = run(folder / "apsis", "--version", **path, **chosen)
    assert version == run(executable, "--version"), version
    text = run(folder / "apsis", "list", "nothing", status=64, **path, **chosen)
    assert f"see '{folder}/apsis list'" in text, f"the command calls itself otherwise: {text}"
    # (The environment sees numpy of the base Python, which this one may not have, or the other way round.)
    has_numpy = run(folder / "python", "-c", "import importlib.util; print(importlib.util.find_spec('numpy') is not None)", **path) == "True"
    if any(name.startswith("_apsis.") for name in names) and has_numpy:
        print(run(folder / "python", "-c", "import apsis; s = apsis.Simulation(apsis.plummer(100, seed=1), softening=0.01, "
                  "time_step=1/64); s.advance(3); print(s.time)", **path))
    run(*pip, "uninstall", "--quiet", "--yes", "apsis")
    rest = set((work / "venv").rglob("*")) - before
    assert not rest, f"left behind: {sorted(map(str, rest))}"
    shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
