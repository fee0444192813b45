# SPDX-License-Identifier: Apache-2.0
"""BibTeX of the works that a deck or a run uses."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..checks import deck_file
from ..decks import Deck
from ..executable import obey
from .loading import Run
from .outcomes import Outcome


def cite(source: Deck | Mapping[str, Any] | Run | Outcome | str | os.PathLike | None = None, *,
         executable: str | os.PathLike | None = None) -> str:
    """Returns the BibTeX entries of the works that a deck or a run uses: Apsis, Kokkos, integrator, solver, softening, models,
    forces and tables. A comment before each names what it is cited for.

    source: a `Deck` or sections, a `Run`, an `Outcome`, or the path of a deck or of a run's directory; None: the works of all
    entries. Raises `BadInput` with every problem of the deck, and `FileError`.
    """
    if source is None:
        return obey("cite", executable=executable)
    if isinstance(source, Outcome):
        source = source.run
    if isinstance(source, Run):
        source = source.path
    if isinstance(source, (str, os.PathLike)):
        return obey("cite", source, executable=executable)
    deck = Deck(source)
    with deck_file(deck.with_full_paths().json()) as path:
        return obey("cite", path, executable=executable, replaced=(str(path), deck.source))
