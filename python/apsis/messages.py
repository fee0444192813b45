# SPDX-License-Identifier: Apache-2.0
"""Messages of the executable as problems, with advice for Python. Imports no library."""
from __future__ import annotations

import json
import logging
import re
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

from .errors import INTERNAL, ApsisWarning, Error, Problem, class_of, printable

KINDS = ("error", "warning", "note")
# Options of the command line in the words of Python. An option stands before those that are its beginnings.
RUN = r"'?(?:[^\s']*/)?apsis[\w.]* run"  # the executable as it was called
OPTIONS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (rf"{RUN} (\S+) --resume-if-possible'?", r'apsis.run("\1", resume="if_possible")'),
    (rf"{RUN} (\S+) --resume'?", r'apsis.run("\1", resume=True)'),
    (rf"{RUN} (\S+) --force'?", r'apsis.run("\1", replace=True)'),
    (r"the option --output DIR of the command run", "the argument directory of apsis.run"),
    (r"the option --threads N of the command run", "the argument threads of apsis.run"),
    (r"another (directory|name) with --output", r"another \1"),
    (r"another with --output", "another directory"),
    (r"with another --output", "with another directory"),
    (r"with --output", "with directory=..."),
    (r"--threads (\d+)", r"threads=\1"),
    (r"--resume-if-possible", 'resume="if_possible"'),
    (r"--resume", "resume=True"),
    (r"--force", "replace=True"),
    (r"--allow-deck-change", "allow_deck_change=True"),
    (r"--share-gpus", "share_gpus=True"),
    (r"--output( DIR)?", "directory=..."),
    (r"--threads( N)?", "threads=..."),
    (r"--set ([\w.\[\]]+)=null", r'set={"\1": None}'),
    (r"--set ([\w.\[\]]+)=([^\s,;)]+)", r'set={"\1": \2}'),
    (r"--set", "set={...}"),
    (r"\(convert: --[\w-]+\)", ""),
    (r"--([a-z][a-z-]*)", lambda match: f"{match[1].replace('-', '_')}=..."),
]


def python_voice(text: str) -> str:
    """Returns a message with the arguments of Python in place of options of the command line."""
    if "--" not in text:
        return text
    for pattern, words in OPTIONS:
        text = re.sub(pattern, words, text)
    return re.sub(r"--+", "-", text)


def unchanged(text: str) -> str:
    """Returns a message as the executable has it, for programs with the same options."""
    return text


def read_messages(stderr: str, replaced: tuple[str, str] = ("", ""), voice: Callable[[str], str] = python_voice
                  ) -> dict[str, list[Problem]]:
    """Returns the problems on standard error, written with `--errors json`, by kind: "error", "warning", "note".

    replaced: a name of a temporary file, and the name of the deck that stands for it. voice: of the texts. Lines of libraries
    are left out.
    """
    problems: dict[str, list[Problem]] = {kind: [] for kind in KINDS}
    for line in stderr.splitlines():
        message = message_of(line)
        if message is not None:
            parts = [printable(message[part].replace(*replaced) if replaced[0] else message[part]) for part in Problem._fields]
            problem = Problem(*parts) if parts[0] else Problem.parse(parts[1])  # a problem of an earlier run is one text
            problems[message["kind"]].append(Problem(*map(voice, problem)))
    return problems


def message_of(line: str, kinds: tuple[str, ...] = KINDS) -> dict[str, Any] | None:
    """Parses a line that the executable prints as an object of one of these kinds; returns None for any other line."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) and message.get("kind") in kinds else None


def is_event(problem: Problem) -> bool:
    """Whether a note is about the deck or an event of a run, such as its estimate, which is not what ended it."""
    return problem.where in ("deck", "run")


def remark_in(problem: Problem) -> str:
    """Returns the remark that a note is, such as that steps are too long for the bodies; "" for a note on the course of a run."""
    is_remark = problem.where == "deck" or problem.where == "run" and problem.problem.startswith("note: ")
    return Problem("", *problem[1:]).text().removeprefix("note: ") if is_remark else ""


def tell(messages: dict[str, list[Problem]], stacklevel: int = 3, remarks: bool = True) -> None:
    """Gives warnings, and remarks on decks and bodies, as `ApsisWarning`; other notes go to the logger "apsis".
    remarks: whether those are given as warnings."""
    for problem in messages["warning"]:
        warnings.warn(problem.text(), ApsisWarning, stacklevel=stacklevel)
    for problem in messages["note"]:
        remark = remark_in(problem)
        if remark and remarks:
            warnings.warn(remark, ApsisWarning, stacklevel=stacklevel)
        else:
            logging.getLogger("apsis").info(problem.text())


def make_errors(status: int, stderr: str, replaced: tuple[str, str] = ("", ""), voice: Callable[[str], str] = python_voice) -> Error:
    """Returns the exception of a process that ended with an error. The other words are those of `read_messages`."""
    problems = read_messages(stderr, replaced, voice)["error"]
    if status < 0:
        problems.append(Problem("apsis", f"ended by signal {-status}", "", "see the messages above"))
    elif not problems:
        last = (stderr.strip().splitlines() or ["no message"])[-1]
        problems.append(Problem("apsis", f"ended with status {status}", voice(printable(last))))
    return class_of(status if status > 0 else INTERNAL)(problems, status if status > 0 else INTERNAL)


def raise_errors(status: int, stderr: str, replaced: tuple[str, str] = ("", ""), voice: Callable[[str], str] = python_voice) -> NoReturn:
    raise make_errors(status, stderr, replaced, voice)
