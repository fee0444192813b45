# SPDX-License-Identifier: Apache-2.0
"""Reads and draws output files of Apsis.

    from apsis_analysis import load_run, load_snapshot, load_table

`load_table` returns the columns of a table and `load_snapshot` the bodies of a snapshot, as numpy arrays with units;
`load_run` returns a run directory with both. Errors are raised as `Problem`, one line with an exit status.
"""
from .problem import Problem

__all__ = ["Problem", "load_run", "load_snapshot", "load_table", "open_snapshot"]


def __getattr__(name):
    if name in __all__:  # numpy is imported when needed, so that --help works without it
        from . import loading, snapshots
        return getattr(loading if hasattr(loading, name) else snapshots, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
