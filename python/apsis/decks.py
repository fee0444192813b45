# SPDX-License-Identifier: Apache-2.0
"""Decks: the only description of a run, as in the JSON files of the executable. Imports no library."""
from __future__ import annotations

import copy
import itertools
import json
import os
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .attributes import Strict
from .checks import Checked, check, problems_of
from .deck_schema import changed_values, with_defaults
from .errors import INPUT, Error, Problem, make_error
from .files import MOST_JSON, read_bytes, write
from .notebook import deck_html
from .units import units_of_section
from .values import bodies_sections, flat, plain, steps_of, with_full_paths

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .deck_types import DeckSections

ADVICE = "give a deck"


class Deck(Strict, MutableMapping[str, Any]):
    """A deck: sections by name, each of dictionaries, lists, texts and numbers.

        deck = apsis.Deck(bodies=apsis.plummer(1000), integrator=apsis.leapfrog_kdk(1/64), run={"end_time": 1})
        deck["gravity"] = {"softening": 0.05}
        finer = deck.set("integrator.time_step", 1/128)

    Values are those of a JSON deck; sections without a value (None) are left out. Numpy numbers and arrays, `Units` as the section
    `units`, and `Bodies` as the section `bodies`, are converted. Units of such bodies become those of the deck, and other units of the
    deck are refused. A deck is checked by the executable: `problems`, `check`, or when it runs.

    source: path of the file, or a word for messages; folder: folder of the file, where relative paths begin, or None.
    """

    _own = ("source", "folder")

    def __init__(self, sections: Mapping[str, Any] | None = None, *, source: str = "deck", folder: str | os.PathLike | None = None,
                 **more: Unpack[DeckSections]):
        self._sections: dict[str, Any] = {}
        self.source, self.folder = source, None if folder is None else Path(folder)
        if isinstance(sections, Deck):
            self.source, self.folder = sections.source, sections.folder
        given = {**(sections or {}), **more}
        for name in sorted(given, key=lambda name: name != "units"):  # bodies are compared with the units
            self[name] = given[name]

    @classmethod
    def load(cls, path: str | os.PathLike) -> Deck:
        """Returns the deck of a JSON file, or that of a run's directory."""
        path = Path(path)
        if path.is_dir():
            path = path / "deck.resolved.json"
        text = read_bytes(path, MOST_JSON, "JSON", "give a deck, or the directory of a run")
        return cls._parsed(text, str(path), path.parent)

    @classmethod
    def loads(cls, text: str, source: str = "deck") -> Deck:
        """Returns the deck of a JSON text. source: its name in messages."""
        return cls._parsed(text, source, None)

    @classmethod
    def _parsed(cls, text, source, folder):
        def unique(pairs):
            names = [name for name, _ in pairs]
            for name in names:
                if names.count(name) > 1:
                    raise ValueError(f"the key {name!r} is there twice")
            return dict(pairs)

        try:
            sections = json.loads(text, object_pairs_hook=unique)
        except (ValueError, RecursionError) as error:
            raise make_error(INPUT, f"{source}: is not JSON ({error}); {ADVICE}") from error
        if not isinstance(sections, dict):
            raise make_error(INPUT, f"{source}: is no deck (no object); {ADVICE}")
        return cls(sections, source=source, folder=folder)

    # A mapping of sections

    def __getitem__(self, name: str) -> Any:
        return self._sections[name]

    def __setitem__(self, name: str, value: Any) -> None:
        section = None if value is None else plain(value)
        if name == "units" and isinstance(section, str):
            section = {"system": section}
        changed = {**self._sections, name: section}
        if section is None:
            del changed[name]
        self._sections = self._with_units_of_bodies(changed) if name in ("units", "bodies") else changed

    def __delitem__(self, name: str) -> None:
        if name not in self._sections:
            raise KeyError(name)
        self[name] = None

    def _with_units_of_bodies(self, sections: dict[str, Any]) -> dict[str, Any]:
        """Returns sections with the units of their Bodies; refuses other units."""
        for section in bodies_sections(sections.get("bodies")):
            theirs = getattr(section, "units", None)
            if theirs is None or not theirs.are_known:
                continue
            mine = sections.setdefault("units", theirs.section())
            if not theirs.are_same(units_of_section(mine)):
                words = ", ".join(map(str, mine.values())) if isinstance(mine, Mapping) else str(mine)
                raise make_error(INPUT, f"{self.source}: units: contradict those of the Bodies (the deck has {words}, the Bodies have "
                                 f"{theirs.words()}); leave the section units out, or give Bodies in these units")
        return sections

    def __iter__(self) -> Iterator[str]:
        return iter(self._sections)

    def __len__(self) -> int:
        return len(self._sections)

    def copy(self) -> Deck:
        """Returns a deck that shares no section with this one."""
        return copy.deepcopy(self)

    # Keys

    def get_path(self, path: str, default: Any = None) -> Any:
        """Returns the value of a key such as "bodies.list[0].mass", `default` without it."""
        place: Any = self._sections
        for step in steps_of(path):
            try:
                place = place[step]
            except (KeyError, IndexError, TypeError):
                return default
        return place

    def set(self, path: str, value: Any) -> Deck:
        """Returns a new deck with another value of one key, such as "bodies.list[0].mass"; None removes the key."""
        changed = self.copy()
        steps = steps_of(path)
        if len(steps) == 1 and isinstance(steps[0], str):
            changed[steps[0]] = value
            return changed
        place: Any = changed._sections
        for step, following in zip(steps, steps[1:]):
            if isinstance(step, str) and isinstance(place, dict) and place.get(step) is None:
                place[step] = {}
            place = self._entry(place, step, path)
            if isinstance(following, str) and not isinstance(place, dict) or isinstance(following, int) and not isinstance(place, list):
                raise self._no_place(path, step)
        if isinstance(steps[-1], int):
            self._entry(place, steps[-1], path)
        if value is None:
            place.pop(steps[-1], None) if isinstance(place, dict) else place.pop(steps[-1])
        else:
            place[steps[-1]] = plain(value)
        changed._sections = changed._with_units_of_bodies(changed._sections)
        return changed

    def _entry(self, place, step, path):
        try:
            return place[step]
        except (KeyError, IndexError, TypeError):
            raise self._no_place(path, step) from None

    def _no_place(self, path, step):
        return make_error(INPUT, f"{self.source}: {path}: does not exist (nothing can be set below '{step}'); check the path")

    # Text

    def json(self, indent: int | None = 2) -> str:
        """Returns the deck as JSON."""
        return json.dumps(self._sections, indent=indent, ensure_ascii=False, allow_nan=False)

    def save(self, path: str | os.PathLike) -> None:
        """Writes the deck to a file; relative paths of files of bodies then begin in the folder of that file."""
        write(path, (self.json() + "\n").encode())

    def __repr__(self) -> str:
        return f"Deck({', '.join(f'{name}={value!r}' for name, value in self._sections.items())})"

    def _repr_html_(self) -> str:
        try:
            resolved, problems, changed = self.resolved(), self.problems(), set(changed_values(self))
        except Error as error:  # no executable: the deck alone
            resolved, problems, changed = self, list(error.problems), set()
        return deck_html(resolved, self.source, problems, changed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return dict(self) == dict(other)

    __hash__ = None  # type: ignore[assignment]  # decks change

    # What the executable says of it

    def problems(self) -> list[Problem]:
        """Returns every problem of the deck; an empty list if it is good."""
        return problems_of(self.with_full_paths().json(), self.source)

    def check(self) -> Checked:
        """Returns bodies, steps, memory and the estimated time of the deck; raises `BadInput` with every problem."""
        return check(self.with_full_paths().json(), self.source)

    def resolved(self) -> Deck:
        """Returns the deck with the defaults of the schema. `Run.deck` has also those that follow from other values when a run
        starts, such as the solver that `auto` chose."""
        return Deck(with_defaults(self), source=self.source, folder=self.folder)

    def differences(self, other: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
        """Returns (path, value here, value there) of each key that differs; None where it is missing."""
        mine, theirs = dict(flat(self)), dict(flat(Deck(other)))
        return [(path, mine.get(path), theirs.get(path)) for path in {**mine, **theirs} if mine.get(path) != theirs.get(path)]

    def with_full_paths(self) -> Deck:
        """Returns a deck with absolute paths of files of bodies, for a copy of the deck in another folder."""
        return Deck(with_full_paths(self._sections, self.folder), source=self.source, folder=self.folder)


def vary(deck: Deck, over: Mapping[str, Iterable[Any]]) -> list[Deck]:
    """Returns a deck for each combination of the values of some keys, the last key changing fastest.

        apsis.vary(deck, {"bodies.seed": range(10), "gravity.softening": [0.01, 0.02]})  # 20 decks
    """
    decks = []
    for values in itertools.product(*over.values()):
        each = deck.copy()
        for path, value in zip(over, values):
            each = each.set(path, value)
        decks.append(each)
    return decks
