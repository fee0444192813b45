#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the scripts in analysis/ draw, and what they say where there is nothing to draw.

    test_plots.py ANALYSIS EXECUTABLE WORK
"""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

try:
    import h5py  # noqa: F401
    import matplotlib  # noqa: F401
    import numpy as np
    from PIL import Image
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

analysis, executable, work = (Path(word).resolve() for word in sys.argv[1:])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
os.environ["MPLCONFIGDIR"] = str(work)
sys.dont_write_bytecode = True
sys.path.insert(0, str(analysis))
import plot_snapshots  # noqa: E402

failures = []


def check(true, what):
    if not true:
        failures.append(what)


def plot(script, *words):
    return subprocess.run([sys.executable, analysis / script, *words], cwd=work, capture_output=True, text=True)


def frame(place, mass, ids=None):
    ids = np.arange(len(place)) if ids is None else np.array(ids)
    return SimpleNamespace(place=np.array(place, float), mass=np.array(mass, float), ids=ids, time=1.0, clock=" Myr",
                           length=" pc")


# Frames are centred on the heaviest body, wherever it stands in the file and however far the others are.
planets = [frame([[5, 0, 0], [7, 0, 0], [5, 9, 0]], [1, 1e-3, 1e-3]),
           frame([[1e3, 0, 0], [6, 1, 0], [6, 0, 0]], [1e-3, 1e-3, 1], [2, 1, 0])]
check(plot_snapshots.centred(planets, None) == "body 0, the heaviest", "a star among planets is the centre")
check((planets[0].place[0] == 0).all() and (planets[1].place[2] == 0).all(), "the star is in the middle")

# Of a cluster the density centre: a few bodies far away do not move it, nor does it jump between two lumps.
random = np.random.default_rng(1)
cluster = random.normal(size=(500, 3)) * 0.1 + [3, 2, 1]
far = np.concatenate([cluster, [[500, 0, 0]] * 5 + random.normal(size=(5, 3))])
one = [frame(far, np.ones(len(far)))]
check(plot_snapshots.centred(one, None) == "the density centre", "a cluster has a density centre")
check(np.abs(np.mean(one[0].place[:500], axis=0)).max() < 0.1, "outliers do not move the centre")
lumps = [frame(np.concatenate([cluster - [3 + d, 2, 1], cluster[::-1] - [3 - d, 2, 1]]), np.ones(1000))
         for d in (5, 4, 3)]
plot_snapshots.centred(lumps, "density")
middles = np.array([one.place.mean(axis=0) for one in lumps])
check(np.abs(np.diff(middles, axis=0)).max() < 1.0, f"frames do not jump: {middles}")

# What a frame does not show is counted.
check(plot_snapshots.title_of(one[0], one[0].place, 10.0) == "t = 1 Myr, 5 outside", "bodies outside are counted")
check(plot_snapshots.title_of(one[0], one[0].place, 1e4) == "t = 1 Myr", "nothing is outside of a wide frame")
check(plot_snapshots.reach_of([frame([[0, 0, 0], [30, 0, 0]], [1, 1])]) > 30, "of few bodies all are shown")

# Real runs, in units that have names; and what is not there is one line.
deck = {"bodies": {"generator": "plummer", "count": 50, "mass": 50, "scale_radius": 1}, "units": {"system": "astrophysical"},
        "gravity": {"softening": 0.1}, "integrator": {"time_step": 0.125}, "run": {"end_time": 1},
        "output": {"snapshot_interval": 0.5}}
(work / "deck.json").write_text(json.dumps(deck))
subprocess.run([executable, "run", "deck.json", "--quiet"], cwd=work, check=True)
read = plot_snapshots.read(work / "deck.run/snapshot_000002.h5")
check((read.length, read.clock, read.time) == (" pc", " Myr", 1.0), "units are read")
for words in (["plot_snapshots.py", "deck.run", "-o", "light.png"],
              ["plot_snapshots.py", "deck.run", "--dark", "--centre", "mass", "-o", "dark.png"],
              ["plot_conservation.py", "deck.run", "--output", "log.png"]):
    done = plot(*words)
    check(done.returncode == 0 and Image.open(work / words[-1]).size[0] > 300, f"{words}: {done.stderr}")
(work / "empty").mkdir()
(work / "cut").mkdir()
shutil.copytree(work / "deck.run", work / "cut", dirs_exist_ok=True)
(work / "cut/conservation.csv").write_text("step,time\n")
(work / "cut/snapshot_000000.h5").write_text("no snapshot")
for status, *words in ((74, "plot_snapshots.py", "nowhere"), (65, "plot_snapshots.py", "empty"),
                       (65, "plot_snapshots.py", "cut"), (74, "plot_conservation.py", "nowhere"),
                       (74, "plot_conservation.py", "empty"), (65, "plot_conservation.py", "cut"),
                       (74, "plot_bench.py", "nowhere.json"), (64, "plot_snapshots.py", "deck.run", "--reach", "-1")):
    told = plot(*words)
    check(told.returncode == status and told.stderr.count("\n") == 1 and "error: " in told.stderr,
          f"{words} ends with {told.returncode}: {told.stderr}")

for failure in failures:
    print(f"FAILED: {failure}")
sys.exit(1 if failures else 0)
