# SPDX-License-Identifier: Apache-2.0
"""Checks of decks by the executable, and files of decks for it."""
from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .decks import Deck
from .errors import INPUT, Problem
from .executable import call, find_executable
from .messages import python_voice, raise_errors, read_messages

MEBI = 1 << 20
SIZES = {"B": 1, "KiB": 1 << 10, "MiB": MEBI, "GiB": 1 << 30, "TiB": 1 << 40}
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "days": 86400.0}
NUMBER = r"([\d.e+-]+)"


@dataclass(frozen=True)
class Checked:
    """What `apsis check` says of a good deck.

    bodies: number; steps: number of steps; memory: of the run [bytes]; seconds: estimated wall time of the run [s], None if it
    was not estimated; remarks: notes on the deck; text: all of it, as the executable prints it.
    """

    bodies: int | None
    steps: int | None
    memory: int | None
    seconds: float | None
    remarks: list[str] = field(default_factory=list)
    text: str = ""

    def __str__(self) -> str:
        return self.text


@contextlib.contextmanager
def deck_file(deck: Deck) -> Iterator[Path]:
    """Yields the path of a temporary file with the deck, in which files of bodies have absolute paths."""
    with tempfile.TemporaryDirectory(prefix="apsis-") as folder:
        path = Path(folder) / "deck.json"
        path.write_text(deck.with_full_paths().json(), encoding="utf-8")
        yield path


def ask(deck: Deck):
    """Returns the process of `check` of a deck, and the replaced name of its file."""
    with deck_file(deck) as path:
        return call([find_executable(), "check", path]), (str(path), deck.source)


def problems_of(deck: Deck) -> list[Problem]:
    """Returns every problem of a deck; an empty list if it is good."""
    done, replaced = ask(deck)
    if done.returncode not in (0, INPUT):
        raise_errors(done.returncode, done.stderr, replaced)
    return read_messages(done.stderr, replaced)["error"]


def check(deck: Deck) -> Checked:
    """Returns what `apsis check` says of a deck; raises `BadInput` with every problem."""
    done, replaced = ask(deck)
    if done.returncode:
        raise_errors(done.returncode, done.stderr, replaced)
    return read_checked(done.stdout.replace(*replaced))


def read_checked(text: str) -> Checked:
    """Returns the facts of what `apsis check` prints."""
    def found(pattern):
        return re.search(pattern, text, re.M)

    bodies, steps = found(r"^(\d+) bod(?:y|ies)"), found(r", (\d+) steps?\b")
    memory, time = found(rf"{NUMBER} (B|KiB|MiB|GiB|TiB) of memory"), found(rf"^takes .*?, (?:at least )?{NUMBER} (\w+) in all")
    remarks = [python_voice(line.partition(": ")[2]) for line in text.splitlines() if line.startswith(("note: ", "warning: "))]
    return Checked(int(bodies[1]) if bodies else None, int(steps[1]) if steps else None,
                   int(float(memory[1]) * SIZES[memory[2]]) if memory else None,
                   float(time[1]) * SECONDS.get(time[2], 1.0) if time else None, remarks, python_voice(text))
