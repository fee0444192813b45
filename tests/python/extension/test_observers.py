# SPDX-License-Identifier: Apache-2.0
"""Runs in this process with observers. Run by apsis-python."""
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

import apsis

DECK = {"bodies": {"generator": "plummer", "count": 100, "seed": 1}, "gravity": {"softening": 0.05},
        "integrator": {"time_step": 1 / 64}, "run": {"end_time": 1}}


class Observed(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        self.addCleanup(self._folder.cleanup)
        warnings.simplefilter("error", apsis.ApsisWarning)

    def assert_same_log(self, first, second):
        logs = [apsis.load_run(self.folder / name).conservation for name in (first, second)]
        for column in ("step", "time", "total", "relative_energy_error", "momentum_x", "virial_ratio"):
            np.testing.assert_array_equal(logs[0][column], logs[1][column])

    def test_states_at_intervals_and_the_run_of_the_executable(self):
        times, radii = [], []

        @apsis.every(0.25)
        def watch(now):
            times.append(now.time)
            radii.append(np.linalg.norm(now.bodies()["position"], axis=1).max())
            self.assertEqual(now.count, 100)
            self.assertLess(now.measure()["potential"], 0)

        outcome = apsis.run(apsis.Deck(DECK), self.folder / "here", observers=[watch])
        self.assertEqual(times, [0, 0.25, 0.5, 0.75, 1])
        self.assertEqual((outcome.exit_status, outcome.steps), (0, 64))
        self.assertEqual(len(radii), 5)
        self.assertIn("64 steps", str(outcome))
        other = apsis.run(apsis.Deck(DECK), self.folder / "there")
        self.assert_same_log("here", "there")
        self.assertEqual(outcome.run.deck, other.run.deck)
        self.assertEqual(other.status, outcome.status)

    def test_a_state_that_is_kept_expires(self):
        states = []
        apsis.run(apsis.Deck(DECK), observers=[apsis.every(steps=32)(states.append)])
        self.assertEqual(len(states), 3)
        with self.assertRaises(apsis.UsageError):
            states[0].time

    def test_stop_and_resume_have_the_bits_of_one_run(self):
        stop = apsis.every(0.5)(lambda now: apsis.STOP if now.time == 0.5 else None)
        stopped = apsis.run(apsis.Deck(DECK), self.folder / "cut", observers=[stop])
        self.assertEqual((stopped.exit_status, stopped.steps), (75, 33))  # after the step that has begun
        steps = []
        resumed = apsis.run(self.folder / "cut", resume=True, observers=[apsis.every(steps=8)(lambda now: steps.append(now.step))])
        self.assertEqual((resumed.exit_status, resumed.steps), (0, 64))
        self.assertEqual(steps, [40, 48, 56, 64])
        apsis.run(apsis.Deck(DECK), self.folder / "whole")
        self.assert_same_log("cut", "whole")

    def test_checkpoint(self):
        counts = []

        def checkpoint(now):
            counts.append(len(list((self.folder / "run").glob("checkpoint/*"))))
            return apsis.CHECKPOINT if now.step == 16 else None

        apsis.run(apsis.Deck(DECK), self.folder / "run", observers=[apsis.every(steps=8)(checkpoint)])
        self.assertEqual(counts[:3], [0, 0, 0])
        self.assertGreater(counts[3], 0)

    def test_an_exception_comes_out_unchanged_and_leaves_a_checkpoint(self):
        class Mine(Exception):
            pass

        @apsis.every(steps=10)
        def fail(now):
            if now.step == 20:
                raise Mine("here")

        with self.assertRaises(Mine) as caught:
            apsis.run(apsis.Deck(DECK), self.folder / "run", observers=[fail])
        self.assertEqual(str(caught.exception), "here")
        self.assertEqual(apsis.run(self.folder / "run", resume=True, by="process").steps, 64)

    def test_a_state_expires_by_an_exception_too_and_the_first_one_counts(self):
        states = []

        def fail(now):
            states.append(now)
            raise ZeroDivisionError("first")

        def fail_too(now):
            raise KeyError("second")

        with self.assertRaises(ZeroDivisionError):
            apsis.run(apsis.Deck(DECK), observers=[apsis.every(steps=4)(fail), apsis.every(steps=4)(fail_too)])
        with self.assertRaises(apsis.UsageError):
            states[0].time

    def test_names_radii_and_runs_backwards_in_time(self):
        columns, times = [], []

        def look(now):
            columns.append(now.bodies())
            times.append(now.time)

        bodies = {"list": [{"mass": 1, "position": [0, 0, 0], "name": "sun", "radius": 0.01},
                           {"mass": 0, "position": [1, 0, 0], "velocity": [0, 1, 0], "name": "earth"}]}
        apsis.run(apsis.Deck(bodies=bodies, integrator={"name": "leapfrog_kdk", "time_step": -0.25}, run={"end_time": -1},
                             collisions={"on_collision": "stop"}), observers=[apsis.every(0.5)(look)])
        self.assertEqual(times, [0, -0.5, -1])
        self.assertEqual((columns[0]["name"], columns[0]["radius"].tolist()), (["sun", "earth"], [0.01, 0]))

    def test_arguments_of_a_run_have_effect(self):
        deck = apsis.Deck(DECK)
        deck.save(self.folder / "deck.json")
        steps = []
        watch = [apsis.every(steps=16)(lambda now: steps.append(now.step))]
        begun = apsis.run(self.folder / "deck.json", self.folder / "run", observers=watch, resume="if_possible",
                          set={"run.end_time": 0.5})
        self.assertEqual((begun.steps, steps), (32, [0, 16, 32]))
        again = apsis.run(self.folder / "run", observers=watch, resume="if_possible")
        self.assertEqual((again.steps, len(steps)), (32, 3))
        more = apsis.run(self.folder / "run", observers=watch, resume=True, set={"run.end_time": 1}, allow_deck_change=True)
        self.assertEqual((more.steps, steps), (64, [0, 16, 32, 48, 64]))
        with self.assertRaises(apsis.Error):
            apsis.run(self.folder / "run", by="process", resume=True, set={"run.end_time": 0.75})
        self.assertEqual(apsis.run(deck.set("run.end_time", 0.25)).steps, 16)

    def test_problems_warnings_and_advice(self):
        limited = apsis.run(apsis.Deck(DECK).set("run.max_wall_time", 1e-6), self.folder / "limited", by="process")
        with self.assertRaises(apsis.Stopped) as caught:
            limited.check()
        self.assertEqual([problem.where for problem in caught.exception.problems], ["run.max_wall_time"])
        self.assertIn("resume=True", caught.exception.problems[0].advice)
        self.assertNotIn("--", str(limited))
        pair = {"list": [{"mass": 1, "position": [x, 0, 0]} for x in (0, 1)]}
        falling = apsis.Deck(bodies=pair, integrator=apsis.gauss_radau15(0.125), run={"end_time": 4})
        with self.assertRaises(apsis.Collision) as caught:
            apsis.run(falling, by="process")
        self.assertEqual((caught.exception.ids, caught.exception.outcome.status), ((0, 1), "collision"))
        temporary = apsis.run(apsis.Deck(DECK), by="process")
        folder = temporary.directory
        self.assertTrue(folder.is_dir())
        del temporary
        self.assertFalse(folder.exists())

    def test_wrong_observers_and_calls(self):
        for wrong in ({}, {"interval": 1.0, "steps": 1}, {"steps": 0}, {"steps": 1.5}, {"interval": -1.0}, {"interval": 0.0}):
            with self.assertRaises(apsis.UsageError):
                apsis.every(**wrong)
        with self.assertRaises(apsis.UsageError) as caught:
            apsis.run(apsis.Deck(DECK), observers=[apsis.every(0.3)(print)])
        self.assertIn("no whole number of steps", str(caught.exception))
        for wrong in ({"view": True}, {"by": "executable"}, {"executable": "/bin/true"}):
            with self.assertRaises(apsis.UsageError):
                apsis.run(apsis.Deck(DECK), observers=[apsis.every(0.25)(print)], **wrong)

    def test_errors_of_decks_and_directories(self):
        with self.assertRaises(apsis.BadInput) as caught:
            apsis.run(apsis.Deck(DECK).set("gravity.softening", -1), by="process")
        self.assertNotIn("--", str(caught.exception))
        apsis.run(apsis.Deck(DECK), self.folder / "run", by="process")
        with self.assertRaises(apsis.Error) as caught:
            apsis.run(apsis.Deck(DECK), self.folder / "run", by="process")
        self.assertNotIn("--", str(caught.exception))
        self.assertEqual(apsis.run(apsis.Deck(DECK), self.folder / "run", by="process", replace=True).steps, 64)


if __name__ == "__main__":
    unittest.main()
