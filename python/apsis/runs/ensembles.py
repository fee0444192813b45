# SPDX-License-Identifier: Apache-2.0
"""Many runs beside each other, each in a process of its own."""
from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Literal

from ..decks import Deck
from ..errors import Error, Problem
from .loading import Run
from .outcomes import Outcome
from .running import Children, run as run_deck


def ensemble(decks: Iterable[Deck | str | os.PathLike], directory: str | os.PathLike, *, workers: int | None = None, threads: int = 1,
             resume: bool = True, replace: bool = False, progress: bool | Callable[[int, int], None] | Literal["auto"] = "auto",
             summary: Callable[[Run], Any] | None = None) -> list[Any]:
    """Runs decks in the folders directory/0000, directory/0001 ..., several at a time, and returns their outcomes in order.

    workers: number of runs at a time, default: one for each processor; threads: of each run.
    resume: continue unfinished runs and keep finished ones, so that a call that was interrupted can be repeated;
    replace: begin all of them again.
    summary: a function of the `Run`, called in this process at the end of each; its values are returned in place of the outcomes.
    progress: True: print the number of finished runs; a function: called with that and the number of all.

    Runs that end with an error do not keep the others from running: then one exception of their class has all their problems.
    Ctrl-C lets every run write a checkpoint and raises KeyboardInterrupt.
    """
    chosen = list(decks)
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    existing: dict[str, Any] = {"replace": True} if replace else {"resume": "if_possible"} if resume else {}
    show = progress if callable(progress) else print_count if progress is True or progress == "auto" and sys.stdout.isatty() else None
    children = Children()
    results: list[Any] = [None] * len(chosen)
    errors: dict[Path, Error] = {}

    def run_one(number: int) -> Outcome | None:
        if children.is_stopped:
            return None
        return run_deck(chosen[number], folder / f"{number:04}", threads=threads, progress=False, _children=children, **existing)

    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        try:
            numbers = {pool.submit(run_one, number): number for number in range(len(chosen))}
            for count, future in enumerate(as_completed(numbers), 1):
                number = numbers[future]
                try:
                    outcome = future.result()
                except Error as error:
                    errors[folder / f"{number:04}"] = error
                else:
                    results[number] = outcome if summary is None or outcome is None else summary(outcome.run)
                if show:
                    show(count, len(chosen))
        except BaseException:
            children.stop()
            raise
    if errors:
        first = next(iter(errors.values()))
        raise type(first)([Problem(f"{path}: {problem.where}", *problem[1:]) for path, error in sorted(errors.items())
                           for problem in error.problems], first.exit_status)
    return results


def print_count(count: int, total: int) -> None:
    print(f"{count} of {total} runs", flush=True)
