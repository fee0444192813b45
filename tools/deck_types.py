# SPDX-License-Identifier: Apache-2.0
"""Types of decks from `apsis schema`: the text of the modules of apsis.deck_types, a TypedDict for each object
of a deck."""
import json
import keyword
import re
import textwrap

from apsis.deck_schema import resolve

WIDTH = 128
SCALARS = {"number": "float", "integer": "int", "string": "str", "boolean": "bool"}
# Files by the sections whose objects they hold; the rest is in the last one.
FILES = {"bodies": ("bodies",), "integrator": ("integrator",), "output": ("output", "diagnostics"), "units": ("units",),
         "sections": ()}
DOCS = {"bodies": "the section `bodies`", "integrator": "the section `integrator`", "output": "the sections `output` and `diagnostics`",
        "units": "the section `units`", "sections": "the sections"}
# Objects of the package that stand for those of a deck, by the place or definition of the latter.
STAND_INS = {"bodies": ("Model", "Bodies"), "parts.item.bodies": ("Model", "Bodies"), "integrator": ("Integrator",), "forces.item": ("Force",),
             "bodies.composite.parts.item": ("Part",)}
PLACES = {"Bodies": "..bodies", **{name: "..registry_types" for name in ("Force", "Integrator", "Model", "Numbers", "Part")}}


def camel(words):
    return "".join(word[:1].upper() + word[1:] for word in words.replace(".", "_").replace("-", "_").split("_"))


def file_of(section):
    """Returns the file of the objects of a section."""
    return next((name for name, sections in FILES.items() if section in sections), "sections")


class Types:
    """The classes of the objects of a schema: their fields and docs by name, and the file that each belongs to."""

    def __init__(self, root):
        self.root = root
        self.classes = {}  # name: (fields, required keys, doc)
        self.bases = {}    # name of a class: that which it extends
        self.files = {}
        self.file = "sections"

    def object_type(self, node, place, name):
        """Returns the name of the class of an object: `name`, one after its place if that is another object's, or that of an
        equal object. `place`: of the definition, or of the key that has the object."""
        fields = {key: self.type_of(each, f"{place}.{key}") for key, each in node["properties"].items()}
        content = fields, tuple(node.get("required", ())), node.get("description", "")
        equal = next((known for known, each in self.classes.items() if each == content), None)
        if equal:
            return equal
        if name in self.classes:
            name = camel(place)
        if name in self.classes:
            raise ValueError(f"two objects at {place} differ")
        self.classes[name] = content
        self.files[name] = self.file
        return name

    def type_of(self, node, place):
        """Returns the type of the values of a node at a place, such as "bodies.plummer.masses"."""
        return " | ".join(dict.fromkeys([*self.forms_of(node, place), *STAND_INS.get(place, ())]))

    def forms_of(self, node, place):
        """Returns the types of the forms of a node."""
        reference = node.get("$ref", "").removeprefix("#/$defs/")
        extra = [key for key in node.get("properties", ()) if reference]  # keys beside those of the definition
        node = resolve(node, self.root)
        if "const" in node or "enum" in node:
            return [f"Literal[{', '.join(map(json.dumps, node.get('enum', [node.get('const')])))}]"]
        if node.get("type") == "array":
            each = self.type_of(node["items"], f"{place}.item")
            return ["Numbers" if each == "float" else f"Sequence[{each}]"]
        if node.get("type") in SCALARS:
            return [SCALARS[node["type"]]]
        if "oneOf" in node and not node.get("properties"):
            return [name for form in node["oneOf"] for name in self.forms_of(form, place)]
        # `oneOf` beside keys says which of them exclude each other
        name = f"{camel(reference)}With{camel('_'.join(extra))}" if extra else camel(reference or place)
        class_name = self.object_type(node, f"{place}.{reference.rpartition('.')[2]}" if extra else reference or place, name)
        if extra:
            self.extend(class_name, *self.forms_of({"$ref": f"#/$defs/{reference}"}, reference))
        return [class_name]

    def extend(self, name, base):
        """Lets a class extend another if it has all its fields."""
        (fields, required, _), (others, needed, _) = self.classes[name], self.classes[base]
        if others and others.items() <= fields.items() and set(needed) == set(required) & set(others):
            self.bases[name] = base

    def ordered(self, file):
        """Returns the names of the classes of a file, those that others extend first."""
        names = [name for name, each in self.files.items() if each == file]
        return [name for name in names if name not in self.bases] + [name for name in names if name in self.bases]

    def text_of(self, file):
        """Returns the text of a file."""
        blocks = ["\n".join(self.class_lines(name)) for name in self.ordered(file)]
        body = "\n\n\n".join(blocks)
        words = set(re.findall(r"\w+", body))
        others = {other: sorted(name for name in words if self.files.get(name) == other) for other in FILES if other != file}
        typing = [name for name in ("Any", "Literal", "TypedDict") if name in words]
        imports = {}
        for name, place in PLACES.items():
            if name in words and self.files.get(name) is None:
                imports.setdefault(place, []).append(name)
        lines = ["# SPDX-License-Identifier: Apache-2.0", f'"""Types in a deck: {DOCS[file]}. They are for type checkers and editors.', "",
                 "Generated by tools/python_sources.py from `apsis schema`. Do not edit.", '"""',
                 "from __future__ import annotations", "", f"from typing import TYPE_CHECKING, {', '.join(typing)}", "",
                 "if TYPE_CHECKING:"]
        if "Sequence" in words:
            lines.append("    from collections.abc import Sequence")
        lines += ["    from typing_extensions import Required"] if "Required" in words else []
        for place, names in sorted(imports.items()):
            lines.append(f"    from {place} import {', '.join(names)}")
        for other, names in others.items():
            if names:
                lines += textwrap.wrap(f"from .{other} import ({', '.join(names)})", WIDTH, initial_indent="    ",
                                       subsequent_indent=" " * (19 + len(other)))
        return "\n".join([*lines, "", "", body, ""])

    def class_lines(self, name):
        fields, required, doc = self.classes[name]
        base = self.bases.get(name)
        if base:
            fields, doc = {key: each for key, each in fields.items() if key not in self.classes[base][0]}, ""
        types = {key: f"Required[{each}]" if key in required else each for key, each in fields.items()}
        if any(keyword.iskeyword(key) or not key.isidentifier() for key in fields):
            yield f'{name} = TypedDict("{name}", {{'
            for key, each in types.items():
                yield f"    {json.dumps(key)}: {json.dumps(each.replace(chr(34), chr(39)))},"
            yield "}, total=False)"
            return
        yield f"class {name}({base or 'TypedDict'}, total=False):"
        if doc:
            doc = (doc[:1].upper() + doc[1:] if doc.split()[0].isalpha() else doc) + ("" if doc.endswith(".") else ".")
            yield from textwrap.wrap(f'"""{doc}"""', WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
        elif not fields:
            yield "    pass"
        for key, each in types.items():
            yield from broken(f"    {key}: {each}")


def broken(line):
    """Returns a line of a type in several if it is too long."""
    if len(line) <= WIDTH:
        return [line]
    key, _, union = line.strip().partition(": ")
    head, _, inner = union.partition("[") if union.startswith(("Required[", "Sequence[")) else ("", "", union)
    inner = inner.removesuffix("]") if head else inner
    brackets = (f"{head}[", "]") if head else ("(", ")")
    words = (textwrap.wrap(inner, WIDTH - 8, break_long_words=False, break_on_hyphens=False))
    return [f"    {key}: {brackets[0]}", *(f"        {word}" for word in words), f"    {brackets[1]}"]


def texts(root):
    """Returns the text of each file, by its name."""
    types = Types(root)
    sections = {}
    for name, node in root["properties"].items():
        types.file = file_of(name)
        if name.isidentifier():
            sections[name] = types.type_of(node, name)
    types.classes["DeckSections"] = sections, (), "sections of a deck by name, as `Deck` takes them"
    types.files["DeckSections"] = "sections"
    return {f"{name}.py": types.text_of(name) for name in FILES}
