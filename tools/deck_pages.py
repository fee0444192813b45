#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the reference pages of the deck, docs/decks/*.md, from `apsis help deck ...`.

    deck_pages.py SOURCE EXECUTABLE [--check]

With --check no file is written. The status is 1 if a page is missing, stale or superfluous.
"""
import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

LINE_WIDTH = 100  # of help texts, `line_width` in src/deck/text/reference.cpp
# The page that explains each section.
GUIDES = {"units": "../decks.md#units", "bodies": "../bodies.md", "gravity": "../choosing.md#solver",
          "integrator": "../integrators/README.md", "run": "../decks.md#end-of-a-run", "output": "../files/README.md",
          "diagnostics": "../files/tables.md#diagnostics", "collisions": "../decks.md#collisions-removal-encounters",
          "removal": "../decks.md#collisions-removal-encounters",
          "encounters": "../decks.md#collisions-removal-encounters", "conservation": "../files/conservation.md",
          "forces": "../forces.md"}


class Help:
    """A help text: its first paragraph, and its lists, each of (introduction, entries)."""

    def __init__(self, text):
        lines = text.splitlines()
        blank = lines.index("") if "" in lines else 0
        self.head = " ".join(lines[:blank])
        self.lists, introduction, block = [], "", []
        for line in [*lines[blank:], ""]:
            if line.startswith("  "):
                block.append(line)
                continue
            if block:
                self.lists.append((introduction, entries(block)))
            introduction, block = line, []


def entries(lines):
    """The entries (name, values, meaning) of a list: names in one column, two paragraphs each in another."""
    indent = 2 + max(len(line.split()[0]) for line in lines if line[2] != " ") + 2
    blocks = []
    for line in lines:
        if line[2] != " ":
            blocks.append((line.split()[0], []))
        if line[indent:]:
            blocks[-1][1].append(line[indent:])
    return [(name, *paragraphs(texts, LINE_WIDTH - indent)) for name, texts in blocks]


def paragraphs(lines, width):
    """Two paragraphs (values, meaning). The first ends where the next word had room, or behind a unit or a default."""
    for end, (line, following) in enumerate(zip(lines, lines[1:]), 1):
        had_room = len(line) + 1 + len(following.split()[0]) <= width
        is_complete = (re.search(r"(\]|, required|, default \S*[^\s,])$", " ".join(lines[:end]))
                       and not following.startswith(("[", "(", "unless ")))
        if had_room or is_complete:
            return " ".join(lines[:end]), " ".join(lines[end:])
    return " ".join(lines), ""


def cell(text):
    return re.sub(r"<(?=[A-Za-z/!])", "&lt;", text.replace("|", "\\|").replace("*", "\\*"))


def table(rows):
    yield "| key | value | meaning |"
    yield "|---|---|---|"
    for name, values, meaning in rows:
        yield f"| `{name}` | {cell(values)} | {cell(meaning)} |"


def sentence(text):
    return cell(text[:1].upper() + text[1:]) + "."


class Pages:
    def __init__(self, executable):
        self.executable = executable

    def help(self, *words):
        environment = dict(os.environ, APSIS_STARTED_AS="apsis")
        return Help(subprocess.run([self.executable, "help", "deck", *words], env=environment, check=True,
                                   capture_output=True, text=True).stdout)

    def overview(self):
        rows = [row for _, each in self.help().lists for row in each]
        yield from ["# Keys of a deck", "", notice(), "", "The top level of a deck. [Decks](../decks.md) explains it.", ""]
        yield from ["| key | value | meaning |", "|---|---|---|"]
        for name, *texts in rows:
            # A section has no values, but a remark such as "required".
            values, meaning = texts if texts[1] else ("", texts[0])
            values = f"object, {values}" if values == "required" else values or "object"
            key = f"[`{name}`]({name}.md)" if name in GUIDES else f"`{name}`"
            yield f"| {key} | {cell(values)} | {cell(meaning)} |"

    def page(self, section):
        text = self.help(section)
        name, _, meaning = text.head.partition(": ")
        required = " Required." if name.endswith("(required)") else ""
        yield from [f"# Deck section `{section}`", "", notice(section), "", f"{sentence(meaning)}{required} "
                    f"See also [the guide]({GUIDES[section]}) and [all sections](deck.md).", ""]
        selector, forms = self.forms(text)
        if not forms:
            for introduction, rows in text.lists:
                if introduction.startswith("one of"):
                    yield from [f"Needs one of {introduction[7:].removesuffix(', and').replace(chr(39), '`')}.", ""]
                yield from table(rows)
            return
        # Forms with the same keys share a table.
        groups = {}
        for form in forms:
            rows = [row for _, each in self.help(section, form[0]).lists for row in each]
            keys = tuple(row for row in rows if row[0] != selector)
            groups.setdefault(keys, []).append(form)
        for keys, members in groups.items():
            names = [f"`{form}`" for form, _ in members]
            yield from ["## " + (", ".join(names) if len(names) < 5 else f"{names[0]} to {names[-1]}"), ""]
            yield from ["| form | meaning |", "|---|---|"]
            for form, doc in members:
                place = f"`\"{selector}\": \"{form}\"`" if form not in [key for key, *_ in keys] else f"`{form}`"
                yield f"| {place} | {cell(doc)} |"
            yield ""
            if keys:
                yield from [*table(keys), ""]

    def forms(self, text):
        """The key that selects a form, and the forms (name, meaning) of a section; none if it has one form."""
        for introduction, rows in text.lists:
            if introduction.endswith(" is one of"):
                # Forms that another key selects, such as `list` and `file` of bodies.
                others = [row for words, each in text.lists if words.startswith("or") for row in each]
                return introduction.split()[0], [(name, f"{values} {meaning}".strip()) for name, values, meaning in rows + others]
        chosen = [(name, re.match(r"'(\w+)'", values)[1], meaning) for _, rows in text.lists
                  for name, values, meaning in rows if values.startswith("'") and "." not in name]
        return (chosen[0][0], [(form, meaning) for _, form, meaning in chosen]) if len(chosen) > 1 else ("", [])

    def all(self):
        texts = {"deck.md": self.overview(), **{f"{section}.md": self.page(section) for section in GUIDES}}
        return {name: "\n".join(lines).rstrip("\n") + "\n" for name, lines in texts.items()}


def notice(section=""):
    return (f"<!-- Generated by tools/deck_pages.py from `{f'apsis help deck {section}'.rstrip()}`. "
            "Do not edit. -->")


def main():
    source, executable = (Path(word).resolve() for word in sys.argv[1:3])
    folder = source / "docs/decks"
    pages = Pages(executable)
    sections = [row[0] for _, rows in pages.help().lists for row in rows]
    unexplained = [name for name in sections if name not in {*GUIDES, "$schema", "title", "reference"}]
    if unexplained:
        print(f"deck_pages.py: GUIDES lacks the sections {', '.join(unexplained)}")
        return 1
    texts = pages.all()
    if sys.argv[3:] != ["--check"]:
        folder.mkdir(exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        return 0
    status = 0
    for name in sorted(texts.keys() | {path.name for path in folder.glob("*.md")}):
        path = folder / name
        stored = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        wanted = texts.get(name, "").splitlines()
        if stored != wanted:
            status = 1
            print("\n".join(difflib.unified_diff(stored, wanted, f"docs/decks/{name}", "generated", lineterm="", n=0)))
    if status:
        print("Pages of the deck are stale. Write them anew: "
              f"python3 tools/deck_pages.py . {os.path.relpath(executable, source)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
