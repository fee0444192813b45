# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of apsis-analysis. Import prepares the working directory."""
import io
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace

from PIL import Image

analysis, executable, work = (Path(word).resolve() for word in sys.argv[1:])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
os.environ["MPLCONFIGDIR"] = str(work)
os.environ["OMP_PROC_BIND"] = "false"
sys.path.insert(0, str(analysis.parent / "python"))
from apsis import load_run  # noqa: E402
from apsis.analysis import command_line  # noqa: E402

os.chdir(work)

failures = []


def check(true, what):
    if not true:
        failures.append(what)


def near(value, expected, part=1e-12):
    return abs(value - expected) <= part * abs(expected)


def process(*words, **environment):
    return subprocess.run([sys.executable, analysis / "apsis-analysis", *map(str, words)], cwd=work, capture_output=True,
                          text=True, env={**os.environ, **environment})


def process_without(hidden, *words):
    """Runs the tool as on a machine without these modules."""
    return process(*words, APSIS_HIDDEN_MODULES=hidden, PYTHONPATH=str(Path(__file__).parents[1] / "support/hidden_modules"))


def tool(*words):
    """Runs the tool like a process, but in this one, without the second that each process takes to load libraries."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            status = command_line.main(list(map(str, words)))
        except SystemExit as end:  # argparse after --help
            status = end.code
    return SimpleNamespace(returncode=status, stdout=out.getvalue(), stderr=err.getvalue())


def drawn(*words):
    """Returns the lines that a command prints, with all digits; the last one is the name of the picture."""
    result = tool(*words, "--all-digits")
    check(result.returncode == 0 and not result.stderr, f"{words} ends with {result.returncode}: {result.stderr}")
    lines = result.stdout.splitlines() or [""]
    path = work / lines[-1]
    if path.suffix == ".png" and path.is_file():
        check(min(Image.open(path).size) > 300, f"{words} draws a picture of {Image.open(path).size}")
    check(path.is_file() and path.stat().st_size > 1000, f"{words} draws nothing")
    return lines


def number(lines, words, which=0):
    """Returns a number of the first line that begins with these words."""
    for line in lines:
        if line.strip().startswith(words):
            return float(re.findall(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?", line[line.index(words) + len(words):])[which])
    failures.append(f"no line begins with {words}: {lines}")
    return float("nan")


def make_run(name, **deck):
    (work / f"{name}.json").write_text(json.dumps(deck))
    result = subprocess.run([executable, "run", f"{name}.json", "--quiet", "--output", name], cwd=work, capture_output=True,
                            text=True)
    check(result.returncode in (0, 1), f"{name} ends with {result.returncode}: {result.stderr}")
    return load_run(work / name)
