# SPDX-License-Identifier: Apache-2.0
"""Outcome of a run."""
from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import INTERNAL, NOT_CONSERVED, STOPPED, Collision, Error, NotConserved, NotFinite, Problem, Stopped, class_of
from ..files import TemporaryDirectory
from ..notebook import outcome_html
from .loading import Run, load_run

if TYPE_CHECKING:
    from collections.abc import Sequence

OF_REASONS = {"non_finite": NotFinite, "collision": Collision}


class Outcome:
    """How a run ended.

    status: "conserved", "not_judged" (the deck has no limits), "not_conserved", "stopped", or the reason of an error;
    exit_status: that of the executable; stop_reason: "end", "signal", "wall_time", "encounter" ...; steps; time [time];
    problems: tuple of `Problem`, what ended the run; summary: content of summary.json; run: the `Run` with its files; directory:
    its path. Printed, it is the summary that `apsis run` prints.
    """

    def __init__(self, directory: Path, exit_status: int, problems: Sequence[Problem], text: str,
                 temporary: TemporaryDirectory | None = None):
        self.directory, self.exit_status, self.problems = Path(directory), exit_status, tuple(problems)
        self._text, self._temporary = text, temporary
        self.summary: dict[str, Any] = self.run.summary
        self.status: str = self.summary.get("status", "in progress")
        self.stop_reason: str = self.summary.get("stop_reason", "")
        self.steps: int = self.summary.get("steps", 0)
        self.time: float = self.summary.get("time", 0.0)

    @cached_property
    def run(self) -> Run:
        """The files of the run."""
        run = load_run(self.directory)
        run.temporary = self._temporary  # a temporary directory lives as long as the run or its outcome
        return run

    def check(self) -> Outcome:
        """Returns the outcome if the run has reached its end within its limits; else raises `NotConserved` or `Stopped`."""
        error = self.error()
        if error is not None:
            raise error
        return self

    def error(self) -> Error | None:
        """Returns the exception of an outcome, None if the run has reached its end within its limits."""
        if self.exit_status == 0:
            return None
        kind = {NOT_CONSERVED: NotConserved, STOPPED: Stopped}.get(self.exit_status, class_of(self.exit_status))
        if self.exit_status == INTERNAL:
            kind = OF_REASONS.get(self.stop_reason, kind)
        problems = self.problems or (Problem(str(self.directory), f"ended with the status '{self.status}'", self.stop_reason),)
        stop = self.summary.get("stop")
        stop = stop if isinstance(stop, dict) else {}
        facts = {} if kind is not Collision else {"ids": (stop.get("body"), stop.get("other_body")), "time": stop.get("time"),
                                                  "distance": stop.get("distance")}
        return kind(problems, self.exit_status, outcome=self, directory=self.directory, **facts)

    def __str__(self) -> str:
        return "\n".join([self._text.rstrip(), *(problem.text() for problem in self.problems)])

    def __repr__(self) -> str:
        return f"Outcome({self.status}, {self.steps} steps, time {self.time:g}, {str(self.directory)!r})"

    def _repr_html_(self) -> str:
        return outcome_html(self.status, self.summary, self.directory, self.problems)
