#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each source includes its own header first, so that the header compiles alone, and that each header has
`#pragma once`.

    test_own_headers.py SOURCE [--write]

With --write it moves the include of the own header to the front of each source, in quotes, where clang-format leaves it. The own header of src/<room>/.../x.cpp is the header x.hpp beside it, otherwise include/apsis/<room>/x.hpp or the one in
the same folder below it.
"""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1]).resolve()
source, public = root / "src", root / "include/apsis"
problems = [f"{path.relative_to(root)} lacks #pragma once" for folder in (source, public) for path in sorted(folder.rglob("*.hpp"))
            if "#pragma once" not in path.read_text(encoding="utf-8")]
count = 0
for path in sorted(source.rglob("*.cpp")):
    name = path.relative_to(source).with_suffix(".hpp")
    owned = next((header for header in (path.with_suffix(".hpp"), public / name, public / name.parts[0] / name.name)
                  if header.is_file() and len(name.parts) > 1), None)
    if owned is None:
        continue
    count += 1
    text = path.read_text(encoding="utf-8")
    words = re.findall(r'^#include (?:<.+>|".+")$', text, re.M)
    own_includes = [word for word in words if owned in (path.parent / word[10:-1], source / word[10:-1], root / "include" / word[10:-1])]
    if own_includes != words[:1] and "--write" in sys.argv:
        rest = text.replace(own_includes[0] + "\n", "", 1) if own_includes else text
        start = rest.index("#include")
        name = owned.relative_to(source if source in owned.parents else root / "include")
        path.write_text(f'{rest[:start]}#include "{name}"\n\n{rest[start:]}', encoding="utf-8")
    elif own_includes != words[:1]:
        problems.append(f"{path.relative_to(root)} includes {words[0]} first, not its own header {owned.relative_to(root)}")
print(f"{count} sources have a header of their own")
for problem in problems:
    print(f"FAILED: {problem}")
sys.exit(1 if problems or not count else 0)
