# SPDX-License-Identifier: Apache-2.0
"""Checks of decks by the executable, and files of decks for it."""
from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .decks import Deck
from .errors import INPUT, Problem
from .executable import ERRORS, call, find_executable, read_data
from .messages import python_voice, raise_errors, read_messages


@dataclass(frozen=True)
class Checked:
    """What `apsis check` says of a good deck.

    bodies: number; steps: number of steps; memory: of the run [bytes]; seconds: estimated wall time of the run [s], None if it
    was not estimated; remarks: notes on the deck; text: all of it, as the executable prints it; facts: all members of
    `apsis check --json` by name, such as "scales", "units" and "resolved".
    """

    bodies: int
    steps: int
    memory: int
    seconds: float | None
    remarks: list[str]
    text: str
    facts: dict[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return self.text


@contextlib.contextmanager
def deck_file(deck: Deck) -> Iterator[Path]:
    """Yields the path of a temporary file with the deck, in which files of bodies have absolute paths."""
    with tempfile.TemporaryDirectory(prefix="apsis-") as folder:
        path = Path(folder) / "deck.json"
        path.write_text(deck.with_full_paths().json(), encoding="utf-8")
        yield path


def ask(deck: Deck) -> tuple[subprocess.CompletedProcess[str], tuple[str, str]]:
    """Returns the process of `check` of a deck, and the replaced name of its file."""
    with deck_file(deck) as path:
        return call([find_executable(), "check", *ERRORS, path, "--json"]), (str(path), deck.source)


def problems_of(deck: Deck) -> list[Problem]:
    """Returns every problem of a deck; an empty list if it is good."""
    done, replaced = ask(deck)
    if done.returncode not in (0, INPUT):
        raise_errors(done.returncode, done.stderr, replaced)
    return read_messages(done.stderr, replaced)["error"]


def check(deck: Deck) -> Checked:
    """Returns what `apsis check` says of a deck; raises `BadInput` with every problem."""
    done, (path, name) = ask(deck)
    if done.returncode:
        raise_errors(done.returncode, done.stderr, (path, name))
    facts = read_data(done.stdout, str(done.args[0]))
    return Checked(facts["bodies"], facts["steps"], round(facts["memory"]), facts["seconds"], list(map(python_voice, facts["remarks"])),
                   python_voice(facts["text"].replace(path, name)), {**facts, "source": name})
