# SPDX-License-Identifier: Apache-2.0
"""Reads what Apsis writes, and draws it.

    from apsis_analysis import load_run, load_snapshot, load_table

`load_table` gives the columns of a table and `load_snapshot` the bodies of a snapshot, as numpy arrays with units;
`load_run` a run's directory with both. What cannot be read is a `Problem`, one line with an exit status.
"""
from .problem import Problem

__all__ = ["Problem", "load_run", "load_snapshot", "load_table", "open_snapshot"]


def __getattr__(name):
    if name in __all__:  # numpy is imported when it is needed, so that --help does without
        from . import loading, snapshots
        return getattr(loading if hasattr(loading, name) else snapshots, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
