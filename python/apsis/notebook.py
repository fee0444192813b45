# SPDX-License-Identifier: Apache-2.0
"""HTML of decks and outcomes in notebooks."""
from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import Problem
from .values import flat

MOST_ROWS = 12  # entries of a list that are shown
RED = "color:#b00020"
COLOURS = {"conserved": "#1a7f37", "not_judged": "#1a7f37", "stopped": "#9a6700"}


def table(rows: list[tuple[str, str]]) -> str:
    cells = "".join(f'<tr><td style="text-align:left">{name}</td><td style="text-align:left">{value}</td></tr>' for name, value in rows)
    return f"<table>{cells}</table>"


def text(value: Any) -> str:
    return html.escape(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def problem_html(problem: Problem, where: str) -> str:
    """Returns a problem in red: what is wrong, why, and what to write."""
    advice = f"; <b>{text(problem.advice)}</b>" if problem.advice else ""
    why = f" ({text(problem.why)})" if problem.why else ""
    return f'<span style="{RED}">{text(where)}: {text(problem.problem)}{why}{advice}</span>'


def deck_html(deck: Mapping[str, Any], source: str, problems: Sequence[Problem], changed: set[str]) -> str:
    """Returns the sections of a deck with its defaults. Values that are changed from a default are bold, problems are red."""
    rows, placed = [], set()
    for path, value in flat({name: shorter(section) for name, section in deck.items()}):
        shown = f"<b>{text(value)}</b>" if path in changed else text(value)
        mine = [problem for problem in problems if place_of(problem, source) == path]
        placed.update(mine)
        rows.append((text(path), "<br>".join([shown, *(problem_html(problem, path) for problem in mine)])))
    rest = "".join(f"<li>{problem_html(problem, place_of(problem, source) or problem.where)}</li>" for problem in problems
                   if problem not in placed)
    return table(rows) + (f"<ul>{rest}</ul>" if rest else "")


def shorter(value: Any) -> Any:
    """Returns a value with long lists of objects replaced by their number."""
    if isinstance(value, dict):
        return {name: shorter(each) for name, each in value.items()}
    if isinstance(value, list) and len(value) > MOST_ROWS:
        return f"{len(value)} entries"
    return [shorter(each) for each in value] if isinstance(value, list) else value


def place_of(problem: Problem, source: str) -> str:
    """Returns the key of a problem, without the name of the deck."""
    return problem.where.removeprefix(f"{source}: ") if problem.where != source else ""


def outcome_html(status: str, summary: Mapping[str, Any], directory: Path, problems: Sequence[Problem]) -> str:
    """Returns status, time, errors and problems of a run."""
    coloured = f'<b style="color:{COLOURS.get(status, "#b00020")}">{text(status)}</b>'
    names = (("steps", "steps"), ("time", "time"), ("bodies", "bodies"), ("integrator", "integrator"), ("solver", "solver"),
             ("kernel", "kernel"), ("max_relative_energy_error", "max |dE/E|"), ("max_momentum_error", "max |dP|"),
             ("wall_seconds", "wall time [s]"))
    rows = [("status", coloured)] + [(label, text(f"{summary[name]:.6g}" if isinstance(summary[name], float) else summary[name]))
                                   for name, label in names if summary.get(name) is not None]
    rows.append(("directory", text(str(directory))))
    items = "".join(f"<li>{problem_html(problem, problem.where)}</li>" for problem in problems)
    return table(rows) + (f"<ul>{items}</ul>" if items else "")
