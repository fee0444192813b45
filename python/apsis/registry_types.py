# SPDX-License-Identifier: Apache-2.0
"""Types of the entries that the functions of `apsis.registry` return: dictionaries, as they stand in a deck."""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .checks import deck_file
from .executable import default_threads, obey, thread_options
from .values import plain, with_full_paths

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Union

    from numpy.typing import NDArray

    from .bodies import Bodies

    Numbers = Union[Sequence[float], NDArray[Any]]  # lists of numbers in a deck


class Entry(dict):
    """An entry of a table with its parameters, as it stands in a deck. Parameters that are not given have their defaults.
    `from_` is the key `from`, which is a word of Python."""

    selector = "name"

    def __init__(self, _entry: str | None = None, **parameters: Any):
        keys = {name.removesuffix("_"): plain(value) for name, value in parameters.items() if value is not None}
        super().__init__({**({self.selector: _entry} if _entry else {}), **keys})


class Model(Entry):
    """Initial bodies of a generator: the section `bodies` of a deck, or the bodies of a part."""

    selector = "generator"

    def make(self, *, units: str = "henon", softening: float = 0.0) -> Bodies:
        """Returns the bodies of the model, made by the executable.

        units: system of units by name; softening: of the energies to which `henon_units` and `virial_ratio` scale [length]. The
        executable measures the energy of the bodies once.
        """
        from .bodies import Bodies
        deck = {"units": {"system": units}, "bodies": self, "gravity": {"solver": "auto", "softening": softening},
                "integrator": {"name": "leapfrog_kdk", "time_step": 1.0}, "run": {"steps": 0}}
        with deck_file(json.dumps(with_full_paths(plain(deck)))) as path:
            obey("run", path, "--output", path.parent / "run", *thread_options(default_threads()), replaced=(str(path), "deck"),
                 remarks=False)  # on a run that ends at once
            return Bodies.load(path.parent / "run/snapshot_000000.h5")


class Integrator(Entry):
    """The section `integrator` of a deck."""


class Force(Entry):
    """An entry of the list `forces` of a deck."""


class Part(Entry):
    """A part of a `composite`: bodies with their place."""
