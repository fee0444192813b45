#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the code of the demo in a build tree (library and executable), and compares it with the limits of
cmake/budget.txt.

    budget.py BUILD [--write]

Prints the bytes of all text sections, in all and for each room, then the ten largest and the ten slowest objects. The
limits hold for g++ 12 on x86-64 and for the instruction sets that the file names: `generic` is APSIS_NATIVE=OFF. Another
build is only printed. Status: 0 within the limits, 1 beyond one of them, 77 if there are none for this build.

A symbol belongs to the first room that its demangled name has as a namespace. `apsis` are names in no room's namespace,
`libraries` are templates of libraries without a type of Apsis.

--write sets the limits of this instruction set to the measured sizes plus 2 %. A change that needs more does so in a commit
of its own, which says why.
"""
import platform
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMITS = ROOT / "cmake/budget.txt"
HEAD = """# SPDX-License-Identifier: Apache-2.0
# Largest code sizes of the demo [bytes of text sections], written by `tools/budget.py BUILD --write`: instruction set, room,
# limit. .ci/run fails beyond them (g++ 12 on x86-64).
"""
MARGIN = 1.02
NONE = 77


def printed(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def objects_of(build, target):
    """Returns the objects that a target of build.ninja is made from."""
    inputs = {}
    for line in (build / "build.ninja").read_text(encoding="utf-8").splitlines():
        if line.startswith("build "):
            outputs, _, rest = line[6:].partition(": ")
            words = [word for word in rest.split(" || ")[0].split()[1:] if word != "|"]
            for output in outputs.replace(" | ", " ").split():
                inputs[output] = words
    objects, waiting, visited = [], [target], set()
    while waiting:
        name = waiting.pop()
        if name in visited:
            continue
        visited.add(name)
        if name.endswith(".o"):
            objects.append(name)
        else:
            waiting += inputs.get(name, [])
    return sorted(objects)


def text_size(build, objects):
    """Returns the bytes of the text sections of each object."""
    sizes, name = defaultdict(int), ""
    for line in printed("size", "-A", *(build / each for each in objects)).splitlines():
        if match := re.fullmatch(r"(\S.*?)\s+:", line):
            name = str(Path(match[1]).relative_to(build))
        elif match := re.match(r"\.text\S*\s+(\d+)", line):
            sizes[name] += int(match[1])
    return sizes


def room_sizes(build, objects, rooms):
    """Returns the bytes of the functions of each room."""
    sizes = defaultdict(int)
    for line in printed("nm", "-SC", *(build / each for each in objects)).splitlines():
        match = re.match(r"[0-9a-f]+ ([0-9a-f]+) [tTwWi] (.*)", line)
        if match:
            names = re.findall(r"\bapsis::(\w*)", match[2])
            room = next((name for name in names if name in rooms), "apsis" if names else "libraries")
            sizes[room] += int(match[1], 16)
    return sizes


def instructions_of(build, cache):
    """Returns the instruction set of a build if there can be limits for it, otherwise an empty text and why not."""
    text = next(build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")).read_text(encoding="utf-8")
    compiler = " ".join(re.search(rf'CMAKE_CXX_COMPILER_{name} "(.*)"', text)[1] for name in ("ID", "VERSION"))
    if not compiler.startswith("GNU 12.") or platform.machine() != "x86_64":
        return "", f"{compiler} on {platform.machine()}"
    for name, wanted in {"CMAKE_BUILD_TYPE": "Release", "APSIS_BACKEND": "openmp", "APSIS_ENABLE_VIEW": "ON",
                         "BUILD_SHARED_LIBS": "OFF", "APSIS_SANITIZERS": "", "APSIS_UNITY": "ON"}.items():
        if cache.get(name, wanted) != wanted:
            return "", f"{name} is {cache[name]}"
    if cache.get("APSIS_NATIVE") == "OFF":
        return "generic", ""
    return re.search(r"-march=\s+(\S+)", printed(cache["CMAKE_CXX_COMPILER"], "-march=native", "-Q", "--help=target"))[1], ""


def read_limits():
    lines = LIMITS.read_text(encoding="utf-8").splitlines() if LIMITS.exists() else []
    return {(words[0], words[1]): int(words[2]) for line in lines if len(words := line.split()) == 3 and words[0] != "#"}


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--write"]):
        print(__doc__.strip(), file=sys.stderr)
        return 64
    build = Path(sys.argv[1]).resolve()
    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.M))
    instructions, reason = instructions_of(build, cache)
    objects = objects_of(build, f"apsis.{cache['APSIS_BACKEND']}")
    sizes = text_size(build, objects)
    rooms = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
    measured = {"all": sum(sizes.values()), **room_sizes(build, objects, rooms)}
    limits = read_limits()
    if "--write" in sys.argv:
        if not instructions:
            print(f"no limits are written for {reason}", file=sys.stderr)
            return 64
        limits = {key: limit for key, limit in limits.items() if key[0] != instructions}
        limits |= {(instructions, name): round(size * MARGIN) for name, size in measured.items()}
        LIMITS.write_text(HEAD + "".join(f"{kind} {name} {limit}\n" for (kind, name), limit in sorted(limits.items())), encoding="utf-8")

    has_limits = (instructions, "all") in limits
    problems = []
    print(f"code of {len(objects)} objects [bytes], {instructions or reason}{'' if has_limits else ': no limits'}")
    for name, size in sorted(measured.items(), key=lambda item: -item[1]):
        limit = limits.get((instructions, name), 0)
        print(f"  {size:9} {name}" + (f" (at most {limit})" if has_limits else ""))
        if has_limits and size > limit:
            problems.append(f"{name} has {size} bytes of code, {size - limit} above its limit {limit}; make it smaller, or raise the "
                            f"limit by `tools/budget.py {sys.argv[1]} --write` in a commit of its own that says why")
    print("largest objects [bytes]")
    for name in sorted(objects, key=lambda each: -sizes[each])[:10]:
        print(f"  {sizes[name]:9} {name}")
    times = {}
    for line in (build / ".ninja_log").read_text(encoding="utf-8").splitlines()[1:]:
        start, end, _, name, _ = line.split("\t")
        times[name] = int(end) - int(start)  # a later line is a later build
    print("slowest objects [s], beside other processes; a compiler cache hides its hits")
    for name in sorted((each for each in objects if each in times), key=lambda each: -times[each])[:10]:
        print(f"  {times[name] / 1000:9.1f} {name}")
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0 if has_limits else NONE


if __name__ == "__main__":
    sys.exit(main())
