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

from .errors import INPUT, Problem
from .executable import ERRORS, call, find_executable, read_data
from .messages import python_voice, raise_errors, read_messages


@dataclass(frozen=True)
class Checked:
    """Report of `apsis check` on a good deck.

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
def deck_file(deck: str) -> Iterator[Path]:
    """Yields the path of a temporary file with the text of a deck, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="apsis-") as folder:
        path = Path(folder) / "deck.json"
        path.write_text(deck, encoding="utf-8")
        yield path


def ask(deck: str, source: str) -> tuple[subprocess.CompletedProcess[str], tuple[str, str]]:
    """Returns the process of `check` of the text of a deck, and the name of its file with the one that replaces it in messages."""
    with deck_file(deck) as path:
        return call([find_executable(), "check", *ERRORS, path, "--json"]), (str(path), source)


def problems_of(deck: str, source: str) -> list[Problem]:
    """Returns every problem of the text of a deck; an empty list if it is good."""
    process, replaced = ask(deck, source)
    if process.returncode not in (0, INPUT):
        raise_errors(process.returncode, process.stderr, replaced)
    return read_messages(process.stderr, replaced)["error"]


def check(deck: str, source: str) -> Checked:
    """Returns the report of `apsis check` on the text of a deck; raises `BadInput` with every problem."""
    process, (path, name) = ask(deck, source)
    if process.returncode:
        raise_errors(process.returncode, process.stderr, (path, name))
    facts = read_data(process.stdout, str(process.args[0]))
    return Checked(facts["bodies"], facts["steps"], round(facts["memory"]), facts["seconds"], list(map(python_voice, facts["remarks"])),
                   python_voice(facts["text"].replace(path, name)), {**facts, "source": name})
