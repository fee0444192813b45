# SPDX-License-Identifier: Apache-2.0
"""References within a JSON Schema."""
from __future__ import annotations

from typing import Any


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
