#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the documents against the project: runs commands, checks decks, follows links.

    check_documents.py SOURCE EXECUTABLE WORK [--python-only]

With --python-only only commands and programs that need Python are run, because they depend on the installed
libraries. CONTRIBUTING.md, "Documents", explains the kinds of fences.
"""
import fnmatch
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

README_LINES = 150
TOP_LEVEL = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
FOLDERS = ("analysis", "cmake", "docs", "include", "inputs", "python", "src", "tests")
PATH = re.compile(rf"(?:\.ci|{'|'.join(FOLDERS)})/[\w./*-]*")
NAMED_DECK = re.compile(r"json [\w.-]+\.json")
DIRECTIVE = re.compile(r"math|\{(toctree|header)\}.*")  # of the documentation site, whose test follows them
# Options in prose that are those of other programs.
FOREIGN_OPTIONS = {"--about", "--all-digits", "--build", "--centre", "--dark", "--each", "--enable-incomplete-feature",
                   "--foreground", "--help", "--install", "--integrator", "--logarithmic", "--output", "--prefix", "--preset",
                   "--reach", "--species", "--version", "--workflow"}
# Programs in slow fences of which nothing is known but that they exist.
FOREIGN_PROGRAMS = {"alias", "apt-get", "cp", "export", "git", "mkdir", "mpirun", "pip", "sudo"}
MISSING_PYTHON = "a library is missing"  # message of analysis/ if a library is missing


class Document:
    """Lines, fences (kind, line number, text) and headings of a document."""

    def __init__(self, path, name, problems):
        self.path, self.name = path, name
        self.lines = path.read_text(encoding="utf-8").splitlines()
        self.fences, prose, kind = [], [], None
        for number, line in enumerate(self.lines, 1):
            if line.startswith("```") and kind is None:
                kind, start, text = line[3:].strip(), number + 1, []
                if kind not in KINDS and not NAMED_DECK.fullmatch(kind) and not DIRECTIVE.fullmatch(kind):
                    problems.add(self, number, f"a fence of unknown kind '{kind}' (known: {', '.join(KINDS)})")
            elif line.startswith("```"):
                self.fences.append((kind, start, text))
                kind = None
            elif kind is not None:
                text.append(line)
            elif not line.startswith("    "):
                prose.append((number, line))
        self.prose = prose
        self.headings = {re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
                         for _, line in prose if line.startswith("#")}
        self.headings |= {anchor for _, line in prose for anchor in re.findall(r'<a id="([\w-]+)"></a>', line)}


class Problems(list):
    def add(self, document, number, text):
        self.append(f"{document.name}:{number}: {text}")


def commands(start, text):
    """Returns the commands of a fence, with continued lines joined: (line number, command)."""
    joined, first = "", start
    for number, line in enumerate(text, start):
        first = first if joined else number
        joined += line
        if joined.endswith("\\"):
            joined = joined[:-1] + " "
            continue
        if joined.strip() and not joined.lstrip().startswith("#"):
            yield first, joined.strip()
        joined = ""


class Checker:
    def __init__(self, source, executable, work, python_only=False):
        self.source, self.executable, self.work = source, executable, work
        self.python_only = python_only
        self.has_threads = executable.suffix == ".openmp"
        self.problems = Problems()
        self.ran = self.skipped = 0
        self.folder = None
        self.options = {}
        self.presets = json.loads((source / "CMakePresets.json").read_text())
        self.names = "".join(path.read_text() for path in
                             (source / "CMakeLists.txt", source / "tests/CMakeLists.txt"))
        self.all_commands = re.findall(r"^  (\w+)  ", re.split("(?i)subcommands:", self.apsis("--help").stdout)[1], re.M)
        for command in self.all_commands:
            help_text = self.apsis(command, "--help").stdout
            self.options[command] = set(re.findall(r"^ .*?(--[a-z][a-z-]*)", help_text, re.M)) - {"--help"}

    # Commands

    def apsis(self, *arguments):
        return subprocess.run([self.executable, *arguments], capture_output=True, text=True, cwd=self.folder)

    def enter(self, name):
        """Makes a folder that looks like the top of a checkout with a finished build."""
        self.folder = self.work / name
        (self.folder / "build/openmp").mkdir(parents=True)
        for name in FOLDERS:
            (self.folder / name).symlink_to(self.source / name)
        (self.folder / "bin").mkdir()
        programs = {"bin/apsis": self.executable, "build/openmp/apsis.openmp": self.executable,
                    "bin/python3": sys.executable}  # its libraries are used by analysis/
        for name, program in programs.items():
            script = self.folder / name
            script.write_text(f'#!/bin/sh\nexec {shlex.quote(str(program))} "$@"\n')
            script.chmod(0o755)

    def shell(self, command):
        python_path = f"{self.folder}/python:{os.environ.get('PYTHONPATH', '')}".rstrip(":")
        environment = dict(os.environ, PATH=f"{self.folder}/bin:{os.environ['PATH']}", MPLCONFIGDIR=str(self.work),
                           PYTHONPATH=python_path, PYTHONDONTWRITEBYTECODE="1")
        self.ran += 1
        return subprocess.run(["bash", "-c", command], cwd=self.folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def run_fence(self, document, start, text):
        for number, command in commands(start, text):
            if self.python_only and not command.startswith("analysis/"):
                continue
            result = self.shell(command)
            if MISSING_PYTHON in result.stdout and command.startswith("analysis/"):
                self.skipped += 1
                print(f"{document.name}:{number}: not run, {result.stdout.strip()}")
            elif result.returncode:
                self.problems.add(document, number, f"status {result.returncode} of: {command}\n{result.stdout}")
            self.check_words(document, number, command)

    def run_transcript(self, document, start, text):
        """Runs the commands after '$ ' and compares the output below each."""
        shown, command, number = [], None, start
        for line_number, line in enumerate(text + ["$ "], start):
            if not line.startswith("$ "):
                shown.append(line)
                continue
            if command is not None:
                printed = self.shell(command).stdout.splitlines()
                if printed != shown:
                    self.problems.add(document, number, f"{command}\nprints\n" + "\n".join(printed) +
                                      "\nand not\n" + "\n".join(shown))
            shown, command, number = [], line[2:], line_number

    def run_python(self, document, start, text):
        """Runs a program if its libraries are installed; checks its syntax in any case."""
        program = "\n".join(text)
        compile(program, f"{document.name}:{start}", "exec")
        libraries = [name for line in text if line.startswith("import ") for name in re.findall(r"\w+", re.sub(r" as \w+", "", line))[1:]]
        missing = [name for name in libraries if importlib.util.find_spec(name) is None]
        if missing:
            self.skipped += 1
            print(f"{document.name}:{start}: not run, no {' and no '.join(missing)}")
            return
        # Programs of the standard library do not depend on what is installed, and may need files of other commands.
        if self.python_only and not re.search(LIBRARY_IMPORT, program, re.MULTILINE):
            return
        result = self.shell("python3 -c " + shlex.quote(program))
        library = re.search(r"No module named '(numpy|h5py|matplotlib|PIL|yt)'", result.stdout)
        if result.returncode and library:
            self.skipped += 1
            print(f"{document.name}:{start}: not run, no {library[1]}")
        elif result.returncode:
            self.problems.add(document, start, f"status {result.returncode} of:\n{program}\n{result.stdout}")

    def run_with_threads(self, document, start, text):
        """Runs commands that choose threads of a CPU, if the executable has them."""
        if self.has_threads:
            self.run_fence(document, start, text)
        elif not self.python_only:
            self.check_slow_fence(document, start, text)

    def run_python_with_threads(self, document, start, text):
        """Runs a program that reads what such commands wrote."""
        if self.has_threads:
            self.run_python(document, start, text)

    def run_simulation(self, document, start, text):
        """Runs a program with the extension of the Python module, if this build has it; checks its syntax in any case."""
        python = self.executable.parent / "apsis-python"
        program = "\n".join(text)
        compile(program, f"{document.name}:{start}", "exec")
        if self.python_only:
            return
        if not python.exists():
            self.skipped += 1
            return
        result = self.shell(f"{shlex.quote(str(python))} -c {shlex.quote(program)}")
        if result.returncode and "No module named 'numpy'" in result.stdout:
            self.skipped += 1
        elif result.returncode:
            self.problems.add(document, start, f"status {result.returncode} of:\n{program}\n{result.stdout}")

    # Checks

    def check_slow_fence(self, document, start, text):
        for number, command in commands(start, text):
            self.check_words(document, number, command, slow=True)

    def check_slow_transcript(self, document, start, text):
        for number, line in enumerate(text, start):
            if line.startswith("$ "):
                self.check_words(document, number, line[2:], slow=True)

    def check_words(self, document, number, command, slow=False):
        """Checks that everything a command names exists."""
        def complain(text):
            self.problems.add(document, number, f"{text}, in: {command}")

        words = shlex.split(command, comments=True)
        for word in words:
            for path in PATH.findall(word) if PATH.fullmatch(word) else []:
                if not any(self.source.glob(path)):
                    complain(f"there is no {path}")
        if words[0] == "compute-sanitizer":
            words = words[3:]
        program = words[0]
        if re.fullmatch(r"(build/[\w-]+/)?apsis(\.\w+)?", program):
            self.check_apsis(words, complain, slow)
        elif program in ("cmake", "ctest"):
            self.check_cmake(words, complain)
        elif program.startswith("analysis/") and slow:
            helped = self.shell(f"{program} {words[1]} --help")
            known = set(re.findall(r"--[a-z-]+", helped.stdout))
            if helped.returncode:
                complain(f"{program} has no command {words[1]}")
            for option in words:
                if option.startswith("--") and option not in known:
                    complain(f"{program} has no option {option}")
        elif program.startswith("build/openmp/tests/"):
            if f"add_executable({Path(program).name}" not in self.names:
                complain(f"there is no test program {program}")
            files = [f"/{path.relative_to(self.source)}" for path in (self.source / "tests").rglob("*.cpp")]
            for option in words[1:]:
                if not fnmatch.filter(files, option.removeprefix("--source-file=")):
                    complain(f"no file is like {option}")
        elif program == "build/openmp/apsis-python":
            if not (self.source / "python/CMakeLists.txt").exists():
                complain("no build makes apsis-python")
        elif program not in FOREIGN_PROGRAMS and not PATH.fullmatch(program):
            complain(f"'{program}' is not known to this test")

    def check_apsis(self, words, complain, slow):
        name, arguments = words[1], words[2:]
        if name not in self.options:
            complain(f"there is no command '{name}'")
            return
        if "||" in arguments:
            arguments = arguments[:arguments.index("||")]
        for option in arguments:
            if option.startswith("--") and option.split("=")[0] not in self.options[name]:
                complain(f"{name} has no option {option}")
        if slow and name in ("run", "check"):
            overrides = [word for k, word in enumerate(arguments[1:], 1) if word == "--set" or arguments[k - 1] == "--set"]
            result = self.apsis("check", arguments[0], *overrides)
            if result.returncode:
                complain(f"the deck is refused: {result.stderr}")

    def check_cmake(self, words, complain):
        kind = ("testPresets" if words[0] == "ctest" else "buildPresets" if "--build" in words
                else "workflowPresets" if "--workflow" in words else "configurePresets")
        for word, value in zip(words, words[1:]):
            if word == "--preset" and value not in {preset["name"] for preset in self.presets[kind]}:
                complain(f"there is no preset '{value}' among the {kind}")
            if word == "-D" and re.match("APSIS_", value) and value.split("=")[0] not in self.names:
                complain(f"there is no option {value}")
            if word == "-R" and f"NAME {value}" not in self.names:
                complain(f"there is no test {value}")

    def check_synopsis(self, document, start, text):
        lines = []
        for line in text:
            if line.startswith(" "):
                lines[-1] += line
            else:
                lines.append(line)
        said = {line.split()[1]: set(re.findall(r"--[a-z][a-z-]*", line)) for line in lines}
        for name in sorted(said.keys() ^ set(self.all_commands)):
            self.problems.add(document, start, f"the command '{name}' is in one of synopsis and --help")
        for name in said.keys() & self.options.keys():
            for option in sorted(said[name] ^ (self.options[name] - {"--errors"})):  # every command has that one
                self.problems.add(document, start, f"{option} of '{name}' is in one of synopsis and --help")

    def check_deck(self, document, start, text, name="deck.json"):
        """That a deck or sections of one are good; with a name the file stays for the commands that follow."""
        deck = "\n".join(text)
        whole = deck.startswith("{")
        parts = json.loads(deck if whole else "{" + deck + "}")
        pair = {"generator": "kepler", "primary_mass": 1, "secondary_mass": 0, "semi_major_axis": 1}
        base = {} if whole else {"bodies": pair, "run": {"end_time": 1.0},
                                 "integrator": {"name": "leapfrog_kdk", "time_step": 0.125}}
        path = self.folder / name
        path.write_text(json.dumps({**base, **parts}))
        result = self.apsis("check", str(path))
        if result.returncode:
            self.problems.add(document, start, f"the deck is refused: {result.stderr}")

    def check_prose(self, document, documents):
        known = set.union(FOREIGN_OPTIONS, *self.options.values())
        for number, line in document.prose:
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                if re.match("https?:", target):
                    continue
                name, _, anchor = target.partition("#")
                path = (document.path.parent / name).resolve() if name else document.path
                if not path.exists():
                    self.problems.add(document, number, f"the link {target} leads nowhere")
                elif anchor and anchor not in documents[path].headings:
                    self.problems.add(document, number, f"no heading is called #{anchor} in {path.name}")
            for code in re.findall(r"`([^`]+)`", line):
                if PATH.fullmatch(code) and not any(self.source.glob(code)):
                    self.problems.add(document, number, f"there is no {code}")
                for option in re.findall(r"(?:^|\s)(--[a-z][a-z-]*)", code):
                    if option not in known and not code.startswith(("cmake", "ctest", "mpirun", "analysis/", "apsis-analysis")):
                        self.problems.add(document, number, f"no command has the option {option}")

    def check_executable(self, document):
        """Checks that a page with commands of apsis says at its head what `apsis` is."""
        for kind, start, text in document.fences:
            if kind.startswith(("sh", "console")) and any(line.startswith("apsis ") for line in text):
                if not re.search(r"`apsis` stands\s+for", "\n".join(document.lines[:start])):
                    self.problems.add(document, start, "the page does not say above that `apsis` stands for the executable")
                return

    def check_demo(self, readme):
        """Checks that the demo prints the lines of the README's sample in order, except for numbers."""
        def words(lines):
            masked = (re.sub(r"[-+]?\d[\w.+-]*", "#", line) for line in lines)
            return [" ".join(re.sub(r"# (us|ms|s|min|h)\b", "# s", line).split()) for line in masked]

        start = next(k for k, line in enumerate(readme.lines) if "demo ends with" in line)
        sample = words(re.findall(r"(?m)^    (.*)", "\n".join(readme.lines[start:]).split("\n\n", 2)[1]))
        run = self.apsis("run", str(self.source / "inputs/plummer.json"), "--set", "bodies.count=2000", "--set", "run.steps=1",
                         "--set", "run.end_time=null", "--output", "build/openmp/plummer.run")
        printed = iter(words(run.stdout.splitlines()))
        if not sample or not all(line in printed for line in sample):
            self.problems.add(readme, start + 1, f"the demo does not end like this, but with\n{run.stdout}{run.stderr}")

    def check_names(self, manual, pages):
        """That the pages below docs/ have every entry of every table and every key of a deck.

        An entry must stand on a page that a person wrote: docs/decks/ is generated.
        """
        written = "\n".join(line for page in pages if not page.name.startswith("docs/decks/") for line in page.lines)
        text = "\n".join(line for page in pages for line in page.lines)
        entries = re.findall(r"^  (\S+) ", self.apsis("list").stdout, re.M)
        schema = json.loads(self.apsis("schema").stdout)

        def keys(of):
            if isinstance(of, dict):
                for name, value in of.items():
                    yield from value if name == "properties" else ()
                    yield from keys(value)
            elif isinstance(of, list):
                for value in of:
                    yield from keys(value)

        for names, where in (set(entries), written), (set(keys(schema)), text):
            for name in sorted(names):
                if not re.search(rf"(?<![\w$]){re.escape(name)}(?!\w)", where):
                    self.problems.add(manual, 1, f"'{name}' of 'apsis list' or 'apsis schema' is on no page of the manual")

    def check_rooms(self, design):
        """Checks that includes follow the table of rooms."""
        rooms = {}  # each room of the table, and the rooms that it may include
        for number, line in enumerate(design.lines, 1):
            cells = [cell.strip() for cell in line.split("|")[1:-1]]
            if len(cells) == 3 and (self.source / "src" / cells[0].strip("`")).is_dir():
                room = cells[0].strip("`")
                rooms[room] = {room, *(rooms if cells[2] == "all above" else re.findall(r"`(\w+)`", cells[2]))}
        for folder in ("include/apsis", "src"):
            for room in (self.source / folder).iterdir():
                if room.is_dir() and room.name not in rooms:
                    self.problems.add(design, 1, f"the table of rooms lacks {room.name}")
                for file in room.rglob("*.[ch]pp") if room.is_dir() else ():
                    text = file.read_text(encoding="utf-8")
                    included = set(re.findall(r"#include <apsis/(\w+)/", text))
                    included |= set(re.findall(r'#include "(\w+)/', text)) & set(rooms)  # private headers: from src/
                    for name in sorted(included - rooms.get(room.name, included)):
                        self.problems.add(design, 1, f"{file.relative_to(self.source)} includes from {name}")

    def check_names_of_entries(self, design):
        """Checks that no code compares the name of an entry of a table."""
        for file in (self.source / "src").rglob("*.[ch]pp"):
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if re.search(r"\b(solver|integrator|generator|model|entry)(->|\.)name [!=]= \"", line):
                    self.problems.add(design, 1, f"{file.relative_to(self.source)}:{number} compares the name of an entry")


PYTHON_KINDS = ("sh", "sh threads", "python", "python threads", "python simulation")
LIBRARY_IMPORT = r"^(import|from) (numpy|h5py|matplotlib|PIL|yt|apsis)\b"
KINDS = {"sh": Checker.run_fence, "sh slow": Checker.check_slow_fence, "sh synopsis": Checker.check_synopsis,
         "console": Checker.run_transcript, "console slow": Checker.check_slow_transcript,
         "sh threads": Checker.run_with_threads, "python threads": Checker.run_python_with_threads,
         "json": Checker.check_deck, "python": Checker.run_python, "python simulation": Checker.run_simulation}


def main():
    source, executable, work = (Path(word).resolve() for word in sys.argv[1:4])
    sys.path.insert(0, str(source / "python"))  # for programs that import apsis
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    checker = Checker(source, executable, work, python_only=sys.argv[4:] == ["--python-only"])
    paths = [*(source / name for name in TOP_LEVEL), *sorted((source / "docs").rglob("*.md")),
             *sorted((source / "src").rglob("*.md"))]
    documents = {path: Document(path, str(path.relative_to(source)), checker.problems) for path in paths}
    for document in documents.values():
        checker.enter(document.name.removesuffix(".md").replace("/", "-"))
        for kind, start, text in document.fences:
            if NAMED_DECK.fullmatch(kind):
                checker.check_deck(document, start, text, kind.split()[1])
            elif kind in (PYTHON_KINDS if checker.python_only else KINDS):
                KINDS[kind](checker, document, start, text)
        if not checker.python_only:
            checker.check_prose(document, documents)
            checker.check_executable(document)
    if not checker.python_only:
        checker.enter("demo")
        checker.check_demo(documents[source / "README.md"])
        pages = [document for document in documents.values() if document.name.startswith("docs/")]
        checker.check_names(documents[source / "docs/manual.md"], pages)
        checker.check_rooms(documents[source / "docs/design.md"])
        checker.check_names_of_entries(documents[source / "docs/design.md"])
    readme = documents[source / "README.md"]
    if len(readme.lines) >= README_LINES:
        checker.problems.add(readme, len(readme.lines), f"README has {README_LINES} lines or more")
    print(f"{len(documents)} documents, {checker.ran} commands run, {checker.skipped} of them not for want of Python's "
          f"libraries, {len(checker.problems)} problems")
    print("\n".join(checker.problems))
    if not checker.problems:
        shutil.rmtree(work)
    return bool(checker.problems)


if __name__ == "__main__":
    sys.exit(main())
