# SPDX-License-Identifier: Apache-2.0
"""Types of the entries that the functions of `apsis.registry` return: dictionaries, as they stand in a deck."""
from __future__ import annotations

from typing import Any

from .decks import plain


class Entry(dict):
    """An entry of a table with its parameters, as it stands in a deck. Parameters that are not given have their defaults.
    `from_` is the key `from`, which is a word of Python."""

    selector = "name"

    def __init__(self, _entry: str | None = None, **parameters: Any):
        given = {name.removesuffix("_"): plain(value) for name, value in parameters.items() if value is not None}
        super().__init__({**({self.selector: _entry} if _entry else {}), **given})


class Model(Entry):
    """Initial bodies of a generator: the section `bodies` of a deck, or the bodies of a part."""

    selector = "generator"


class Integrator(Entry):
    """The section `integrator` of a deck."""


class Force(Entry):
    """An entry of the list `forces` of a deck."""


class Part(Entry):
    """A part of a `composite`: bodies with their place."""
