# SPDX-License-Identifier: Apache-2.0
"""Expands `{header}` fences of the C++ pages to one Breathe directive for each declaration of a public header."""
import re
import xml.etree.ElementTree as ElementTree
from functools import lru_cache
from pathlib import Path

FENCE = re.compile(r"^```\{header\} (\S+)\n```$", re.M)
DIRECTIVES = {"function": "doxygenfunction", "enum": "doxygenenum", "typedef": "doxygentypedef", "variable": "doxygenvariable"}


def place_of(element: ElementTree.Element) -> tuple[str, int]:
    """Returns header and line of the declaration of an entity."""
    location = element.find("location")
    return location.get("declfile") or location.get("file"), int(location.get("declline") or location.get("line"))


def text_of(element: ElementTree.Element) -> str:
    """Returns the text of an element in one line."""
    return " ".join("".join(element.itertext()).split())


def template_of(function: ElementTree.Element) -> str:
    """Returns `template<...> ` of a function template, or an empty text."""
    parameters = function.findall("templateparamlist/param")
    words = (f"{p.findtext('type')} {p.findtext('declname') or ''}".strip() for p in parameters)
    return f"template<{', '.join(words)}> " if parameters else ""


def remove_lambdas(xml: Path) -> None:
    """Removes lambdas as initial values from Doxygen's output: the C++ parser of Sphinx does not know them."""
    for path in xml.glob("*.xml"):
        text = path.read_text(encoding="utf-8")
        changed = re.sub(r"<initializer>=\s*\[.*?</initializer>", "", text, flags=re.DOTALL)
        if changed != text:
            path.write_text(changed, encoding="utf-8")


@lru_cache(maxsize=None)
def declarations(xml: Path) -> dict[str, list[tuple[int, str]]]:
    """Returns line and directive of all declarations at the level of namespaces, by header.

    Names in a namespace `detail` and operators are left out.
    """
    directives: dict[str, list[tuple[int, str]]] = {}

    def add(element, directive, name, content=""):
        header, line = place_of(element)
        directives.setdefault(header, []).append((line, f"```{{{directive}}} {name}\n{content}```\n"))

    for path in sorted(xml.glob("*.xml")):
        compound = ElementTree.parse(path).getroot().find("compounddef")
        if compound is None:
            continue
        name, kind = compound.findtext("compoundname"), compound.get("kind")
        if "detail" in name.split("::"):
            continue
        if kind in ("class", "struct") and "<" not in name:
            outer = xml / (path.stem.rpartition("_1_1")[0].replace("struct", "class", 1) + ".xml")
            if not outer.exists() and not (xml / outer.name.replace("class", "struct", 1)).exists():
                add(compound, f"doxygen{kind}", name, ":members:\n:undoc-members:\n")
        elif kind == "namespace":
            members = list(compound.iter("memberdef"))
            names = [member.findtext("name") for member in members]
            for member in members:
                short = member.findtext("name")
                if member.get("kind") in DIRECTIVES and not short.startswith(("operator", "@")):
                    overloads = names.count(short) > 1 and member.get("kind") == "function"
                    arguments = member.findtext("argsstring") if overloads else ""
                    template = template_of(member) if overloads else ""
                    if template:  # Breathe cannot tell such overloads apart
                        type_name = text_of(member.find("type"))
                        add(member, "cpp:function", f"{template}{type_name} {name}::{short}{arguments}",
                            f"{text_of(member.find('briefdescription'))} {text_of(member.find('detaileddescription'))}\n")
                    else:
                        add(member, DIRECTIVES[member.get("kind")], f"{name}::{short}{arguments}")
    return directives


def expand(text: str, xml: Path) -> str:
    """Returns the page with the declarations of each header in the order of their lines.

    Raises ValueError for a header without declarations.
    """
    def directives(match):
        rows = declarations(xml).get(match[1])
        if not rows:
            raise ValueError(f"docs/api: no declarations in {match[1]} (removed or renamed); change the {{header}} fence")
        namespace = re.search(r"(?:\w+::)+", rows[0][1])[0].removesuffix("::")
        return (f"```cpp\n#include <{match[1]}>  // namespace {namespace}\n```\n\n" + "\n".join(row for _, row in sorted(rows)))

    return FENCE.sub(directives, text)
