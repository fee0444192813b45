# SPDX-License-Identifier: Apache-2.0
"""Defaults of a deck, from the schema of the executable. Imports no library."""
from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from .executable import schema


def resolve(node: dict, root: dict) -> dict:
    """Follows the references of a node of the schema. Properties beside a reference are added to those of the definition."""
    while "$ref" in node:
        target: Any = root
        for name in node["$ref"].removeprefix("#/").split("/"):
            target = target[name.replace("~1", "/").replace("~0", "~")]
        beside = {key: value for key, value in node.items() if key != "$ref"}
        for key in ("properties", "required"):
            if key in target and key in beside:
                beside[key] = {**target[key], **beside[key]} if key == "properties" else [*target[key], *beside[key]]
        node = {**target, **beside}
    return node


def form_of(node: dict, value: Any, root: dict) -> dict:
    """Returns the form of an object that a value has: that with the same constants (`generator`, `name`, `mode`), else the one
    with required keys that it has, else the default form."""
    node = resolve(node, root)
    forms = [resolve(form, root) for form in node.get("oneOf", ())]
    forms = [form for form in forms if "properties" in form]
    if not forms or not isinstance(value, dict):
        return node

    def constants(form):
        return {key: each["const"] for key, each in form["properties"].items() if "const" in each}

    named = [form for form in forms if constants(form)]
    for form in named:
        if all(value.get(key) == word for key, word in constants(form).items()):
            return form
    for form in forms:
        if form not in named and set(form.get("required", ())) <= set(value):
            return form
    for form in named:  # the default form does not need its constant
        if not any(key in value or key in form.get("required", ()) for key in constants(form)):
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


def with_defaults(deck: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the sections of a deck with the defaults of the schema, in the order of the schema."""
    root = schema()
    sections = {}
    for name, node in root["properties"].items():
        if name in deck:
            sections[name] = fill(node, deck[name], root)
        elif "default" in resolve(node, root):
            sections[name] = copy.deepcopy(resolve(node, root)["default"])
    sections.update((name, value) for name, value in deck.items() if name not in sections)
    return sections


def changed_values(deck: Mapping[str, Any]) -> Iterator[str]:
    """Yields the path of each value that is not the default of the schema."""
    root = schema()
    yield from _changed_values(root, dict(deck), root, "")


def _changed_values(node: dict, value: Any, root: dict, path: str) -> Iterator[str]:
    node = form_of(node, value, root)
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _changed_values(node.get("properties", {}).get(key, {}), each, root, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and any(isinstance(each, (dict, list)) for each in value):
        for index, each in enumerate(value):
            yield from _changed_values(node.get("items", {}), each, root, f"{path}[{index}]")
    elif node.get("default", ...) != value:
        yield path
