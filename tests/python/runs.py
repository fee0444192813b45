# SPDX-License-Identifier: Apache-2.0
"""Runs: outcomes, files, errors, resumed and interrupted runs."""
import gc
import logging
import os
import pickle
import signal
import warnings

import numpy as np

import apsis
from harness import HAS_H5PY, check, make_deck, raises, work

ONE = {"threads": 1}
notes = []
handler = logging.Handler()
handler.emit = lambda record: notes.append(record.getMessage())
logging.getLogger("apsis").addHandler(handler)
logging.getLogger("apsis").setLevel(logging.INFO)

# A run and its files.
deck = make_deck(output={"snapshot_interval": 0.25}, conservation={"max_relative_energy_error": 1e-2})
outcome = apsis.run(deck, "cluster", **ONE)
check((outcome.status, outcome.exit_status, outcome.stop_reason, outcome.steps, outcome.time) == ("conserved", 0, "end", 32, 0.5),
      f"outcome: {outcome!r}")
check(outcome.check() is outcome and outcome.summary["bodies"] == 20, "an outcome within its limits")
check(str(outcome).startswith("20 bodies, 32 steps, t = 0.5") and "status           conserved" in str(outcome),
      f"printed as the executable prints it: {outcome}")
check("conserved" in outcome._repr_html_(), "HTML of an outcome")
log = outcome.run.conservation
check(log["time"][-1] == 0.5 and log.units["time"] == "time" and log["total"].shape == (log.rows,), "columns of a table")
raises(apsis.BadInput, "a missing column", lambda: log["nothing"])
raises(apsis.BadInput, "a missing table", outcome.run.table, "structure")
check(apsis.load_run("cluster").deck == outcome.run.deck and outcome.run.tables() == ["conservation"], "load_run")

# Works to cite: of a run, its outcome, its directory and its deck alike; more with another scheme; all without one.
works = outcome.run.cite()
check("% integrator leapfrog_kdk\n@article{Swope1982," in works and "@misc{Apsis," in works, f"works of a run: {works}")
check(apsis.cite(outcome) == apsis.cite("cluster") == apsis.cite(deck) == apsis.cite(dict(deck)) == works, "sources of citations")
check("MakinoAarseth1992" in apsis.cite(deck.set("integrator.name", "hermite4")) and "MakinoAarseth1992" not in works, "a deck")
check(apsis.cite().count("\n@") > 50, "all works")
error = raises(apsis.BadInput, "works of a bad deck", apsis.cite, deck.set("gravity.softning", 1))
check(error.problems[0].where == "deck: gravity.softning", f"the place in the deck: {error}")
raises(apsis.FileError, "works of a missing deck", apsis.cite, "nowhere.json")

# The defaults of the schema are those of the executable, except those that follow from other values.
differences = {path for path, _, _ in deck.resolved().differences(outcome.run.deck)}
check(differences <= {"units.system", "bodies.masses.function", "gravity.G", "integrator.stepping.mode",
                      "output.conservation_interval"}, f"resolved: {differences}")

if HAS_H5PY:
    snapshots = outcome.run.snapshots()
    check([each.time for each in snapshots] == [0.0, 0.25, 0.5] and len(snapshots[0]) == 20, "snapshots by number")
    last = snapshots[-1]
    check(last.position.shape == (20, 3) and set(last.species) == {1} and last.units.system == "henon", "columns of a snapshot")
    check(np.array_equal(last["dark"].velocity, last.velocity) and len(last["disk"]) == 0, "bodies of a species")
    check(len(last[last.mass > 1]) == 0 and len(last[:5]) == 5, "bodies by a mask and a slice")

# Errors are exceptions with the problems of the executable.
error = raises(apsis.FileError, "a directory with a run", apsis.run, deck, "cluster", **ONE)
check("resume=True or replace=True" in str(error) and isinstance(error, OSError), f"advice in Python: {error}")
again = pickle.loads(pickle.dumps(error))
check(type(again) is apsis.FileError and again.problems == error.problems and again.exit_status == 74, "errors are pickled")
error = raises(apsis.BadInput, "a bad deck", apsis.run, deck.set("gravity.softning", 1), **ONE)
check(error.problems[0].where == "deck: gravity.softning", f"the place in the deck: {error}")
raises(apsis.FileError, "a missing deck", apsis.run, "nowhere.json", **ONE)
raises(apsis.UsageError, "resume and replace", apsis.run, deck, "cluster", resume=True, replace=True)
raises(apsis.UsageError, "no directory to resume", apsis.run, deck, resume=True)
raises(apsis.UsageError, "threads out of range", apsis.run, deck, threads=0)

# Limits: an outcome, whose check raises. Without a directory a temporary one lives as long as the outcome or its run.
broken = apsis.run(deck, set={"conservation.max_relative_energy_error": 1e-15}, **ONE)
folder = broken.directory
check((broken.status, broken.exit_status) == ("not_conserved", 1) and folder.is_relative_to(work / "temporary"), f"limits: {broken!r}")
error = raises(apsis.NotConserved, "limits", broken.check)
check(error.outcome is broken and "conservation.max_relative_energy_error" in error.problems[0].where, f"the limit: {error}")
run = broken.run
del broken, error
gc.collect()
check(run.table("conservation").rows > 0 and folder.exists(), "a temporary directory lives as long as its run")
del run
gc.collect()
check(not folder.exists() and not list((work / "temporary").iterdir()), "temporary files are removed")

# A pair that no step resolves is an exception with its bodies and the run until then.
pair = [{"mass": 1, "position": [x, 0, 0]} for x in (0, 1)]
error = raises(apsis.Collision, "two bodies that fall into each other", apsis.run,
               apsis.Deck(bodies={"list": pair}, integrator=apsis.gauss_radau15(0.125), run={"end_time": 4}), **ONE)
check(error.ids == (0, 1) and abs(error.time - np.pi / 4) < 1e-9 and error.outcome.status == "collision" and error.exit_status == 70,
      f"a collision: {error!r} {vars(error)}")
del error

# Stops and resumed runs; decks by path, and directories as decks.
deck.save("deck.json")
with warnings.catch_warnings(record=True) as remarks:
    warnings.simplefilter("always")
    stopped = apsis.run("deck.json", set={"run.encounter_distance": 10.0}, **ONE)
check(any("two bodies begin" in str(each.message) for each in remarks) and {each.category for each in remarks} == {apsis.ApsisWarning},
      f"remarks of check are warnings of a run: {[str(each.message) for each in remarks]}")
check(stopped.directory.name == "deck.run" and stopped.stop_reason == "encounter", f"a stop of the deck: {stopped!r}")
with warnings.catch_warnings(record=True):
    more = apsis.run("cluster", resume=True, set={"run.end_time": 0.75}, **ONE)
check(any(note.startswith("run: resumes from generation") for note in notes), f"events of a run are logged: {notes}")
check((more.steps, more.time) == (48, 0.75), f"a resumed run: {more!r}")
check(apsis.run("cluster", resume=True, **ONE).steps == 48, "a finished run is resumed without a step")

# A stop with a checkpoint: its problem is what stopped the run, and not the events before.
limited = apsis.run(deck.set("run.end_time", 1e6).set("run.max_wall_time", 1e-4), "limited", **ONE)
error = raises(apsis.Stopped, "a limit of wall time", limited.check)
check([problem.where for problem in error.problems] == ["run.max_wall_time"] and
      error.problems[0].advice == 'go on with apsis.run("limited", resume=True)', f"a stop: {error}")

# Ctrl-C: the run writes a checkpoint, KeyboardInterrupt is raised, and the run can be resumed.
signal.signal(signal.SIGINT, signal.default_int_handler)
progress = []


def interrupt(now):
    progress.append(now)
    os.kill(os.getpid(), signal.SIGINT)


try:
    apsis.run(deck.set("run.end_time", 1e6), "long", progress=interrupt, **ONE)
    check(False, "Ctrl-C has no effect")
except KeyboardInterrupt:
    left = apsis.load_run("long")
    check(left.summary["status"] == "stopped" and left.summary["stop_reason"] == "signal", f"after Ctrl-C: {left.summary}")
check(progress[0].steps == 64_000_000 and progress[0].part < 0.5, f"progress: {progress}")
end = left.summary["time"] + 0.25
resumed = apsis.run("long", resume=True, allow_deck_change=True, set={"run.end_time": end}, **ONE)
check(resumed.time == end and resumed.exit_status == 0, f"resumed after Ctrl-C: {resumed!r}")

# An exception of a callback ends the run, and comes out as it is.


def fail(now):
    raise ZeroDivisionError("mine")


raises(ZeroDivisionError, "a callback that fails", apsis.run, deck.set("run.end_time", 1e6), "failed", progress=fail, **ONE)
check(apsis.load_run("failed").summary["status"] == "stopped", "the run of a failed callback has stopped")
