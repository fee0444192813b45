#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the generated modules of the Python package from `apsis schema`, into a folder of a build tree that is part of the package:

    python_sources.py EXECUTABLE FOLDER

registry.py has a function for each model, integrator and force, deck_types.py the types of decks. The build runs this
(cmake/python_package.cmake), and goes on without the modules where Python is too old or the executable cannot run.
"""
import json
import keyword
import subprocess
import sys
import textwrap
from pathlib import Path

WITHOUT = "The Python module has no functions of models, integrators and forces:"
if sys.version_info < (3, 9):
    print(WITHOUT, "they need Python 3.9 or later")
    sys.exit()
sys.dont_write_bytecode = True  # a checkout may be read-only and is not modified
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import deck_types  # noqa: E402
from apsis.deck_schema import resolve  # noqa: E402

WIDTH = 128
TYPES = {"number": "float", "integer": "int", "string": "str", "boolean": "bool", "object": "Mapping[str, Any]", "array": "Sequence[Any]"}
HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""Models, integrators and forces as functions, which return the sections or entries of a deck. Generated from `apsis schema`."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .registry_types import Force, Integrator, Model, Part
'''
SECTIONS = {"bodies": ("generator", "Model"), "integrator": ("name", "Integrator"), "forces": ("name", "Force")}


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


def described(name, node, root, entry, explained):
    """Returns the lines of a docstring about a parameter of an entry. `explained`: forms of objects and the first entry that has them,
    which alone describes them."""
    indent = "        "
    node = resolve(node, root)
    text = node.get("description", "")
    if "default" in node and node["default"] is not None:
        text += f"; default {json.dumps(node['default'])}"
    forms = []
    for key, value, doc, keys in forms_of(node, root):
        more = f" with {', '.join(keys)}" if keys else ""
        forms += textwrap.wrap(f'{{"{key}": "{value}"}}{more}: {doc}', WIDTH, initial_indent=indent + "    ",
                               subsequent_indent=indent + "        ")
    first = explained.setdefault("\n".join(forms), entry)
    if forms and first != entry:
        text, forms = f"{text} (its forms: see `{first}`)", []
    return textwrap.wrap(f"{name}: {text}", WIDTH, initial_indent=indent, subsequent_indent=indent + "    ") + forms


def function(kind, name, form, selector, root, explained):
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
    yield f"def {name}({', '.join(words)}) -> {kind}:"
    order = [*(["parts"] if name == "composite" else required), *optional]
    yield from docstring(form.get("description", name), [line for key in order
                                                         for line in described(key, keys[key], root, name, explained)])
    yield f"    return {kind}({', '.join([json.dumps(name), *(f'{key}={key}' for key in keys)])})"


def docstring(text, parameters):
    text = text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
    lines = textwrap.wrap('"""' + text, WIDTH, initial_indent="    ", subsequent_indent="    ")
    if not parameters:
        lines[-1] += '"""'
        return lines
    return [*lines, "", *parameters, '    """']


def part(form, root, explained):
    """Returns the lines of the function of a part of a composite."""
    node = resolve(resolve(form["properties"]["parts"], root)["items"], root)
    keys = {key: each for key, each in node["properties"].items() if key != "bodies"}
    words = ["bodies: Mapping[str, Any]", "*", *(f"{key}: {type_of(each, root)} | None = None" for key, each in keys.items())]
    yield f"def part({', '.join(words)}) -> Part:"
    about = ["        bodies: a model, a list or a file, as the section `bodies` of a deck, or `Bodies`"]
    yield from docstring("A part of a composite: bodies, rotated and moved",
                         about + [line for key, each in keys.items() for line in described(key, each, root, "part", explained)])
    yield f"    return Part({', '.join(f'{key}={key}' for key in ('bodies', *keys))})"


def text_of(root):
    """Returns the text of the module of all functions."""
    functions, explained = {}, {}
    for section, (selector, kind) in SECTIONS.items():
        node = resolve(root["properties"][section], root)
        node = resolve(node["items"], root) if "items" in node else node
        for form in (resolve(form, root) for form in node["oneOf"]):
            if selector in form["properties"]:
                name = form["properties"][selector]["const"]
                functions[name] = function(kind, name, form, selector, root, explained)
                if name == "composite":
                    functions["part"] = part(form, root, explained)
    texts = "".join("\n\n" + "\n".join(lines) + "\n" for lines in functions.values())
    return f"{HEAD}\n__all__ = {json.dumps(list(functions))}\n{texts}"


def main():
    executable, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    answer = subprocess.run([executable, "schema"], capture_output=True, text=True)
    if answer.returncode:
        print(WITHOUT, f"{executable} schema ended with status {answer.returncode}: {answer.stderr.strip()}")
        return
    root = json.loads(answer.stdout)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "deck_types.py").write_text(deck_types.text_of(root), encoding="utf-8")
    (folder / "registry.py").write_text(text_of(root), encoding="utf-8")


if __name__ == "__main__":
    main()
