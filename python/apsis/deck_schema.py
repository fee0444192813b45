# SPDX-License-Identifier: Apache-2.0
"""Defaults of a deck, from the schema of the executable."""
from __future__ import annotations

import copy
from typing import Any

from .decks import Deck
from .executable import schema


def resolve(node: dict, root: dict) -> dict:
    """Follows the references of a node of the schema."""
    while "$ref" in node:
        target: Any = root
        for name in node["$ref"].removeprefix("#/").split("/"):
            target = target[name.replace("~1", "/").replace("~0", "~")]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
    return node


def form_of(node: dict, value: Any, root: dict) -> dict:
    """Returns the form of an object that a value has: that with the same constants (`generator`, `name`, `mode`), else the first
    with all its keys."""
    node = resolve(node, root)
    forms = [resolve(form, root) for form in node.get("oneOf", ())]
    forms = [form for form in forms if "properties" in form]
    if not forms or not isinstance(value, dict):
        return node

    def constants(form):
        return {key: each["const"] for key, each in form["properties"].items() if "const" in each}

    for form in forms:
        if constants(form) and all(value.get(key) == word for key, word in constants(form).items()):
            return form
    for form in forms:  # the default form does not name its constant
        required = set(form.get("required", ()))
        has_another = any(key in value for key in constants(form))
        if not has_another and required <= set(value) and set(value) <= set(form["properties"]):
            return form
    return node


def fill(node: dict, value: Any, root: dict) -> Any:
    """Returns a value with the defaults of its keys."""
    node = form_of(node, value, root)
    if isinstance(value, dict):
        keys = node.get("properties", {})
        filled = {}
        for key, each in keys.items():
            each = resolve(each, root)
            if key in value:
                filled[key] = fill(each, value[key], root)
            elif "default" in each:
                filled[key] = copy.deepcopy(each["default"])
            elif "const" in each and key not in node.get("required", ()):
                filled[key] = each["const"]
        return {**filled, **{key: each for key, each in value.items() if key not in filled}}
    if isinstance(value, list) and "items" in node:
        return [fill(node["items"], each, root) for each in value]
    return value


def with_defaults(deck: Deck) -> Deck:
    """Returns a deck with the defaults of the schema, in the order of the schema."""
    root = schema()
    sections = {}
    for name, node in root["properties"].items():
        if name in deck:
            sections[name] = fill(node, deck[name], root)
        elif "default" in resolve(node, root):
            sections[name] = copy.deepcopy(resolve(node, root)["default"])
    sections.update((name, value) for name, value in deck.items() if name not in sections)
    return Deck(sections, source=deck.source, folder=deck.folder)
