# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of the Python module. Import prepares the working directory."""
import os
import shutil
import sys
from pathlib import Path

try:
    import h5py  # noqa: F401
    HAS_H5PY = True
except ImportError:
    HAS_H5PY = False

source, executable, work = (Path(word).resolve() for word in sys.argv[1:])
shutil.rmtree(work, ignore_errors=True)
(work / "temporary").mkdir(parents=True)
os.environ.update(APSIS_EXECUTABLE=str(executable), TMPDIR=str(work / "temporary"), OMP_PROC_BIND="false")
sys.path.insert(0, str(source / "python"))
os.chdir(work)

import apsis  # noqa: E402

failures = []
seen_errors = []  # texts of all errors that the tests raise


def check(true, what):
    if not true:
        failures.append(what)


def raises(kind, what, function, *words, **options):
    """Returns the exception of this class that a call raises."""
    try:
        function(*words, **options)
    except kind as error:
        check(type(error) is kind, f"{what}: raises {type(error).__name__}")
        seen_errors.append(str(error))
        return error
    except Exception as error:
        failures.append(f"{what}: raises {type(error).__name__}: {error}")
    else:
        failures.append(f"{what}: raises nothing")
    return kind("no error")


def make_deck(**sections):
    """Returns a deck of few bodies and steps."""
    return apsis.Deck({"bodies": apsis.plummer(20, seed=1), "gravity": {"softening": 0.1}, "integrator": apsis.leapfrog_kdk(1 / 64),
                       "run": {"end_time": 0.5}, **sections})
