# SPDX-License-Identifier: Apache-2.0
"""Places of the package in a checkout, which has three; an installation has one. Imports no library."""
import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parents[1]  # of the sources, if the package is not installed
REGISTRY = "python/apsis/registry.py"  # in a build tree, beside the other generated module


def other_folders() -> list[str]:
    """Returns the folders with the other parts of the package: the top folder of the checkout, for `apsis.analysis`, and the generated
    modules of the build tree of APSIS_EXECUTABLE, or else of the newest one."""
    if not (CHECKOUT / "analysis/__init__.py").is_file():
        return []
    registries = sorted(CHECKOUT.glob(f"build/*/{REGISTRY}"), key=lambda path: path.stat().st_mtime)
    if executable := os.environ.get("APSIS_EXECUTABLE"):
        registries.append(Path(executable).resolve().parent / REGISTRY)
    return [str(CHECKOUT), *[str(path.parent) for path in registries if path.is_file()][-1:]]
