# SPDX-License-Identifier: Apache-2.0
"""Runs of decks by the executable, in a child process."""
from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..checks import deck_file
from ..decks import Deck
from ..errors import INTERNAL, STOPPED, USAGE, failed, make_error
from ..executable import ERRORS, child_environment, default_threads, find_executable, thread_options
from ..files import TemporaryDirectory
from ..messages import is_event, make_errors, message_of, python_voice, read_messages, tell
from ..mpi import leads
from ..values import plain
from .observers import Observer
from .outcomes import Outcome

OUTPUT = ("--progress", "json")  # progress and the end of a run as objects
ADDRESS = re.compile(r"https?://\S+")
WAIT = 0.25  # [s]
ENDED = (0, 1, STOPPED)  # statuses of a run with an outcome


class Progress(NamedTuple):
    """State of a run in progress: steps made, steps in all, time [time], part done from 0 to 1, relative energy error (None if it
    is not measured), and the time left as text."""

    step: int
    steps: int
    time: float
    part: float
    energy_error: float | None
    left: str


def run(deck: Deck | Mapping[str, Any] | str | os.PathLike, directory: str | os.PathLike | None = None, *,
        resume: bool | Literal["if_possible"] = False, replace: bool = False, allow_deck_change: bool = False,
        set: Mapping[str, Any] | None = None, threads: int | None = None,
        observers: Iterable[Observer] = (), progress: bool | Callable[[Progress], None] | Literal["auto"] = "auto",
        view: bool | int = False, by: Literal["auto", "executable", "process"] = "auto",
        executable: str | os.PathLike | None = None, _children: Children | None = None) -> Outcome:
    """Runs a deck to its end and returns the `Outcome`.

    deck: a `Deck`, sections, the path of a JSON file, or with `resume` or `replace` the directory of a run.
    directory: where the run writes; without it, "<deck name>.run" for a file, and for a `Deck` a temporary one that is removed
    with the outcome.
    resume: continue the run there; "if_possible": or begin it. replace: replace the run there. allow_deck_change: accept an
    earlier end, and changed outputs and limits, of a resumed run.
    set: other values of keys, {"run.end_time": 2}. threads: of the run; default: those of `use`, or all.
    observers: functions that the run calls, see `apsis.every`; it is then computed in this process.
    by: "executable": by a child process; "process": in this process, by the extension, without progress and view; "auto": in this
    process if there are observers, and within `apsis.mpi.lead`.
    progress: True: print lines; a function: called with `Progress`; "auto": print on terminals and in notebooks.
    view: show the run in a browser, True or a port; the address is printed.

    A run that ends within or beyond its limits, or is stopped by a condition of the deck, has an outcome; `Outcome.check` raises
    its error. Ctrl-C lets the run write a checkpoint and raises KeyboardInterrupt; a second one kills it. Raises `BadInput` with
    every problem of the deck, `FileError`, `UsageError`, `InternalError`, `NotFinite`, `Collision`.
    """
    if replace and resume:
        raise make_error(USAGE, "run: resume and replace contradict each other; give one of them")
    observers = list(observers)
    by_process = by == "process" or (by == "auto" and (bool(observers) or leads()))
    if observers and not by_process:
        raise make_error(USAGE, "run: observers need a run in this process (they are functions of Python); leave by='executable' out")
    if by_process and (view is not False or callable(progress) or executable is not None):
        raise make_error(USAGE, "run: view, progress and executable belong to a run by the executable (this run is computed in this "
                         "process); leave them out")
    options = [*(["--resume-if-possible"] if resume == "if_possible" else ["--resume"] if resume else []),
               *(["--force"] if replace else []), *(["--allow-deck-change"] if allow_deck_change else []),
               *(["--view", *([] if view is True else [view])] if view is not False else [])]
    threads = threads if threads is not None else default_threads()
    options += thread_options(threads)
    existing = "resume_if_possible" if resume == "if_possible" else "resume" if resume else "replace" if replace else ""
    if by_process:
        from .in_process import run_in_process
    else:
        path = find_executable(executable)
    if isinstance(deck, (str, os.PathLike)):
        overrides = [f"{name}={json.dumps(plain(value))}" for name, value in (set or {}).items()]
        if by_process:
            return run_in_process(deck, directory if directory is not None else "", existing=existing, observers=observers, threads=threads,
                            allow_deck_change=allow_deck_change, overrides=overrides)
        for override in overrides:
            options += ["--set", override]
        place = Path(directory) if directory is not None else directory_of(deck)
        options += ["--output", directory] if directory is not None else []
        return Child([path, "run", *ERRORS, *OUTPUT, deck, *options], place, (str(deck), str(deck)), progress, view, _children).outcome()
    deck = Deck(deck)
    for name, value in (set or {}).items():
        deck = deck.set(name, value)
    temporary = None
    if directory is None:
        if resume or replace:
            raise make_error(USAGE, "run: resume and replace need a directory (a temporary one is always new); name it")
        temporary = TemporaryDirectory()
        directory = Path(temporary.name) / "run"
    if by_process:
        return run_in_process(deck, directory, existing=existing, observers=observers, threads=threads, allow_deck_change=allow_deck_change,
                        overrides=[], temporary=temporary)
    with deck_file(deck.with_full_paths().json()) as file:
        child = Child([path, "run", *ERRORS, *OUTPUT, file, "--output", directory, *options], Path(directory), (str(file), deck.source), progress, view,
                      _children)
        return child.outcome(temporary)


def directory_of(deck: str | os.PathLike) -> Path:
    """Returns the directory that the executable chooses for a deck, or the directory itself."""
    path = Path(deck)
    return path if path.is_dir() else Path(f"{path.stem}.run")


class Children:
    """The processes of several runs, which can be stopped together."""

    def __init__(self):
        self.lock = threading.Lock()
        self.processes: list[subprocess.Popen] = []
        self.is_stopped = False

    def add(self, process: subprocess.Popen) -> None:
        with self.lock:
            self.processes.append(process)
            if self.is_stopped:
                process.send_signal(signal.SIGTERM)

    def stop(self) -> None:
        """Lets every run stop after its step with a checkpoint, also one that starts later."""
        with self.lock:
            self.is_stopped = True
            for process in self.processes:
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)


class Child:
    """A process of the executable that runs a deck, in a session of its own: Ctrl-C reaches it once, through this process."""

    def __init__(self, words: list, directory: Path, replaced: tuple[str, str], progress, view, children=None):
        self.words = [os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in words]
        self.directory, self.replaced, self.view = directory, replaced, view
        self.children = children if children is not None else Children()
        self.progress = choose_progress(progress)
        self.end_text = ""  # that the executable prints at the end of a run
        self.stderr: list[str] = []

    def outcome(self, temporary: TemporaryDirectory | None = None) -> Outcome:
        """Runs the process to its end."""
        status = self.wait()
        messages = read_messages("".join(self.stderr), self.replaced)
        tell(messages, stacklevel=5)
        has_summary = (self.directory / "deck.resolved.json").is_file() and (self.directory / "summary.json").is_file()
        if status in ENDED and has_summary:
            stops = [note for note in messages["note"] if status == STOPPED and not is_event(note)]
            problems = messages["error"] + stops
            return Outcome(self.directory, status, problems, self.end_text, temporary)
        if status == INTERNAL and has_summary:
            outcome = Outcome(self.directory, status, messages["error"], self.end_text, temporary)
            error = outcome.error() if outcome.summary.get("exit_code") == INTERNAL else None
            if error is not None:
                raise error
        raise make_errors(status, "".join(self.stderr), self.replaced)

    def wait(self) -> int:
        """Starts the process, reads its output to the end and returns its status."""
        try:
            process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True, errors="replace", start_new_session=True, env=child_environment())
        except OSError as error:
            raise failed(error, self.words[0], "cannot be run", "give the path of another executable") from error
        self.children.add(process)
        lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        readers = [threading.Thread(target=pass_lines, args=(process.stdout, lines), daemon=True),
                   threading.Thread(target=self.stderr.extend, args=(process.stderr,), daemon=True)]
        for reader in readers:
            reader.start()
        with running(process):
            while (line := next_line(lines)) is not None:
                self.see(line.rstrip("\n"))
            process.wait()
        for reader in readers:
            reader.join()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        return process.returncode

    def see(self, line: str) -> None:
        state = message_of(line, ("progress", "end"))
        if state is None:
            if self.view is not False and ADDRESS.search(line):
                print(line, flush=True)
        elif state["kind"] == "end":
            self.end_text = python_voice(state["text"].rstrip("\n"))
        elif self.progress:
            step, steps = state["step"], state["steps"]
            self.progress(Progress(step, steps, state["time"], step / steps if steps else 1.0, state["relative_energy_error"],
                                   state["left"]))


def pass_lines(stream, lines: queue.SimpleQueue) -> None:
    """Passes the lines of a stream to a queue, and None at its end."""
    for line in stream:
        lines.put(line)
    lines.put(None)


def next_line(lines: queue.SimpleQueue) -> str | None:
    """Waits for a line. A thread that waits without a limit may not see Ctrl-C until the next line."""
    while True:
        with contextlib.suppress(queue.Empty):
            return lines.get(timeout=WAIT)


@contextlib.contextmanager
def running(process: subprocess.Popen) -> Iterator[None]:
    """Ends the process if this program leaves it: an exception lets it write a checkpoint, a second one kills it."""
    try:
        yield
    except BaseException:
        try:
            end(process)
        except BaseException:
            process.kill()
            raise
        raise


def end(process: subprocess.Popen) -> None:
    """Lets a run stop after its step with a checkpoint, and waits for it. (SIGINT may be ignored by background jobs.)"""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        process.wait()


def choose_progress(progress) -> Callable[[Progress], None] | None:
    """Returns the function that shows progress, None for none."""
    if callable(progress):
        return progress
    if progress == "auto":
        progress = sys.stdout.isatty() or "ipykernel" in sys.modules
    return print_progress if progress else None


def print_progress(now: Progress) -> None:
    error = "" if now.energy_error is None else f"  |dE/E| {now.energy_error:.2e}"
    print(f"step {now.step}/{now.steps}  t {now.time:g}  {100 * now.part:.1f}%{error}  {now.left} left", flush=True)
