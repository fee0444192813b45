# SPDX-License-Identifier: Apache-2.0
"""Apsis, a simulator of gravitating bodies, in Python.

    import apsis

    deck = apsis.Deck(bodies=apsis.plummer(1000, seed=1), gravity={"softening": 0.05},
                      integrator=apsis.leapfrog_kdk(1/64), run={"end_time": 1})
    outcome = apsis.run(deck, "cluster")
    print(outcome)
    log = outcome.run.conservation
    print(log["time"][-1], log["relative_energy_error"].max())

Runs are made by the executable of Apsis, in a process of its own. It is that of `apsis.use(path)`, of the variable
APSIS_EXECUTABLE, of the path (apsis, apsis.openmp, apsis.cuda, apsis.hip, apsis.serial), or the newest build beside the sources.
The guide is docs/python/README.md.
"""
from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .places import other_folders

if TYPE_CHECKING:
    from .bodies import SPECIES, Bodies
    from .checks import Checked
    from .decks import Deck, vary
    from .errors import (ApsisWarning, BadInput, Collision, Error, FileError, InternalError, NotConserved, NotFinite, Problem,
                         Stopped, UsageError)
    from .executable import find_executable, info, list_entries, schema, use
    from .registry import *
    from .registry_types import Force, Integrator, Model, Part
    from .runs.citing import cite
    from .runs.ensembles import ensemble
    from .runs.loading import Run, Table, load_run, load_table
    from .runs.observers import CHECKPOINT, STOP, Observer, every
    from .runs.outcomes import Outcome
    from .runs.running import Progress, run
    from .simulations.simulation import Measurement, Orbits, Pair, Picture, Simulation
    from .snapshots import Snapshot, load_snapshot, open_snapshot
    from .units import Units

__path__ += other_folders()

# Names by module. They are imported when they are used: `apsis-analysis --help` needs no numpy.
_PLACES = {
    "bodies": ("Bodies", "SPECIES"),
    "checks": ("Checked",),
    "decks": ("Deck", "vary"),
    "errors": ("ApsisWarning", "BadInput", "Collision", "Error", "FileError", "InternalError", "NotConserved", "NotFinite", "Problem",
               "Stopped", "UsageError"),
    "executable": ("find_executable", "info", "list_entries", "schema", "use"),
    "registry_types": ("Force", "Integrator", "Model", "Part"),
    "runs.citing": ("cite",),
    "runs.ensembles": ("ensemble",),
    "runs.loading": ("Run", "Table", "load_run", "load_table"),
    "runs.observers": ("CHECKPOINT", "Observer", "STOP", "every"),
    "runs.outcomes": ("Outcome",),
    "runs.running": ("Progress", "run"),
    "snapshots": ("Snapshot", "load_snapshot", "open_snapshot"),
    "units": ("Units",),
}
# Functions of models, integrators and forces, which a build generates.
_registry = importlib.import_module(f"{__name__}.registry") if find_spec(f"{__name__}.registry") else None
_ENTRIES = {name: getattr(_registry, name) for name in getattr(_registry, "__all__", ())}
# Names of the extension, which runs simulations within this process.
_EXTENSION_NAMES = ("LiveView", "Measurement", "Orbits", "Pair", "Picture", "Simulation")

globals().update(_ENTRIES)
_MODULES = {name: module for module, names in _PLACES.items() for name in names}
__all__ = sorted([*_MODULES, *_ENTRIES])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value = getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
    elif name in _EXTENSION_NAMES:
        value = _from_extension(name)
    elif _ENTRIES or name.startswith("_") or find_spec(f"{__name__}.{name}"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        from .errors import Problem, UsageError
        raise UsageError(Problem(f"apsis.{name}", "is not here", "a build of the executable writes the functions of models, integrators and "
                                 "forces, and this checkout has none", "run cmake --workflow --preset demo"))
    globals()[name] = value
    return value


def _from_extension(name: str) -> Any:
    try:
        extension = importlib.import_module(".simulations.simulation", __name__)
    except ModuleNotFoundError as error:
        if error.name != "_apsis":
            raise
        raise AttributeError(f"apsis.{name} is not here: simulations within Python need the extension _apsis, and this installation "
                             "has the package alone; build Apsis with APSIS_ENABLE_PYTHON, or use apsis.run(deck)") from None
    return getattr(extension, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
