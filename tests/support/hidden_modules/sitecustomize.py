# SPDX-License-Identifier: Apache-2.0
"""Hides installed modules from every Python of a test: APSIS_HIDDEN_MODULES="h5py yt" makes the machine look like one
without these packages. Python imports this file by itself if its folder is in PYTHONPATH."""
import os
import sys

HIDDEN = frozenset(os.environ.get("APSIS_HIDDEN_MODULES", "").split())


class HidingFinder:
    """A finder that does not see the hidden modules."""

    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            return None
        return self.finder.find_spec(name, path, target)


sys.meta_path[:] = [HidingFinder(finder) for finder in sys.meta_path]
