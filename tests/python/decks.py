# SPDX-License-Identifier: Apache-2.0
"""Decks: values, keys, files, problems, defaults."""
import json

import numpy as np

import apsis
from harness import check, make_deck, raises, source, work

deck = make_deck()
check(list(deck) == ["bodies", "gravity", "integrator", "run"] and len(deck) == 4, "sections are those that were given")
check(deck["bodies"] == {"generator": "plummer", "count": 20, "seed": 1}, "parameters that are not given are left out")

# Values become those of JSON, and are shared with no other deck.
converted = apsis.Deck(run={"end_time": np.float64(0.5), "steps": np.int32(3)}, bodies={"list": [{"position": np.zeros(3), "mass": 1}]},
                       output={"snapshots": None}, title="a", conservation=None)
check(converted.json(None) == '{"run": {"end_time": 0.5, "steps": 3}, "bodies": {"list": [{"position": [0.0, 0.0, 0.0], "mass": 1}]}, '
      '"output": {}, "title": "a"}', f"values of numpy and None: {converted.json(None)}")
check("complex" in str(raises(apsis.BadInput, "a complex number", apsis.Deck, run={"end_time": 1j})), "types without JSON are named")
raises(ValueError, "a number that is not finite", apsis.Deck(run={"end_time": float("nan")}).json)

# Keys.
changed = converted.set("bodies.list[0].mass", 2).set("gravity.softening", 0.1).set("run.steps", None)
check(changed.get_path("bodies.list[0].mass") == 2 and converted.get_path("bodies.list[0].mass") == 1, "set returns a new deck")
check(changed["gravity"] == {"softening": 0.1} and "steps" not in changed["run"], "set makes sections, and removes keys")
check(converted.differences(changed) == [("run.steps", 3, None), ("bodies.list[0].mass", 1, 2), ("gravity.softening", None, 0.1)],
      f"differences: {converted.differences(changed)}")
for path in ("bodies.list[1].mass", "title.length", "bodies.list.mass", "", "a..b", "[0]"):
    raises(apsis.BadInput, f"the path {path!r}", converted.set, path, 1)
many = apsis.vary(deck, {"bodies.seed": range(3), "gravity.softening": [0.1, 0.2]})
check([(each["bodies"]["seed"], each["gravity"]["softening"]) for each in many] ==
      [(seed, eps) for seed in range(3) for eps in (0.1, 0.2)], "vary makes all combinations")

# Files.
deck.save("saved.json")
check(apsis.Deck.load("saved.json") == deck and json.loads((work / "saved.json").read_text()) == dict(deck), "save and load")
check(apsis.Deck.loads('{"title": "t"}') == {"title": "t"}, "loads")
for text in ('{"a": 1, "a": 2}', "[]", "{", "[" * 100000):
    raises(apsis.BadInput, f"the text {text[:20]}", apsis.Deck.loads, text)
raises(apsis.FileError, "a missing deck", apsis.Deck.load, "nowhere.json")

# What the executable says.
check(deck.problems() == [], "a good deck has no problems")
checked = deck.check()
check((checked.bodies, checked.steps) == (20, 32) and checked.memory > 1000 and checked.seconds > 0, f"check: {checked!r}")
check(str(checked).startswith("deck: good\n20 bodies") and checked.facts["units"]["system"] == "henon" and
      checked.facts["source"] == "deck" and checked.facts["resolved"]["gravity"]["solver"] == "direct", f"facts: {checked.facts}")
far = deck.set("run.encounter_distance", 10).check()
check("two bodies begin" in " ".join(far.remarks), f"remarks: {far.remarks}")
bad = deck.set("gravity.softning", 1).set("bodies.generator", "plumer")
problems = bad.problems()
check([problem.where for problem in problems] == ["deck: bodies.generator", "deck: gravity.softning"], f"every problem: {problems}")
check("did you mean 'softening'?" in problems[1].advice and "allowed: 'solver'" in problems[1].why, f"parts of a problem: {problems[1]}")
error = raises(apsis.BadInput, "a bad deck", bad.check)
check(error.problems == tuple(problems) and error.exit_status == 65 and str(error).count("\n") == 1, "the error has every problem")

# In notebooks what differs from a default is bold, and problems are red.
page = bad._repr_html_()
check("<b>0.1</b>" in page and "<b>false</b>" not in page and page.count("#b00020") == 2, f"HTML of a deck: {page}")
