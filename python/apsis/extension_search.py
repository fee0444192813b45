# SPDX-License-Identifier: Apache-2.0
"""Says what to do where the extension `_apsis` is not on the path of Python, or cannot be loaded. Imports no library."""
from __future__ import annotations

import importlib
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from .places import CHECKOUT

WITHOUT = "or use apsis.run(deck), which needs no extension"


def prepare_extension(name: str) -> None:
    """Raises AttributeError for a name of this package that needs the extension, if this Python does not have it."""
    try:
        importlib.import_module("_apsis")
        return
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name != "_apsis":
            raise
        why = None if isinstance(error, ModuleNotFoundError) else str(error)
    built = max(CHECKOUT.glob("build/*/python/_apsis.*.so"), key=lambda path: path.stat().st_mtime, default=None)
    raise AttributeError(f"apsis.{name} is not here: {advice(why, built)}, {WITHOUT}")


def advice(why: str | None, built: Path | None) -> str:
    """Returns the cause and what to do. why: the extension cannot be loaded, None: it is not on the path; built: the newest extension of
    the build trees beside the sources."""
    if why is None and built is None:
        return ("simulations within Python need the extension _apsis, and this installation has the package alone; build Apsis with "
                "APSIS_ENABLE_PYTHON (cmake --workflow --preset python)")
    start = "apsis-python of the build tree" if built is None else str(built.parents[1] / "apsis-python")
    if why is not None:
        cause = "it needs a newer C library than this Python has" if "GLIBC" in why else "see the error"
        text = f"the extension _apsis cannot be loaded ({why}): {cause}"
    elif built is not None and not built.name.endswith(EXTENSION_SUFFIXES[0]):
        text = f"{built} was built for another Python than this one, {sys.version.split()[0]}"
    else:
        text = f"{built} is not on the path of this Python"
    text += f"; start Python by {start}"
    if "ipykernel" in sys.modules:
        text += f" (for notebooks run '{start} -m ipykernel install --user --name apsis' once, then choose the kernel apsis)"
    return text
