#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the functions of python/apsis/registry/*.py from `apsis schema`, one for each model, integrator and force, and the types
of decks, python/apsis/deck_types/*.py.

    registry_functions.py SOURCE EXECUTABLE [--check]

With --check no file is written. The status is 1 if a file is missing or stale.
"""
import difflib
import json
import keyword
import os
import subprocess
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import deck_types  # noqa: E402
from apsis.deck_schema import resolve  # noqa: E402

WIDTH = 128
TYPES = {"number": "float", "integer": "int", "string": "str", "boolean": "bool", "object": "Mapping[str, Any]", "array": "Sequence[Any]"}
FILES = {
    "models": ("Model", "Initial conditions: the section `bodies` of a deck, or the bodies of a part."),
    "integrators": ("Integrator", "Integrators: the section `integrator` of a deck."),
    "forces": ("Force", "Forces besides gravity: entries of the list `forces` of a deck."),
}


def argument(key):
    """Returns the name of the argument of a key: `from_` for the key `from`, which is a word of Python."""
    return f"{key}_" if keyword.iskeyword(key) else key


def type_of(node, root):
    node = resolve(node, root)
    if "enum" in node:
        return f"Literal[{', '.join(json.dumps(value) for value in node['enum'])}]"
    if "type" in node:
        if node["type"] == "array" and resolve(node.get("items", {}), root).get("type") == "number":
            return "Sequence[float]"
        return TYPES[node["type"]]
    return " | ".join(dict.fromkeys(type_of(form, root) for form in node["oneOf"]))


def forms_of(node, root):
    """Returns (name, doc, keys) of each form of an object within an entry, such as `masses`."""
    forms = [resolve(form, root) for form in resolve(node, root).get("oneOf", ())]
    for form in forms:
        for key, each in form.get("properties", {}).items():
            if "const" in each:
                yield key, each["const"], form.get("description", ""), [name for name in form["properties"] if name != key]


def described(name, node, root, indent="        "):
    """Returns the lines of a docstring about a parameter."""
    node = resolve(node, root)
    text = node.get("description", "")
    if "default" in node and node["default"] is not None:
        text += f"; default {json.dumps(node['default'])}"
    lines = textwrap.wrap(f"{name}: {text}", WIDTH, initial_indent=indent, subsequent_indent=indent + "    ")
    for key, value, doc, keys in forms_of(node, root):
        more = f" with {', '.join(keys)}" if keys else ""
        lines += textwrap.wrap(f'{{"{key}": "{value}"}}{more}: {doc}', WIDTH, initial_indent=indent + "    ",
                               subsequent_indent=indent + "        ")
    return lines


def function(kind, name, form, selector, root):
    """Returns the lines of the function of an entry."""
    keys = {argument(key): node for key, node in form["properties"].items() if key != selector}
    required = [argument(key) for key in form.get("required", ()) if key != selector]
    optional = [key for key in keys if key not in required]
    if name == "composite":
        required.remove("parts")
        words = ["*parts: Mapping[str, Any]"]
    else:
        words = [f"{key}: {type_of(keys[key], root)}" for key in required] + (["*"] if optional else [])
    words += [f"{key}: {type_of(keys[key], root)} | None = None" for key in optional]
    yield from signature(name, words, kind)
    order = [*(["parts"] if name == "composite" else required), *optional]
    yield from docstring(form.get("description", name), [line for key in order for line in described(key, keys[key], root)])
    given = [f"{key}={key}" for key in keys]
    yield from call(f"return {kind}", [json.dumps(name), *given])


def signature(name, words, kind):
    """Returns the lines of a `def`, broken between parameters only."""
    words = ", ".join(word.replace(" ", "\0") for word in words)
    lines = textwrap.wrap(f"def\0{name}({words})\0->\0{kind}:", WIDTH, subsequent_indent=" " * (5 + len(name)), break_long_words=False,
                          break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


def docstring(text, parameters):
    text = text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
    lines = textwrap.wrap('"""' + text, WIDTH, initial_indent="    ", subsequent_indent="    ")
    if not parameters:
        lines[-1] += '"""'
        return lines
    return [*lines, "", *parameters, '    """']


def call(head, words):
    return textwrap.wrap(f"{head}({', '.join(words)})", WIDTH, initial_indent="    ", subsequent_indent=" " * (5 + len(head)),
                         break_long_words=False, break_on_hyphens=False)


def part(form, root):
    """Returns the lines of the function of a part of a composite."""
    node = resolve(resolve(form["properties"]["parts"], root)["items"], root)
    keys = {key: each for key, each in node["properties"].items() if key != "bodies"}
    words = ["bodies: Mapping[str, Any]", "*", *(f"{key}: {type_of(each, root)} | None = None" for key, each in keys.items())]
    yield from signature("part", words, "Part")
    about = ["        bodies: a model, a list or a file, as the section `bodies` of a deck, or `Bodies`"]
    yield from docstring("A part of a composite: bodies, rotated and moved", about + [line for key, each in keys.items()
                                                                                     for line in described(key, each, root)])
    yield from call("return Part", [f"{key}={key}" for key in ("bodies", *keys)])


def text_of(name, root):
    kind, doc = FILES[name]
    section, selector = {"models": ("bodies", "generator"), "integrators": ("integrator", "name"), "forces": ("forces", "name")}[name]
    node = resolve(root["properties"][section], root)
    node = resolve(node["items"], root) if "items" in node else node
    forms = [resolve(form, root) for form in node["oneOf"]]
    entries = {form["properties"][selector]["const"]: form for form in forms if selector in form["properties"]}
    functions, names = [], list(entries)
    for entry, form in entries.items():
        functions.append("\n".join(function(kind, entry, form, selector, root)))
        if entry == "composite":
            functions.append("\n".join(part(form, root)))
            names.append("part")
    kinds = f"{kind}, Part" if "part" in names else kind
    body = "\n\n\n".join(functions)
    literal = ", Literal" if "Literal[" in body else ""
    sequence = ", Sequence" if "Sequence[" in body else ""
    exported = textwrap.wrap(f"NAMES: tuple[str, ...] = ({', '.join(json.dumps(each) for each in names)})", WIDTH, subsequent_indent=" " * 26)
    return "\n".join(["# SPDX-License-Identifier: Apache-2.0", f'"""{doc}', "",
                      "Generated by tests/documents/registry_functions.py from `apsis schema`. Do not edit.", '"""',
                      "from __future__ import annotations", "", f"from collections.abc import Mapping{sequence}",
                      f"from typing import Any{literal}", "", f"from ..registry_types import {kinds}", "", *exported, "", "", body, ""])


def main():
    source, executable = (Path(word).resolve() for word in sys.argv[1:3])
    root = json.loads(subprocess.run([executable, "schema"], check=True, capture_output=True, text=True).stdout)
    status = 0
    for name, wanted in {**{f"registry/{name}.py": text_of(name, root) for name in FILES}, **deck_types.texts(root)}.items():
        path = source / "python/apsis" / name
        if sys.argv[3:] != ["--check"]:
            path.write_text(wanted, encoding="utf-8")
            continue
        stored = path.read_text(encoding="utf-8") if path.exists() else ""
        if stored != wanted:
            status = 1
            print("\n".join(difflib.unified_diff(stored.splitlines(), wanted.splitlines(), str(path.relative_to(source)), "generated",
                                                 lineterm="", n=0)))
    if status:
        print("Functions and types of decks are stale. Write them anew: "
              f"python3 tests/documents/registry_functions.py . {os.path.relpath(executable, source)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
