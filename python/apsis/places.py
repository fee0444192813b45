# SPDX-License-Identifier: Apache-2.0
"""Places of the package in a checkout, which has three; an installation has one. Imports no library."""
import os
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parents[1]  # of the sources, if the package is not installed
REGISTRY = "apsis/registry.py"  # in the folder python/ of a build tree, beside the other generated module


def other_folders() -> list[str]:
    """Returns the folders with the other parts of the package: the top folder of the checkout, for `apsis.analysis`, and that of the
    modules that a build has generated: on the path of Python (apsis-python), beside APSIS_EXECUTABLE, or in the newest build tree."""
    if not (CHECKOUT / "analysis/__init__.py").is_file():
        return []
    registries = sorted(CHECKOUT.glob(f"build/*/python/{REGISTRY}"), key=lambda path: path.stat().st_mtime)
    if executable := os.environ.get("APSIS_EXECUTABLE"):
        registries.append(Path(executable).resolve().parent / "python" / REGISTRY)
    registries += [Path(entry) / REGISTRY for entry in reversed(sys.path)]
    generated = [str(path.parent) for path in registries if path.is_file() and not (path.parent / "__init__.py").exists()]
    return [str(CHECKOUT), *generated[-1:]]
