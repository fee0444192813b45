# SPDX-License-Identifier: Apache-2.0
"""Messages of the executable as problems, with advice for Python. Imports no library."""
from __future__ import annotations

import logging
import re
import warnings
from typing import NoReturn

from .errors import INTERNAL, ApsisWarning, Error, Problem, class_of

LINE = re.compile(r"^(?:[^\s:]*apsis[^\s:]*): (error|warning|note): (.*)$")
KINDS = ("error", "warning", "note")
# Options of the command line in the words of Python: the longer ones before those that begin like them.
OPTIONS = [
    (r"'?apsis run (\S+) --resume-if-possible'?", r'apsis.run("\1", resume="if_possible")'),
    (r"'?apsis run (\S+) --resume'?", r'apsis.run("\1", resume=True)'),
    (r"'?apsis run (\S+) --force'?", r'apsis.run("\1", replace=True)'),
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
    (r"--set ([\w.\[\]]+)=([^\s,;)]+)", r'set={"\1": \2}'),
    (r"--set", "set={...}"),
    (r"\(convert: --[\w-]+\)", ""),
    (r"--([a-z][a-z-]*)", lambda found: f"{found[1].replace('-', '_')}=..."),
]


def python_voice(text: str) -> str:
    """Returns a message with the arguments of Python in place of options of the command line."""
    if "--" not in text:
        return text
    for pattern, words in OPTIONS:
        text = re.sub(pattern, words, text)
    return re.sub(r"--+", "-", text)


def read_messages(stderr: str, replaced: tuple[str, str] = ("", "")) -> dict[str, list[Problem]]:
    """Returns the problems of the lines on standard error by kind: "error", "warning", "note".

    replaced: a name of a temporary file, and the name of the deck that stands for it.
    """
    found: dict[str, list[Problem]] = {kind: [] for kind in KINDS}
    for line in stderr.splitlines():
        match = LINE.match(re.sub(r"\x1b\[[0-9;]*m", "", line))
        if match:
            text = match[2].replace(*replaced) if replaced[0] else match[2]
            found[match[1]].append(Problem(*map(python_voice, Problem.parse(text))))
    return found


def tell(messages: dict[str, list[Problem]], stacklevel: int = 3) -> None:
    """Gives warnings as `ApsisWarning`, and notes to the logger "apsis"."""
    for problem in messages["warning"]:
        warnings.warn(problem.text(), ApsisWarning, stacklevel=stacklevel)
    for problem in messages["note"]:
        logging.getLogger("apsis").info(problem.text())


def make_errors(status: int, stderr: str, replaced: tuple[str, str] = ("", "")) -> Error:
    """Returns the exception of a process that ended with an error."""
    problems = read_messages(stderr, replaced)["error"]
    if status < 0:
        problems.append(Problem("apsis", f"ended by signal {-status}", "", "see the messages above"))
    elif not problems:
        last = (stderr.strip().splitlines() or ["no message"])[-1]
        problems.append(Problem("apsis", f"ended with status {status}", python_voice(last)))
    return class_of(status if status > 0 else INTERNAL)(problems, status if status > 0 else INTERNAL)


def raise_errors(status: int, stderr: str, replaced: tuple[str, str] = ("", "")) -> NoReturn:
    raise make_errors(status, stderr, replaced)
