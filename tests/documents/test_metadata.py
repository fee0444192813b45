#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares version, title, authors, licence, abstract and keywords in CMakeLists.txt, CITATION.cff, codemeta.json,
pyproject.toml and the Python module.

    test_metadata.py SOURCE
"""
import json
import re
import sys
import tomllib
from pathlib import Path


def citation(path):
    """Returns the fields of CITATION.cff that this project uses; the standard library has no reader of YAML."""
    text = path.read_text(encoding="utf-8")
    fields = {name: value.strip('"') for name, value in re.findall(r'^(\w[\w-]*): (".*"|[^>"].*)$', text, re.M)}
    for name, block in re.findall(r"^(\w+):(?: >-)?\n((?:  .*\n?)+)", text, re.M):
        lines = [line.strip() for line in block.splitlines()]
        if name == "authors":
            fields[name] = [line.removeprefix("- name: ").strip('"') for line in lines]
        elif name == "keywords":
            fields[name] = [line.removeprefix("- ") for line in lines]
        else:
            fields[name] = " ".join(lines)
    return fields


def main():
    source = Path(sys.argv[1])
    cff = citation(source / "CITATION.cff")
    meta = json.loads((source / "codemeta.json").read_text(encoding="utf-8"))
    version = re.search(r"project\(apsis VERSION ([\d.]+)", (source / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    rows = [
        ("version of CITATION.cff", cff.get("version"), version),
        ("version of codemeta.json", meta["version"], version),
        ("name of codemeta.json", meta["name"], cff["title"].split(":")[0]),
        ("authors of codemeta.json", [author["name"] for author in meta["author"]], cff["authors"]),
        ("licence of codemeta.json", meta["license"].rpartition("/")[2], cff["license"]),
        ("description of codemeta.json", meta["description"], cff["abstract"]),
        ("keywords of codemeta.json", meta["keywords"], cff["keywords"]),
    ]
    package = (source / "python/apsis/__init__.py").read_text(encoding="utf-8")
    rows.append(("__version__ of the Python module", re.search(r'^__version__ = "(.*)"$', package, re.M)[1], version))
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows += [
        ("version of pyproject.toml", project["version"], version),
        ("licence of pyproject.toml", project["license"], cff["license"]),
        ("authors of pyproject.toml", [author["name"] for author in project["authors"]], cff["authors"]),
        ("keywords of pyproject.toml", project["keywords"], meta["keywords"][:len(project["keywords"])]),
    ]
    for name in ("buildInstructions", "softwareHelp", "readme"):
        rows.append((f"{name} of codemeta.json exists", (source / meta[name]).is_file(), True))
    problems = [f"{what}: {value!r}, expected {expected!r}" for what, value, expected in rows if value != expected]
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
