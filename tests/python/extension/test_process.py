# SPDX-License-Identifier: Apache-2.0
"""What a simulation does to its process: signals, fork, threads, exit. Each case is a process of its own."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import _apsis

from ends import errors_but_kokkos

START = """
import os, signal, sys, time
import numpy as np
import apsis
def sphere(count=300, **options):
    return apsis.Simulation({"generator": "plummer", "count": count}, softening=0.01, time_step=1 / 64, **options)
"""


def run(script, **options):
    environment = {**os.environ, "OMP_PROC_BIND": "false", **options}
    return subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", START + script], capture_output=True, text=True, timeout=100, env=environment)


class Process(unittest.TestCase):
    def quiet(self, script, **options):
        """Runs a script that must end with status 0 and without a word on standard error; returns what it prints."""
        process = run(script, **options)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        return process.stdout

    def test_exit_with_views_simulations_and_cycles(self):
        self.quiet("kept = sphere().position; sim = sphere(); sim._me = sim; apsis.kept = sphere()")

    def test_exit_by_an_exception(self):
        process = run("sim = sphere(); raise RuntimeError('mine')")
        self.assertEqual(process.returncode, 1)
        self.assertTrue(process.stderr.strip().endswith("RuntimeError: mine"))

    def test_interrupt_stops_between_two_steps_and_the_simulation_goes_on(self):
        script = START + """
sim, other = sphere(), sphere()
sim.advance(); print("ready", flush=True)
try:
    sim.advance(10**9)
except KeyboardInterrupt:
    print("interrupted", sim.step > 1)
steps = sim.step
sim.advance(3)
other.advance(steps + 3)
print((sim.bodies().position == other.bodies().position).all())
"""
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "ready\n")
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=100)
        self.assertEqual(said, "interrupted True\nTrue\n")

    def test_a_forked_child_refuses_and_its_parent_goes_on(self):
        said = self.quiet("""
sim = sphere(); sim.advance()
child = os.fork()
if child == 0:
    refused = 0
    for call in (sim.advance, sim.measure, sim.turn_back, lambda: sim.add(sim.bodies())):
        try:
            call()
        except apsis.UsageError as error:
            refused += "forked" in str(error)
    os._exit(17 if refused == 3 else refused)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
sim.advance()
""")
        self.assertEqual(said, "17\n")

    def test_a_forked_child_lets_go_of_a_simulation_and_its_arrays(self):
        process = run("""
sim = sphere(); sim.advance(); kept = sim.position
child = os.fork()
if child == 0:
    del sim
    del kept
    sys.exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
        self.assertEqual((process.stdout, errors_but_kokkos(process.stderr)), ("0\n", ""))

    def test_a_child_that_was_forked_before_may_compute(self):
        self.assertEqual(self.quiet("""
child = os.fork()
if child == 0:
    sphere().advance(); os._exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""), "5\n")

    def test_other_python_threads_run_during_steps(self):
        self.assertEqual(self.quiet("""
import threading
count = 0
def work():
    global count
    while not done: count += 1; time.sleep(0.001)
done = False
thread = threading.Thread(target=work); thread.start()
sphere(2000).advance(20)
done = True; thread.join()
print(count > 3)
"""), "True\n")

    def test_the_first_simulation_chooses_the_threads(self):
        self.assertEqual(self.quiet("""
sim = sphere(5000, threads=1); print(sim.threads)
try:
    sphere(threads=2)
except apsis.UsageError as error:
    print("runs with 1 threads already" in str(error), "--" in str(error))
"""), "1\nTrue False\n")

    @unittest.skipUnless(_apsis.build()["backend"] == "openmp", "there are no threads to choose")
    def test_a_restored_simulation_and_a_run_choose_the_threads_too(self):
        with tempfile.TemporaryDirectory() as folder:
            script = f"sim = sphere(2000, threads=2); sim.save({folder + '/state'!r}); print(sim.threads)"
            self.assertEqual(self.quiet(script), "2\n")
            self.assertEqual(self.quiet(f"print(apsis.Simulation.restore({folder + '/state'!r}, threads=1).threads)"), "1\n")
        deck = "apsis.Deck(bodies=apsis.plummer(2000), integrator=apsis.leapfrog_kdk(0.01), gravity={'softening': 0.1}, run={'steps': 1})"
        self.assertEqual(self.quiet(f"print(apsis.run({deck}, by='process', threads=1).summary['threads'])"), "1\n")

    def test_interrupt_of_a_run_writes_a_checkpoint(self):
        with tempfile.TemporaryDirectory() as folder:
            script = START + f"""
deck = apsis.Deck(bodies=apsis.plummer(100), integrator=apsis.leapfrog_kdk(0.001), gravity={{'softening': 0.1}}, run={{'end_time': 1e6}})
ready = apsis.every(steps=100)(lambda now: print("ready", flush=True) if now.step == 100 else None)
try:
    apsis.run(deck, {folder + '/run'!r}, observers=[ready])
except KeyboardInterrupt:
    print("interrupted", apsis.load_run({folder + '/run'!r}).summary["status"])
"""
            child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
            try:
                self.assertEqual(child.stdout.readline(), "ready\n")
                child.send_signal(signal.SIGINT)
                said, _ = child.communicate(timeout=30)
            finally:
                child.kill()
            self.assertEqual(said, "interrupted stopped\n")

    def test_wrong_variables_of_the_environment(self):
        process = run("sphere()", KOKKOS_NUM_THREADS="many")
        self.assertEqual(process.returncode, 1)
        self.assertIn("KOKKOS_NUM_THREADS: wrong value in the environment", process.stderr)

    def test_threads_of_numpy_are_not_bound(self):
        self.assertEqual(self.quiet("""
before = os.sched_getaffinity(0)
sphere(5000).advance()
print(os.sched_getaffinity(0) == before)
"""), "True\n")


if __name__ == "__main__":
    unittest.main()
