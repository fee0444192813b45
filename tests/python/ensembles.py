# SPDX-License-Identifier: Apache-2.0
"""Ensembles: order, resumption, errors, Ctrl-C."""
import os
import pathlib
import signal
import time

import apsis
from harness import check, make_deck, raises

decks = apsis.vary(make_deck(), {"bodies.seed": [1, 2, 3]})
counts = []
energies = apsis.ensemble(decks, "study", workers=2, summary=lambda run: (run.deck["bodies"]["seed"], run.summary["initial_energy"]),
                          progress=lambda count, total: counts.append((count, total)))
check([seed for seed, _ in energies] == [1, 2, 3] and len(set(energies)) == 3, f"values in the order of the decks: {energies}")
check(counts == [(1, 3), (2, 3), (3, 3)], f"progress: {counts}")
outcomes = apsis.ensemble(decks, "study", workers=2)
check([outcome.steps for outcome in outcomes] == [32] * 3 and all("is finished" in str(outcome) for outcome in outcomes),
      f"finished runs are kept: {outcomes}")

bad = decks[1].set("gravity.softning", 1)
error = raises(apsis.BadInput, "two bad decks", apsis.ensemble, [bad, decks[0], bad], "partly", workers=2)
check([problem.where for problem in error.problems] == ["partly/0000: deck: gravity.softning", "partly/0002: deck: gravity.softning"],
      f"problems of all runs: {error}")
check(apsis.load_run("partly/0001").summary["status"] == "not_judged", "the other runs have ended")

# Ctrl-C after the first run: the second stops with a checkpoint, and so does the third if it has begun.
long = decks[1].set("run.end_time", 1e6)


def interrupt(count, total):
    while not pathlib.Path("stopped/0001/conservation.csv").exists():  # the run accepts signals
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)


try:
    apsis.ensemble([decks[0], long, long], "stopped", workers=2, progress=interrupt)
    check(False, "Ctrl-C has no effect on an ensemble")
except KeyboardInterrupt:
    check(apsis.load_run("stopped/0001").summary["stop_reason"] == "signal", "runs of an ensemble stop with a checkpoint")
