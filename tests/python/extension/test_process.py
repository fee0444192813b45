# SPDX-License-Identifier: Apache-2.0
"""What a simulation does to its process: signals, fork, threads, exit. Each case is a process of its own."""
import os
import signal
import subprocess
import sys
import time
import unittest

try:
    import numpy  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

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
        done = run(script, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_exit_with_views_simulations_and_cycles(self):
        self.quiet("kept = sphere().position; sim = sphere(); sim.me = sim; apsis.kept = sphere()")

    def test_exit_by_an_exception(self):
        done = run("sim = sphere(); raise RuntimeError('mine')")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.strip().endswith("RuntimeError: mine"))

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
    try:
        sim.advance()
    except apsis.UsageError as error:
        os._exit(17 if "forked" in str(error) else 1)
    os._exit(2)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
sim.advance()
""")
        self.assertEqual(said, "17\n")

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

    def test_wrong_variables_of_the_environment(self):
        done = run("sphere()", KOKKOS_NUM_THREADS="many")
        self.assertEqual(done.returncode, 1)
        self.assertIn("KOKKOS_NUM_THREADS: wrong value in the environment", done.stderr)

    def test_threads_of_numpy_are_not_bound(self):
        self.assertEqual(self.quiet("""
before = os.sched_getaffinity(0)
sphere(5000).advance()
print(os.sched_getaffinity(0) == before)
"""), "True\n")


if __name__ == "__main__":
    unittest.main()
