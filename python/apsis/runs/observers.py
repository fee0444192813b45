# SPDX-License-Identifier: Apache-2.0
"""Functions of Python that a run calls at intervals: `@apsis.every(steps=10)`."""
from __future__ import annotations

from typing import Callable

from ..errors import Problem, UsageError

STOP = "stop"  # returned by an observer: ends the run after the next step, with a checkpoint
CHECKPOINT = "checkpoint"  # returned by an observer: writes a checkpoint


class Observer:
    """A function, and the interval in which a run calls it: an int [steps] or a float [time]."""

    def __init__(self, function: Callable, interval: int | float):
        self.function, self.interval = function, interval

    def __call__(self, now):
        return self.function(now)


def every(interval: float | None = None, *, steps: int | None = None) -> Callable[[Callable], Observer]:
    """Makes an observer of a function of the present state, for `apsis.run(..., observers=[...])`.

    interval: [time], a whole number of steps; steps: [steps]. The function is called at the start and after every interval. Its
    argument has the properties and measurements of `apsis.Simulation` and is valid during the call. It may return `apsis.STOP` or
    `apsis.CHECKPOINT`. An exception ends the run with a checkpoint and comes out of `apsis.run`.
    """
    if (interval is None) == (steps is None):
        raise UsageError(Problem("every", "needs one interval", "", "give steps=... or an interval of time"))
    chosen: int | float
    if steps is not None:
        if not isinstance(steps, int) or steps < 1:
            raise UsageError(Problem("every", "steps is no number of steps", f"it is {steps!r}", "give an int from 1"))
        chosen = steps
    else:
        assert interval is not None
        if not interval > 0:
            raise UsageError(Problem("every", "the interval is not above 0", f"it is {interval!r}", "give a time"))
        chosen = float(interval)
    return lambda function: Observer(function, chosen)
