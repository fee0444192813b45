# SPDX-License-Identifier: Apache-2.0
"""Texts of errors: their parts, and the words of Python in place of options of the command line."""
import json
import re

import apsis
from apsis.messages import is_event, make_errors, python_voice, read_messages, remark_in, unchanged
from harness import check, seen_errors, source

# Parts of a problem; the text of the parts is the line.
for line, parts in {
    "deck.json: bodies.count: unknown key (allowed: 'a'); did you mean 'b'?":
        ("deck.json: bodies.count", "unknown key", "allowed: 'a'", "did you mean 'b'?"),
    "standard output: cannot be written (No space left); check free space": ("standard output", "cannot be written", "No space left",
                                                                         "check free space"),
    "a.h5: is bad (a (b) c); do x": ("a.h5", "is bad", "a (b) c", "do x"),
    "command line: The following argument was not expected: x; see help": ("command line", "The following argument was not expected: x",
                                                                           "", "see help"),
    "words alone": ("", "words alone", "", ""),
}.items():
    result = apsis.Problem.parse(line)
    check(tuple(result) == parts and result.text() == line, f"parts of '{line}': {result}")

# Messages on standard error, among lines of libraries.
def message(kind, where, problem, why="", advice=""):
    return json.dumps({"kind": kind, "where": where, "problem": problem, "why": why, "advice": advice})


lines = "\n".join([message("warning", "a", "b"), "step 1", "[1, 2]", '{"kind": 3}', "5",
                   message("error", "/tmp/d.json: c", "d: \u001b[2J", "of /tmp/d.json", "give --force"),
                   message("note", "", "g: h (i); j"), message("note", "run", "resumes")])
result = read_messages(lines, ("/tmp/d.json", "deck"))
check(result == {"error": [("deck: c", "d: ?[2J", "of deck", "give replace=True")], "warning": [("a", "b", "", "")],
                 "note": [("g", "h", "i", "j"), ("run", "resumes", "", "")]}, f"messages: {result}")
check([is_event(note) for note in result["note"]] == [False, True], "events of a run among the notes")
remarks = {("deck", "note: steps are long"): "steps are long", ("deck", "not used: mass", "of x"): "not used: mass (of x)",
           ("run", "note: the centre moves"): "the centre moves", ("run", "resumes from generation 1"): "", ("g", "note: h"): ""}
for parts, text in remarks.items():
    check(remark_in(apsis.Problem(*parts)) == text, f"a remark in {parts}: {remark_in(apsis.Problem(*parts))!r}")
check(read_messages(lines, voice=unchanged)["error"][0].advice == "give --force", "advice of the command line")
for status, stderr, kind, text in ((65, lines, apsis.BadInput, "/tmp/d.json: c: d: ?[2J (of /tmp/d.json); give replace=True"),
                                   (-9, "", apsis.InternalError, "apsis: ended by signal 9; see the messages above"),
                                   (3, "a\nlast --force\n", apsis.InternalError, "apsis: ended with status 3 (last replace=True)")):
    error = make_errors(status, stderr)
    check(type(error) is kind and str(error) == text, f"status {status}: {error!r}")

# Python's words.
for said, wanted in {
    "give --resume or --force": "give resume=True or replace=True",
    "choose another directory with --output, or give --resume": "choose another directory, or give resume=True",
    "go on with 'apsis run a.run --resume'": 'go on with apsis.run("a.run", resume=True)',
    "go on with '/a-b/bin/apsis.openmp run a.run --resume'": 'go on with apsis.run("a.run", resume=True)',
    "give a later end (--set run.end_time=2)": 'give a later end (set={"run.end_time": 2})',
    "add --set run.end_time=null": 'add set={"run.end_time": None}',
    "give --threads": "give threads=...",
    "accept it with --allow-deck-change": "accept it with allow_deck_change=True",
}.items():
    check(python_voice(said) == wanted, f"'{said}' in Python: {python_voice(said)}")

# No message of the executable keeps an option, and no error of these tests has one.
OPTION = re.compile(r'"((?:[^"\\\n]|\\.)*--[a-z](?:[^"\\\n]|\\.)*)"')
texts = [text for path in (source / "src").rglob("*.cpp") for text in OPTION.findall(path.read_text())]
check(len(texts) > 100, f"texts with options in the sources: {len(texts)}")
for text in texts:
    check("--" not in python_voice(text), f"an option in Python: {python_voice(text)}")
check(len(seen_errors) > 25, f"errors of the tests: {len(seen_errors)}")
for text in seen_errors:
    check("--" not in text, f"an option in an error of Python: {text}")
