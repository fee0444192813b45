# SPDX-License-Identifier: Apache-2.0
"""Types of decks from `apsis schema`: the text of the module apsis.deck_types, a TypedDict for each object of a deck."""
import json
import keyword
import textwrap

from apsis.deck_schema import resolve

HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""Types of decks, for type checkers and editors. Generated from `apsis schema`."""
from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing_extensions import Required
    from .bodies import Bodies
    from .registry_types import Force, Integrator, Model, Numbers, Part
'''
SCALARS = {"number": "float", "integer": "int", "string": "str", "boolean": "bool"}
# Objects of the package that stand for those of a deck, by the place or definition of the latter.
STAND_INS = {"bodies": ("Model", "Bodies"), "parts.item.bodies": ("Model", "Bodies"), "integrator": ("Integrator",), "forces.item": ("Force",),
             "bodies.composite.parts.item": ("Part",)}


def camel(words):
    return "".join(word[:1].upper() + word[1:] for word in words.replace(".", "_").replace("-", "_").split("_"))


class Types:
    """The classes of the objects of a schema: their fields and docs by name."""

    def __init__(self, root):
        self.root = root
        self.classes = {}  # name: (fields, required keys, doc)
        self.bases = {}    # name of a class: that which it extends

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

    def text(self):
        """Returns the text of all classes, those that others extend first."""
        return "\n".join("\n\n" + "\n".join(self.class_lines(name)) for name in sorted(self.classes, key=self.bases.__contains__))

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
            yield from textwrap.wrap(f'"""{doc}"""', 128, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
        elif not fields:
            yield "    pass"
        for key, each in types.items():
            yield f"    {key}: {each}"


def text_of(root):
    """Returns the text of the module."""
    types = Types(root)
    sections = {name: types.type_of(node, name) for name, node in root["properties"].items() if name.isidentifier()}
    types.classes["DeckSections"] = sections, (), "sections of a deck by name, as `Deck` takes them"
    return HEAD + types.text() + "\n"
