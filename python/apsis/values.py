# SPDX-License-Identifier: Apache-2.0
"""Values of decks: dictionaries, lists, texts and numbers, and their paths. Imports no library."""
from __future__ import annotations

import copy
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .errors import INPUT, make_error
from .units import Units

STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")


class ListedBodies(dict):
    """The section `bodies` of a deck that `Bodies` made, with their units."""

    def __init__(self, section: Mapping[str, Any], units: Any):
        super().__init__(section)
        self.units = units


def plain(value: Any) -> Any:
    """Returns a value as dictionaries, lists, texts and numbers, which it shares with no other deck."""
    if hasattr(value, "deck_section"):  # Bodies
        return ListedBodies(value.deck_section(), value.units)
    if isinstance(value, Units):
        return value.section()
    if isinstance(value, ListedBodies):
        return ListedBodies({name: plain(each) for name, each in value.items()}, value.units)
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items() if each is not None}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value if type(value) in (str, bool, int, float, type(None)) else _base_type(value)
    if hasattr(value, "tolist"):  # numbers and arrays of numpy
        return plain(value.tolist())
    if isinstance(value, Iterable):
        return [plain(each) for each in value]
    raise make_error(INPUT, f"deck: a value of type {type(value).__name__} has no place in JSON; give a number, text, list or dictionary")


def _base_type(value):
    """Returns a value of a derived type, such as numpy.float64, as the type of Python that JSON has."""
    return next(kind(value) for kind in (bool, int, float, str) if isinstance(value, kind))


def flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yields (path, value) of each key that is no dictionary; lists of numbers are values, other lists have an index."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from flat(each, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and any(isinstance(each, (dict, list)) for each in value):
        for index, each in enumerate(value):
            yield from flat(each, f"{path}[{index}]")
    else:
        yield path, value


def steps_of(path: str) -> list[str | int]:
    """Returns the keys and indices of a path, `bodies.list[0].mass`: "bodies", "list", 0, "mass"."""
    steps, end = [], 0
    while end < len(path):
        match = STEP.match(path, end)
        if not match:
            break
        steps.append(match[1] if match[1] is not None else int(match[2]))
        end = match.end()
    if not steps or end < len(path) or path.startswith((".", "[")):
        raise make_error(INPUT, f"{path}: is no path of a deck; write for example 'bodies.list[0].mass'")
    return steps


def bodies_sections(section: Any) -> Iterator[dict]:
    """Yields a section `bodies`, and those of its parts."""
    if isinstance(section, dict):
        yield section
        parts = section.get("parts")
        for part in parts if isinstance(parts, list) else []:
            yield from bodies_sections(part.get("bodies") if isinstance(part, dict) else None)


def with_full_paths(sections: Mapping[str, Any], folder: Path | None = None) -> dict[str, Any]:
    """Returns the sections of a deck with absolute paths of files of bodies, which were relative to a folder or to the present one."""
    changed = copy.deepcopy(dict(sections))
    for section in bodies_sections(changed.get("bodies")):
        name = section.get("file")
        if isinstance(name, str) and not os.path.isabs(name):
            beside = (folder or Path()) / name
            section["file"] = str((beside if beside.exists() else Path(name)).absolute())
    return changed
