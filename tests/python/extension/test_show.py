# SPDX-License-Identifier: Apache-2.0
"""The live view of a simulation: what viewers get, and its end with Ctrl-C, fork, exit and deleted objects."""
import base64
import contextlib
import copy
import gc
import io
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import urllib.error
import urllib.request
import webbrowser
from pathlib import Path
from unittest import mock
from urllib.parse import urlsplit

import apsis
from ends import errors_but_kokkos

PATIENCE = 30  # [s]


def sphere(count=300, **options):
    return apsis.Simulation(apsis.plummer(count, seed=1), softening=0.01, time_step=1 / 64, **options)


def shown(simulation, **options):
    """Returns the view of a simulation, whose address is not printed."""
    with contextlib.redirect_stdout(io.StringIO()):
        return simulation.show(**options)


def status_of(url):
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.headers, ""


def listens(port):
    with contextlib.closing(socket.socket()) as client:
        client.settimeout(PATIENCE)
        return client.connect_ex(("127.0.0.1", port)) == 0


class Viewer:
    """A client of the stream of a view: a WebSocket (RFC 6455) without extensions."""

    def __init__(self, url):
        address = urlsplit(url)
        self.socket = socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET /stream?{address.query} HTTP/1.1\r\nHost: {address.netloc}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.stream = self.socket.makefile("rb")
        self.status = int(self.stream.readline().split()[1])
        while self.stream.readline() not in (b"\r\n", b""):
            pass
        self.texts = {}  # last text of each type
        self.frame = None  # (step, time, bodies) of the last frame
        self.count = 0  # frames so far

    def ready(self, points=1000):
        data = json.dumps({"ready": points}).encode()
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[k % 4] for k, byte in enumerate(data))
        self.socket.sendall(bytes([0x81, 0x80 | len(data)]) + mask + masked)

    def next(self):
        """Takes a message; False at the end of the stream."""
        head = self.stream.read(2)
        if len(head) < 2:
            return False
        kind, length = head[0] & 15, head[1] & 127
        if length > 125:
            length = int.from_bytes(self.stream.read(2 if length == 126 else 8), "big")
        data = self.stream.read(length)
        if kind == 1:
            text = json.loads(data)
            self.texts.setdefault(text["type"], []).append(text)
        elif kind == 2:
            step, bodies, moment = struct.unpack("<QQd", data[8:32])
            self.frame, self.count = (step, moment, bodies), self.count + 1
            self.ready()
        return kind != 8

    def until(self, condition):
        """Takes messages until a condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition(self):
            if time.monotonic() > deadline or not self.next():
                raise AssertionError(f"this never comes; texts: {self.texts}, frame: {self.frame}")
        return self

    def close(self):
        self.stream.close()
        self.socket.close()


@contextlib.contextmanager
def watching(view):
    viewer = Viewer(view.url)
    viewer.ready()
    try:
        yield viewer
    finally:
        viewer.close()


class Show(unittest.TestCase):
    def test_viewers_see_the_states_that_calls_reach(self):
        sim = sphere()
        with shown(sim) as view, watching(view) as viewer:
            viewer.until(lambda it: it.frame == (0, 0.0, 300))
            hello = viewer.texts["hello"][0]
            self.assertEqual((hello["bodies"], hello["control"], hello["integrator"]), (300, False, "leapfrog_kdk"))
            sim.advance(until=1.0)
            view.update()
            viewer.until(lambda it: it.frame == (64, 1.0, 300))
            self.assertEqual(viewer.texts["state"][-1]["status"], "paused")
            self.assertEqual(view.viewers, 1)

    def test_frames_come_while_calls_follow_each_other(self):
        sim, stop = sphere(3), threading.Event()

        def work():
            while not stop.is_set():
                sim.advance()

        with shown(sim) as view, watching(view) as viewer:
            thread = threading.Thread(target=work)
            thread.start()
            try:
                viewer.until(lambda it: it.count > 6)
            finally:
                stop.set()
                thread.join()
            self.assertIn("running", [state["status"] for state in viewer.texts["state"]])
            view.update()
            viewer.until(lambda it: it.frame[0] == sim.step)

    def test_later_viewers_see_the_present_state(self):
        sim = sphere()
        view = shown(sim)
        for _ in range(3):
            sim.advance(20)
            time.sleep(0.05)
        sim.advance(20)
        with watching(view) as viewer:
            viewer.until(lambda it: it.frame is not None)
            self.assertEqual(viewer.frame[0], 80)
        view.close()

    def test_measurements_and_changed_bodies(self):
        sim = sphere()
        with shown(sim) as view, watching(view) as viewer:
            sim.measure()
            sim.advance(64)
            sim.measure()
            viewer.until(lambda it: len(it.texts.get("conservation", [])) == 2)
            first, second = viewer.texts["conservation"]
            self.assertEqual(first["time"] + second["time"], [0.0, 1.0])
            self.assertAlmostEqual(second["energy"][0], sim.energy_error, delta=1e-12)
            sim.remove(sim.bodies().id[0])
            viewer.until(lambda it: it.frame[2] == 299)
            self.assertEqual([hello["bodies"] for hello in viewer.texts["hello"]], [300, 299])

    def test_only_those_with_the_secret_are_let_in(self):
        with sphere() as sim:
            view = shown(sim)
            plain = f"http://{urlsplit(view.url).netloc}/"
            self.assertEqual(status_of(view.url)[0], 200)
            self.assertEqual(status_of(plain)[0], 403)
            refused = Viewer(plain)
            self.assertEqual(refused.status, 403)
            refused.close()
            self.assertRegex(view.url, r"[?]token=[0-9a-f]{32}$")

    def test_a_second_call_returns_the_open_view(self):
        sim = sphere()
        view = shown(sim)
        port = urlsplit(view.url).port
        self.assertIs(shown(sim), view)
        self.assertIs(shown(sim, port=port), view)
        with self.assertRaisesRegex(apsis.UsageError, "is open at another port"):
            shown(sim, port=port - 1)
        view.close()
        view.close()
        self.assertEqual((view.is_open, view.url, repr(view)), (False, "", "<apsis.LiveView, closed>"))
        self.assertFalse(listens(port))
        sim.advance()
        view.update()
        again = shown(sim, port=port)
        self.assertIsNot(again, view)
        with self.assertRaisesRegex(apsis.FileError, "choose another port"):
            shown(sphere(), port=port)
        again.close()

    def test_the_view_ends_with_its_simulation(self):
        for end in ("close", "delete"):
            with self.subTest(end):
                sim = sphere()
                view = shown(sim)
                with watching(view) as viewer:
                    viewer.until(lambda it: it.frame is not None)
                    if end == "close":
                        sim.close()
                    del sim
                    gc.collect()
                    self.assertFalse(view.is_open)
                    viewer.until(lambda it: "over" in it.texts)
                    self.assertEqual(viewer.texts["over"][0]["message"], "the simulation is gone")
                view.update()

    def test_a_simulation_keeps_its_view(self):
        sim = sphere()
        port = urlsplit(shown(sim).url).port
        gc.collect()
        self.assertTrue(listens(port))
        sim.close()
        self.assertFalse(listens(port))

    def test_copies_are_not_shown(self):
        sim = sphere()
        with shown(sim) as view:
            other = copy.copy(sim)
            self.assertIsNone(other._view)
            del other
            gc.collect()
            self.assertTrue(view.is_open)

    def test_outside_notebooks_the_address_is_printed(self):
        said, sim = io.StringIO(), sphere()
        with contextlib.redirect_stdout(said), mock.patch.object(webbrowser, "open") as opened:
            view = sim.show(browser=True)
        self.assertIn(f"view             {view.url}\n", said.getvalue())
        opened.assert_called_with(view.url)
        self.assertIn("live view in a tab", view._repr_html_())
        self.assertNotIn("<iframe", view._repr_html_())
        self.assertIn("frame-ancestors 'none'", status_of(view.url)[1]["Content-Security-Policy"])
        view.close()


class Notebook(unittest.TestCase):
    """A kernel of Jupyter, as this module sees it."""

    def setUp(self):
        self.events = {"post_execute": []}
        callbacks = self.events

        class Events:
            def __init__(self):
                self.callbacks = callbacks

            def register(self, name, function):
                callbacks[name].append(function)

            def unregister(self, name, function):
                callbacks[name].remove(function)

        shell = types.SimpleNamespace(events=Events())
        self.folder = tempfile.TemporaryDirectory()
        paths = types.SimpleNamespace(jupyter_runtime_dir=lambda: self.folder.name)
        modules = {"ipykernel": types.SimpleNamespace(), "IPython": types.SimpleNamespace(get_ipython=lambda: shell),
                   "jupyter_core": types.SimpleNamespace(paths=paths), "jupyter_core.paths": paths}
        for patch in (mock.patch.dict(sys.modules, modules), mock.patch.dict(os.environ, {"JPY_PARENT_PID": "17"})):
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(self.folder.cleanup)

    def serve(self, url):
        Path(self.folder.name, "jpserver-17.json").write_text(json.dumps({"url": url}))

    def test_a_cell_has_the_view_in_a_frame(self):
        self.serve("http://lab.example.org:8899/")
        sim = sphere()
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            view = sim.show()
        self.assertEqual(said.getvalue(), "")
        self.assertIn(f'<iframe src="{view.url}"', view._repr_html_())
        policy = status_of(view.url)[1]["Content-Security-Policy"]
        self.assertIn("frame-ancestors http://lab.example.org:8899 http://localhost:8899 http://127.0.0.1:8899", policy)
        view.close()
        self.assertEqual(view._repr_html_(), "&lt;apsis.LiveView, closed&gt;")

    def test_without_a_known_server_the_cell_has_a_link(self):
        for url in (None, "", 3):
            if url is not None:
                self.serve(url)
            with sphere() as sim:
                self.assertNotIn("<iframe", sim.show()._repr_html_())
        with sphere() as sim:
            self.assertIn("<iframe", sim.show(frames=["http://localhost:5"])._repr_html_())
        with self.assertRaisesRegex(apsis.UsageError, "is not an origin"), sphere() as sim:
            sim.show(frames=["localhost"])

    def test_the_page_has_the_last_state_after_each_cell(self):
        self.serve("http://localhost:8888/")
        sim = sphere(3)
        view = sim.show()
        self.assertEqual(len(self.events["post_execute"]), 1)
        with watching(view) as viewer:
            for _ in range(1000):
                sim.advance()
            self.events["post_execute"][0]()
            viewer.until(lambda it: it.frame is not None and it.frame[0] == 1000)
        view.close()
        self.assertEqual(self.events["post_execute"], [])
        view = sim.show()
        del sim
        gc.collect()
        self.events["post_execute"][0]()
        self.assertEqual(self.events["post_execute"], [])


START = """
import os, signal, socket, sys, time
from urllib.parse import urlsplit
import apsis
sim = apsis.Simulation(apsis.plummer(300, seed=1), softening=0.01, time_step=1 / 64)
view = sim.show()
port = urlsplit(view.url).port
def listens():
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
"""


class Process(unittest.TestCase):
    def run_script(self, script):
        environment = {**os.environ, "OMP_PROC_BIND": "false"}
        process = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", START + script], capture_output=True, text=True,
                                 timeout=100, env=environment)
        self.assertEqual((process.returncode, errors_but_kokkos(process.stderr)), (0, ""))
        return process.stdout.split("\n", 1)[1]

    def test_exit_with_an_open_view(self):
        self.run_script("sim.advance()")
        self.run_script("sim.advance(); sim._me = sim; apsis.kept = view; del sim")
        self.run_script("import gc; gc.disable(); sim._me = sim; view.me = view; kept = [sim, view]; kept.append(kept); del sim, view")

    def test_exit_while_a_browser_watches(self):
        environment = {**os.environ, "OMP_PROC_BIND": "false"}
        leak = "import ctypes; ctypes.pythonapi.Py_IncRef(ctypes.py_object(sim._core)); "  # Python never deletes it
        child = subprocess.Popen([sys.executable, "-c", START + leak + "sys.stdin.read()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(child.kill)
        viewer = Viewer(child.stdout.readline().split()[1])
        viewer.ready()
        viewer.until(lambda it: it.frame is not None)
        child.stdin.close()
        viewer.until(lambda it: "over" in it.texts)
        viewer.close()
        self.assertEqual((child.wait(PATIENCE), errors_but_kokkos(child.stderr.read())), (0, ""))
        child.stdout.close()
        child.stderr.close()

    def test_interrupt_goes_to_python_and_the_view_goes_on(self):
        environment = {**os.environ, "OMP_PROC_BIND": "false"}
        script = START + """
try:
    sim.advance(10**9)
except KeyboardInterrupt:
    print("interrupted", sim.step, flush=True)
sys.stdin.read()
"""
        child = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(child.kill)
        viewer = Viewer(child.stdout.readline().split()[1])
        viewer.ready()
        viewer.until(lambda it: it.count > 3)
        child.send_signal(signal.SIGINT)
        word, step = child.stdout.readline().split()
        self.assertEqual(word, "interrupted")
        viewer.until(lambda it: it.frame[0] == int(step) and it.texts["state"][-1]["status"] == "paused")
        viewer.close()
        child.stdin.close()
        self.assertEqual(child.wait(PATIENCE), 0)
        child.stdout.close()

    def test_a_forked_child_leaves_the_view_to_its_parent(self):
        said = self.run_script("""
end, begin = os.pipe()
child = os.fork()
if child == 0:
    os.close(begin)
    states = view.is_open, view.url, view.viewers
    view.update(); view.close(); sim._view = None; del view
    sys.stdout.write(f"{states}\\n"); sys.stdout.flush()
    os.read(end, 1)  # holds no socket while the parent ends the view
    del sim
    sys.exit(0)
os.close(end)
sim.advance(10)
print(view.is_open, listens(), flush=True)
view.close()
print(listens(), sim.show(port=port).is_open, flush=True)
os.write(begin, b"1")
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
        lines = [line for line in said.splitlines() if not line.startswith("view ")]
        self.assertEqual(sorted(lines), sorted(["(False, '', 0)", "True True", "False True", "0"]))

    def test_another_thread_closes_the_view_during_steps(self):
        self.assertEqual(self.run_script("""
import threading
thread = threading.Thread(target=lambda: (time.sleep(0.2), view.close()))
thread.start()
while thread.is_alive():
    sim.advance(20)
print(view.is_open, sim.step > 0)
"""), "False True\n")


if __name__ == "__main__":
    unittest.main()
