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

import importlib as _importlib
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING

from .places import other_folders as _other_folders

if TYPE_CHECKING:
    from typing import Any

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
    from .simulations.device_array import DeviceArray
    from .simulations.live import LiveView
    from .simulations.simulation import Measurement, Megno, Orbits, Pair, Picture, Simulation, Stop
    from .snapshots import Snapshot, load_snapshot, open_snapshot
    from .units import Units

__version__ = "0.1.0"
__path__ += _other_folders()

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
_registry = _importlib.import_module(f"{__name__}.registry") if _find_spec(f"{__name__}.registry") else None
_ENTRIES = {name: getattr(_registry, name) for name in getattr(_registry, "__all__", ())}
# Names of the extension, which runs simulations within this process, by module.
_EXTENSION_PLACES = {"simulations.device_array": ("DeviceArray",), "simulations.live": ("LiveView",),
                     "simulations.simulation": ("Measurement", "Megno", "Orbits", "Pair", "Picture", "Simulation", "Stop")}
_EXTENSION_NAMES = {name: module for module, names in _EXTENSION_PLACES.items() for name in names}

globals().update(_ENTRIES)
_MODULES = {name: module for module, names in _PLACES.items() for name in names}


def _star() -> list[str]:
    """Returns the names of `from apsis import *`: without those that other modules have, and with those of the extension if it is here."""
    names = {*_MODULES, *_ENTRIES} - {"random", "shell"}
    try:
        __getattr__("Simulation")
    except AttributeError:
        return sorted(names)
    return sorted({*names, *_EXTENSION_NAMES})


def __getattr__(name: str) -> Any:
    if name == "__all__":
        value: Any = _star()
    elif name in _MODULES:
        value = getattr(_importlib.import_module(f".{_MODULES[name]}", __name__), name)
    elif name in _EXTENSION_NAMES:
        from .extension_search import prepare_extension
        prepare_extension(name)
        value = getattr(_importlib.import_module(f".{_EXTENSION_NAMES[name]}", __name__), name)
    elif name == "mpi":
        value = _importlib.import_module(".mpi", __name__)
    elif _ENTRIES or name.startswith("_") or _find_spec(f"{__name__}.{name}"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        from .errors import Problem, UsageError
        raise UsageError(Problem(f"apsis.{name}", "is not here", "a build of the executable writes the functions of models, integrators and "
                                 "forces, and this checkout has none", "run cmake --workflow --preset demo"))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*_MODULES, *_ENTRIES, *_EXTENSION_NAMES, "mpi", "__all__", "__doc__", "__file__", "__name__", "__path__",
                   "__version__"})
