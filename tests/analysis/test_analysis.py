#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What apsis-analysis prints against what the runs say, what it draws, and what it says where there is nothing to draw.

    test_analysis.py ANALYSIS EXECUTABLE WORK
"""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

try:
    import h5py
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
os.environ["OMP_PROC_BIND"] = "false"
sys.dont_write_bytecode = True
sys.path.insert(0, str(analysis))
from apsis_analysis import frames, load_run, load_snapshot, load_table, open_snapshot  # noqa: E402

failures = []


def check(true, what):
    if not true:
        failures.append(what)


def near(value, expected, part=1e-12):
    return abs(value - expected) <= part * abs(expected)


def tool(*words, **environment):
    return subprocess.run([sys.executable, analysis / "apsis-analysis", *map(str, words)], cwd=work, capture_output=True,
                          text=True, env={**os.environ, **environment})


def drawn(*words):
    """The lines that a command prints, whose last is the picture's name."""
    done = tool(*words)
    check(done.returncode == 0 and not done.stderr, f"{words} ends with {done.returncode}: {done.stderr}")
    lines = done.stdout.splitlines() or [""]
    path = work / lines[-1]
    if path.suffix == ".png" and path.is_file():
        check(min(Image.open(path).size) > 300, f"{words} draws a picture of {Image.open(path).size}")
    check(path.is_file() and path.stat().st_size > 1000, f"{words} draws nothing")
    return lines


def number(lines, words, which=0):
    """A number of the first line that begins with these words."""
    for line in lines:
        if line.strip().startswith(words):
            return float(re.findall(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?", line[line.index(words) + len(words):])[which])
    failures.append(f"no line begins with {words}: {lines}")
    return float("nan")


def make_run(name, **deck):
    (work / f"{name}.json").write_text(json.dumps(deck))
    done = subprocess.run([executable, "run", f"{name}.json", "--quiet", "--output", name], cwd=work, capture_output=True,
                          text=True)
    check(done.returncode in (0, 1), f"{name} ends with {done.returncode}: {done.stderr}")
    return load_run(work / name)


def frame(place, mass, ids=None, wanted=None):
    ids = np.arange(len(place)) if ids is None else np.array(ids)
    piece = SimpleNamespace(position=np.array(place, float), mass=np.array(mass, float), id=ids,
                            species=np.ones(len(place), dtype=int))
    seen = frames.survey([piece], len(place), wanted)
    seen.pieces = [piece]
    return seen


# Frames are centred on the heaviest body, wherever it stands in the file and however far the others are.
star = frame([[5, 0, 0], [7, 0, 0], [5, 9, 0]], [1, 1e-3, 1e-3])
later = frame([[1e3, 0, 0], [6, 1, 0], [6, 0, 0]], [1e-3, 1e-3, 1], [2, 1, 0], wanted=star.heaviest)
check(frames.described(frames.kind_of_centre(star), star) == "body 0, the heaviest", "a star among planets is the centre")
check([list(frames.middle_of(one, "heaviest", star)) for one in (star, later)] == [[5, 0, 0], [6, 0, 0]],
      "the star is in the middle")

# Of a cluster the density centre: a few bodies far away do not move it, nor does it jump between two lumps.
random = np.random.default_rng(1)
cluster = random.normal(size=(500, 3)) * 0.1 + [3, 2, 1]
far = np.concatenate([cluster, [[500, 0, 0]] * 5 + random.normal(size=(5, 3))])
one = frame(far, np.ones(len(far)))
check(frames.kind_of_centre(one) == "density", "a cluster has a density centre")
one.middle = frames.middle_of(one, "density", one)
check(np.abs(cluster.mean(axis=0) - one.middle).max() < 0.1, "outliers do not move the centre")
lumps = [frame(np.concatenate([cluster - [3 + d, 2, 1], cluster[::-1] - [3 - d, 2, 1]]), np.ones(1000)) for d in (5, 4, 3)]
middles = np.array([frames.middle_of(lump, "density", lumps[0]) for lump in lumps])
check(np.abs(np.diff(middles, axis=0)).max() < 1.0, f"frames do not jump: {middles}")

# What a frame does not show is counted; what it shows is in its pixels.
groups = [frames.of_species(1)]
for reach, outside in ((10.0, 5), (1e4, 0)):
    counts, bodies, found = frames.images(one.pieces, one.middle, reach, groups, 64)
    check((found, counts[0, 0].sum(), bodies[0]) == (outside, 505 - outside, 505), f"{found} outside of {reach}")
check(frames.images([one.pieces[0]], np.array([4, 2, 1]), 2.0, groups, 2)[0][0, 0, :, 0].sum() == 500, "left is left")
one.time, one.units, one.outside = 1.0, {"time": "Myr"}, 5
check(frames.title_of(one) == "t = 1 Myr, 5 outside", "the title says what is outside")
two = frame([[0, 0, 0], [30, 0, 0]], [1, 1])
two.middle = np.zeros(3)
check(frames.reach_of([two]) > 30, "of few bodies all are shown")

# A large snapshot is read in pieces: the same picture, and a sample that is spread over all of it.
pieces = [SimpleNamespace(**{name: values[first:first + 130] for name, values in vars(one.pieces[0]).items()})
          for first in range(0, 505, 130)]
whole, parts = (frames.images(each, one.middle, 10.0, groups, 16)[0] for each in (one.pieces, pieces))
check((whole == parts).all(), "pieces make the picture of the whole")
frames.SAMPLE, kept = 100, frames.SAMPLE
thin = frames.survey(pieces, 505)
frames.SAMPLE = kept
check((thin.place == far[::6]).all() and np.allclose(thin.mean, far.mean(axis=0)), "the sample is every sixth body")

# Real runs, in units that have names.
cluster = make_run(
    "cluster", units={"system": "astrophysical"}, gravity={"softening": 0.1}, integrator={"time_step": 0.125},
    bodies={"generator": "plummer", "count": 500, "mass": 50, "scale_radius": 1}, run={"end_time": 1},
    output={"snapshot_interval": 0.5, "conservation_interval": 0.125}, diagnostics={"structure": {}, "lagrangian_radii": {}},
    conservation={"max_relative_energy_error": 1e-12, "max_momentum_error": 1})
disk = make_run("disk", bodies={"generator": "disk_galaxy", "count": 400}, gravity={"softening": 0.1},
                integrator={"time_step": 0.125}, run={"steps": 1}, output={"snapshot_interval": 0.125})
lone = make_run("lone", bodies={"list": [{"mass": 1, "position": [1, 2, 3], "velocity": [0, 0, 0]}]},
                integrator={"time_step": 0.125}, run={"steps": 1}, output={"snapshot_interval": 0.125})

# Loading: columns with units, bodies with units, and a line that is half written.
log = load_table(work / "cluster/conservation.csv")
check((log.rows, log.units["time"], log.units["momentum_x"], log.system) == (9, "Myr", "Msun pc Myr^-1", "astrophysical"),
      f"columns have units: {log.units}")
check(log["step"].dtype.kind == "i" and log["time"][-1] == 1.0 and log["total"].shape == (9,), "columns are numpy arrays")
bodies = load_snapshot(work / "cluster/snapshot_000002.h5")
check(bodies.units == {"length": "pc", "mass": "Msun", "time": "Myr", "velocity": "pc Myr^-1"}, f"units: {bodies.units}")
check(bodies.time == 1.0 and bodies.position.shape == (500, 3) and near(bodies.mass.sum(), 50), "bodies are read")
with h5py.File(work / "cluster/snapshot_000002.h5") as file:
    check((bodies.velocity == file["PartType1/Velocities"][:]).all(), "to the last bit")
kinds = load_snapshot(work / "disk/snapshot_000000.h5").kind
check([(kinds == kind).sum() for kind in (1, 2)] == [300, 100], "species are read")

# The numbers printed are the run's own.
lines = drawn("conservation", "cluster", "lone")
said = cluster.summary
check(near(number(lines, "max |dE/E|"), said["max_relative_energy_error"], 0), f"energy error: {lines}")
check(near(number(lines, "max |dP|"), said["max_momentum_error"]), f"momentum error: {lines}")
check("beyond the limit 1e-12" in lines[1] and "within the limit 1" in lines[2] and said["status"] in lines[0],
      f"limits: {lines}")
lines = drawn("frames", "cluster", "-o", "light.png")
row = cluster.table("structure")
check(all(near(number(lines, str(Path("cluster/snapshot_000002.h5")), 3 + k), row[f"center_{axis}"][-1], 1e-9)
          for k, axis in enumerate("xyz")), f"the density centre is that of the run: {lines}")
drawn("frames", "cluster", "--dark", "--centre", "mass", "-o", "dark.png")
drawn("frames", "lone", "-o", "lone.svg")
check(number(drawn("frames", "disk", "--species", "disk", "-o", "disk.png"), "about the density centre; reach") <
      number(drawn("frames", "disk", "--centre", "origin", "--dark", "--ids", "0:100", "-o", "ids.png"),
             "about the origin; reach") * 2, "a halo sets no scale")
bench = {"environment": {"device": "a $ CPU", "backend": "openmp"}, "rows": [
    {"kernel": "naive", "precision": "double", "threads": 1, "bodies": n, "interactions_per_second": 1e6 * n, "spread": 0.1,
     "percent_of_limit": None} for n in (10, 20)]}
(work / "bench.json").write_text(json.dumps(bench))
check(number(drawn("bench", "bench.json"), "naive") == 2e7, "the best rate is printed")

# Bad input: one line each, and the status of the manual.
(work / "empty").mkdir()
shutil.copytree(work / "cluster", work / "cut")
(work / "cut/conservation.csv").write_text("step,time\n")
(work / "cut/structure.csv").write_text("step,time\n1,2,3\n")
(work / "cut/snapshot_000000.h5").write_text("no snapshot")
(work / "list.json").write_text("[]")


def changed(name, change):
    shutil.copy(work / "cluster/snapshot_000002.h5", work / name)
    with h5py.File(work / name, "r+") as file:
        change(file)
    return name


def without_bodies(file):
    del file["PartType1"]


def with_nan(file):
    place = file["PartType1/Coordinates"][:]
    place[7, 1] = np.nan
    del file["PartType1/Coordinates"]
    file["PartType1/Coordinates"] = place


def of_unequal_columns(file):
    del file["PartType1/Masses"]
    file["PartType1/Masses"] = np.ones((500, 2))


with h5py.File(work / "strange.h5", "w") as file:
    file["temperature"] = np.ones(3)
with h5py.File(work / "gadget.h5", "w") as file:  # of another code, without units and masses of each body
    file.create_group("Header").attrs.update({"Time": 2.0, "MassTable": np.array([0, 0.5, 0, 0, 0, 0])})
    file["PartType1/Coordinates"], file["PartType1/ParticleIDs"] = np.eye(3), np.arange(3)
check("t = 2.0, 3 bodies" in drawn("frames", "gadget.h5", "-o", "gadget.png")[0], "a snapshot of others is drawn")
BAD = [
    (74, "conservation", "nowhere"), (65, "conservation", "empty"), (65, "conservation", "cut"),
    (74, "frames", "nowhere"), (65, "frames", "empty"), (65, "frames", "cut"), (65, "frames", "strange.h5"),
    (65, "frames", changed("zero.h5", without_bodies)), (65, "frames", changed("nan.h5", with_nan)),
    (65, "frames", changed("unequal.h5", of_unequal_columns)), (65, "frames", "disk", "--species", "gas"),
    (64, "frames", "cluster", "--reach", "-1"), (64, "frames", "cluster", "-o", "x.gif"), (64, "frames"), (64,),
    (64, "nothing"), (74, "frames", "cluster", "-o", "nowhere/x.png"),
    (74, "bench", "nowhere.json"), (65, "bench", "list.json"), (65, "bench", "cluster.json"),
]
for status, *words in BAD:
    told = tool(*words)
    check(told.returncode == status and told.stderr.count("\n") == 1 and told.stderr.startswith("apsis-analysis: error: ")
          and "; " in told.stderr, f"{words} ends with {told.returncode}: {told.stderr}")
check("body 7" in tool("frames", "nan.h5").stderr, "the body that is not finite is named")

# A library that is missing is one line; help needs none.
(work / "fake").mkdir()
for name in ("numpy", "h5py", "matplotlib"):
    (work / f"fake/{name}.py").write_text(f"raise ModuleNotFoundError(\"No module named '{name}'\", name='{name}')\n")
told = tool("frames", "cluster", PYTHONPATH=str(work / "fake"))
check(told.returncode == 70 and told.stderr.count("\n") == 1 and "install python3-" in told.stderr, f"missing: {told}")
for words in ([], *([word] for word in re.findall(r"^    (\w+)\s", tool("--help").stdout, re.M))):
    told = tool(*words, "--help", PYTHONPATH=str(work / "fake"))
    check(told.returncode == 0 and "usage: apsis-analysis" in told.stdout, f"help of {words}: {told.stderr}")

for failure in failures:
    print(f"FAILED: {failure}")
sys.exit(1 if failures else 0)
