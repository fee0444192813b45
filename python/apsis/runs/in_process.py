# SPDX-License-Identifier: Apache-2.0
"""Runs of decks in this process, by the extension: with observers."""
from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Iterable

from ..decks import Deck
from ..errors import INTERNAL, ApsisWarning, Problem
from ..files import TemporaryDirectory
from ..messages import python_voice, remark_in
from ..simulations.extension import _apsis, problems_of
from .observers import Observer
from .outcomes import Outcome


def run_in_process(deck: Deck | str | os.PathLike, directory: str | os.PathLike, *, existing: str, allow_deck_change: bool,
             overrides: list[str], threads: int | None, observers: Iterable[Observer],
             temporary: TemporaryDirectory | None = None) -> Outcome:
    """Runs a deck, or the deck of a path, with observers; see `apsis.run`. existing: "", "replace", "resume" or
    "resume_if_possible"."""
    text, source = (deck.with_full_paths().json(), deck.source) if isinstance(deck, Deck) else ("", os.fspath(deck))
    end = _apsis.run(text, source, overrides, os.fspath(directory), existing, allow_deck_change, threads,
                      [(observer.interval, observer.function) for observer in observers], _warn)
    outcome = Outcome(Path(end["directory"]), end["exit_status"], problems_of(end["problems"]), python_voice(end["text"]),
                      temporary)
    if outcome.exit_status == INTERNAL:
        error = outcome.error()
        assert error is not None
        raise error
    return outcome


def _warn(*parts: str) -> None:
    problem = Problem(*parts)
    warnings.warn(python_voice(remark_in(problem) or problem.text()), ApsisWarning, stacklevel=4)
