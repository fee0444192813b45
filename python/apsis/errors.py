# SPDX-License-Identifier: Apache-2.0
"""Problems and exceptions, with the texts and exit statuses of the executable (docs/commands.md). Imports no library."""
from __future__ import annotations

import errno
import os
import re
import unicodedata
from typing import Any, Iterable, NamedTuple

NOT_CONSERVED, USAGE, INPUT, INTERNAL, FILES, STOPPED = 1, 64, 65, 70, 74, 75
MOST_SHOWN = 80      # characters of a word that is too long to be shown in full
LONGEST_PATH = 512   # characters of a word that may be a path
LIMITS = {errno.EMFILE: "raise the limit of open files (ulimit -n)", errno.ENFILE: "close files of other programs",
          errno.ENOMEM: "raise the limit of memory (ulimit -v)", errno.EAGAIN: "raise the limit of processes (ulimit -u)"}


class Problem(NamedTuple):
    """One problem, `<where>: <problem> (<why>); <advice>`: place, what is wrong, why, and what to do. Parts may be empty."""

    where: str
    problem: str
    why: str = ""
    advice: str = ""

    def text(self) -> str:
        """Returns the problem in one line."""
        return ((f"{self.where}: " if self.where else "") + self.problem + (f" ({self.why})" if self.why else "")
                + (f"; {self.advice}" if self.advice else ""))

    @classmethod
    def parse(cls, line: str) -> Problem:
        """Returns the parts of a line; `text` of the result is the line."""
        head, why, advice = _split(line)
        words = head.split(": ")
        # The place is a file, and the path of a key: without blanks.
        count = 1
        while count < len(words) - 1 and " " not in words[count]:
            count += 1
        if len(words) == 1:
            return cls("", head, why, advice)
        return cls(": ".join(words[:count]), ": ".join(words[count:]), why, advice)


def _split(line: str) -> tuple[str, str, str]:
    """Returns what stands before the brackets of a problem, within them, and behind the semicolon."""
    match = re.fullmatch(r"(?s)(.+?) \((.+?)\)(?:; (.+))?", line)
    if match:
        return match[1], match[2], match[3] or ""
    head, _, advice = line.partition("; ")
    return (head, "", advice) if head and advice else (line, "", "")


class Error(Exception):
    """Base of all exceptions of Apsis: every problem at once, and the exit status that the executable has for it.

    problems: tuple of `Problem`; exit_status: number, see docs/commands.md.
    """

    exit_status = INTERNAL
    problems: tuple[Problem, ...]

    def __init__(self, problems: str | Problem | Iterable[Problem], exit_status: int | None = None, **facts: Any):
        if isinstance(problems, str):
            problems = (Problem.parse(problems),)
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        if exit_status is not None:
            self.exit_status = exit_status
        for name, value in facts.items():
            setattr(self, name, value)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(problem.text() for problem in self.problems)

    def __reduce__(self):
        facts = {name: value for name, value in vars(self).items() if name not in ("problems", "exit_status")}
        return _restore, (type(self), tuple(tuple(problem) for problem in self.problems), self.exit_status, facts)


def _restore(kind, problems, exit_status, facts):
    return kind([Problem(*problem) for problem in problems], exit_status, **facts)


class UsageError(Error, ValueError):
    """A call that cannot be meant."""

    exit_status = USAGE


class BadInput(Error, ValueError):
    """A deck or a file of bodies is refused."""

    exit_status = INPUT


class InternalError(Error, RuntimeError):
    """An internal error, or a limit of the system."""

    exit_status = INTERNAL


class NotFinite(InternalError):
    """A run ended because its state is not finite. `outcome`: the run until then."""


class Collision(InternalError):
    """A run ended because no step resolves a pair of bodies.

    ids: of the two bodies; time [time] and distance [length] of the pair; outcome: the run until then.
    """


class FileError(Error, OSError):
    """A file cannot be read or written, or a directory holds a run."""

    exit_status = FILES


class Stopped(Error):
    """A run stopped early, with a checkpoint. `outcome`: the run until then; `directory`: its directory."""

    exit_status = STOPPED


class NotConserved(Error):
    """A run exceeded a conservation limit of its deck. `outcome`: the run."""

    exit_status = NOT_CONSERVED


class ApsisWarning(UserWarning):
    """A warning of the executable, which the run survives."""


CLASSES = {kind.exit_status: kind for kind in (NotConserved, UsageError, BadInput, InternalError, FileError, Stopped)}


def class_of(exit_status: int) -> type[Error]:
    """Returns the exception of an exit status."""
    return CLASSES.get(exit_status, InternalError)


def printable(text):
    """Returns the text in one line that is safe for a terminal: control characters, changes of writing direction, line
    separators and invalid UTF-8 become '?'."""
    return "".join("?" if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or c in "\u202a\u202b\u202c\u202d\u202e"
                   "\u2066\u2067\u2068\u2069" else c for c in str(text))


def shortened(word):
    """Returns a word of a user in the form used in messages."""
    fits = len(word) <= (LONGEST_PATH if "/" in word else MOST_SHOWN)
    return word if fits else word[:MOST_SHOWN] + "..."


def make_error(status: int, text: str) -> Error:
    """Returns the exception of an exit status with one problem, `<where>: <problem> (<why>); <what to do>`."""
    return class_of(status)(printable(" ".join(map(shortened, str(text).split()))))


def failed(error, path, what, advice):
    """Returns the exception for an OSError; limits of the system get a status of their own."""
    why = os.strerror(error.errno) if error.errno else error
    limit = LIMITS.get(error.errno)
    return make_error(INTERNAL if limit else FILES, f"{path}: {what} ({why}); {limit or advice}")


def unreadable(error, path, advice):
    return failed(error, path, "cannot be read", advice)


def unwritable(error, path, advice="choose another path"):
    return failed(error, path, "cannot be written", advice)
