#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests apsis-analysis: printed numbers against the runs, pictures, and errors where there is nothing to draw.

    test_analysis.py ANALYSIS EXECUTABLE WORK
"""
import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
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
from apsis_analysis import centre, command_line, convergence, load_run, load_snapshot, load_table, models  # noqa: E402
from apsis_analysis import conservation, output, profile, radii, report, style, survey, units  # noqa: E402
from apsis_analysis.problem import Problem  # noqa: E402

os.chdir(work)

failures = []


def check(true, what):
    if not true:
        failures.append(what)


def near(value, expected, part=1e-12):
    return abs(value - expected) <= part * abs(expected)


def process(*words, **environment):
    return subprocess.run([sys.executable, analysis / "apsis-analysis", *map(str, words)], cwd=work, capture_output=True,
                          text=True, env={**os.environ, **environment})


def process_without(hidden, *words):
    """Runs the tool as on a machine without these modules."""
    return process(*words, APSIS_HIDDEN_MODULES=hidden, PYTHONPATH=str(Path(__file__).parents[1] / "support/hidden_modules"))


def tool(*words):
    """Runs the tool like a process, but in this one, without the second that each process takes to load libraries."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            status = command_line.main(list(map(str, words)))
        except SystemExit as end:  # argparse after --help
            status = end.code
    return SimpleNamespace(returncode=status, stdout=out.getvalue(), stderr=err.getvalue())


def drawn(*words):
    """Returns the lines that a command prints; the last one is the name of the picture."""
    done = tool(*words)
    check(done.returncode == 0 and not done.stderr, f"{words} ends with {done.returncode}: {done.stderr}")
    lines = done.stdout.splitlines() or [""]
    path = work / lines[-1]
    if path.suffix == ".png" and path.is_file():
        check(min(Image.open(path).size) > 300, f"{words} draws a picture of {Image.open(path).size}")
    check(path.is_file() and path.stat().st_size > 1000, f"{words} draws nothing")
    return lines


def number(lines, words, which=0):
    """Returns a number of the first line that begins with these words."""
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
    seen = survey.survey([piece], len(place), wanted)
    seen.pieces = [piece]
    return seen


# Frames are centred on the heaviest body, in any row of the file and however far the other bodies
# are.
star = frame([[5, 0, 0], [7, 0, 0], [5, 9, 0]], [1, 1e-3, 1e-3])
later = frame([[1e3, 0, 0], [6, 1, 0], [6, 0, 0]], [1e-3, 1e-3, 1], [2, 1, 0], wanted=star.heaviest)
check(survey.described(survey.kind_of_centre(star), star) == "body 0, the heaviest", "a star among planets is the centre")
check([list(survey.middle_of(one, "heaviest", star)) for one in (star, later)] == [[5, 0, 0], [6, 0, 0]],
      "the star is in the middle")

# A cluster is centred on the density centre: a few distant bodies do not move it, and it does not
# jump between two lumps.
random = np.random.default_rng(1)
cluster = random.normal(size=(500, 3)) * 0.1 + [3, 2, 1]
far = np.concatenate([cluster, [[500, 0, 0]] * 5 + random.normal(size=(5, 3))])
one = frame(far, np.ones(len(far)))
check(survey.kind_of_centre(one) == "density", "a cluster has a density centre")
one.middle = survey.middle_of(one, "density", one)
check(np.abs(cluster.mean(axis=0) - one.middle).max() < 0.1, "outliers do not move the centre")
lumps = [frame(np.concatenate([cluster - [3 + d, 2, 1], cluster[::-1] - [3 - d, 2, 1]]), np.ones(1000)) for d in (5, 4, 3)]
middles = np.array([survey.middle_of(lump, "density", lumps[0]) for lump in lumps])
check(np.abs(np.diff(middles, axis=0)).max() < 1.0, f"frames do not jump: {middles}")

# The same with many bodies, where the sphere shrinks onto the larger of two lumps.
pair = np.concatenate([random.normal(size=(4000, 3)) * 0.1 + [3, 2, 1], random.normal(size=(2500, 3)) * 0.1 - [9, 2, 1]])
check(np.abs(centre.shrinking_sphere(pair, np.ones(len(pair))) - [3, 2, 1]).max() < 0.02, "the sphere finds the larger lump")

# Bodies outside a frame are counted; bodies inside are in its pixels.
groups = [survey.of_species(1)]
for reach, outside in ((10.0, 5), (1e4, 0)):
    counts, bodies, found = survey.images(one.pieces, one.middle, reach, groups, 64)
    check((found, counts[0, 0].sum(), bodies[0]) == (outside, 505 - outside, 505), f"{found} outside of {reach}")
check(survey.images([one.pieces[0]], np.array([4, 2, 1]), 2.0, groups, 2)[0][0, 0, :, 0].sum() == 500, "left is left")
one.time, one.units, one.outside = 1.0, {"time": "Myr"}, 5
check(survey.title_of(one) == "t = 1 Myr, 5 outside", "the title says what is outside")
two = frame([[0, 0, 0], [30, 0, 0]], [1, 1])
two.middle = np.zeros(3)
check(survey.reach_of([two]) > 30, "of few bodies all are shown")

# A large snapshot is read in pieces: the same picture, and a sample that is spread over the whole
# file.
pieces = [SimpleNamespace(**{name: values[first:first + 130] for name, values in vars(one.pieces[0]).items()})
          for first in range(0, 505, 130)]
whole, parts = (survey.images(each, one.middle, 10.0, groups, 16)[0] for each in (one.pieces, pieces))
check((whole == parts).all(), "pieces make the picture of the whole")
survey.SAMPLE, kept = 100, survey.SAMPLE
thin = survey.survey(pieces, 505)
survey.SAMPLE = kept
check((thin.place == far[::6]).all() and np.allclose(thin.mean, far.mean(axis=0)), "the sample is every sixth body")

# Titles are wrapped to the width of their figure, panel, or panel of two columns.
figure, _ = style.figure_with(2, 2, figsize=(5, 3))
wide = figure.add_subplot(figure.axes[0].get_gridspec()[1, :])
name = style.plain("a run of many $words$ " * 6 + 200 * "x")
titles = [(figure.suptitle(name), 1.0), (figure.axes[1].set_title(name), 0.5), (wide.set_title(name), 1.0)]
style.fit_titles(figure)
figure.draw_without_rendering()
for title, part in titles:
    check(title.get_window_extent().width <= part * figure.bbox.width, f"{title.get_text()} is {title.get_window_extent()}")
    check(title.get_text().replace("\n", "").replace(" ", "") == name.replace(" ", ""), "a title keeps its letters")
short = wide.set_title("Radii of a run")
style.fit_titles(figure)
check(short.get_text() == "Radii of a run", "a title with room is as it was")
style.plt.close(figure)

# Real runs, in named units.
cluster = make_run(
    "cluster", units={"system": "astrophysical"}, gravity={"softening": 0.1}, integrator={"time_step": 0.125},
    bodies={"generator": "plummer", "count": 500, "mass": 50, "scale_radius": 1}, run={"end_time": 1},
    output={"snapshot_interval": 0.5, "conservation_interval": 0.125}, diagnostics={"structure": {}, "lagrangian_radii": {}},
    conservation={"max_relative_energy_error": 1e-12, "max_momentum_error": 1})
disk = make_run("disk", bodies={"generator": "disk_galaxy", "count": 400}, gravity={"softening": 0.1},
                integrator={"time_step": 0.125}, run={"steps": 1}, output={"snapshot_interval": 0.125})
lone = make_run("lone", bodies={"list": [{"mass": 1, "position": [1, 2, 3], "velocity": [0, 0, 0]}]},
                integrator={"time_step": 0.125}, run={"steps": 1}, output={"snapshot_interval": 0.125})

# Loading: columns with units, bodies with units, and an incomplete line.
log = load_table(work / "cluster/conservation.csv")
check((log.rows, log.units["time"], log.units["momentum_x"], log.system) == (9, "Myr", "Msun pc Myr^-1", "astrophysical"),
      f"columns have units: {log.units}")
check(log["step"].dtype.kind == "i" and log["time"][-1] == 1.0 and log["total"].shape == (9,), "columns are numpy arrays")
shutil.copytree(work / "cluster", work / "going")
with open(work / "going/conservation.csv", "a") as stream:
    stream.write("9,1.125,0.2")
check(load_table(work / "going/conservation.csv")["time"][-1] == 1.0, "a line that is being written is left out")
bodies = load_snapshot(work / "cluster/snapshot_000002.h5")
check(bodies.units == {"length": "pc", "mass": "Msun", "time": "Myr", "velocity": "pc Myr^-1"}, f"units: {bodies.units}")
check(bodies.time == 1.0 and bodies.position.shape == (500, 3) and near(bodies.mass.sum(), 50), "bodies are read")
with h5py.File(work / "cluster/snapshot_000002.h5") as file:
    check((bodies.velocity == file["PartType1/Velocities"][:]).all(), "to the last bit")
kinds = load_snapshot(work / "disk/snapshot_000000.h5").kind
check([(kinds == kind).sum() for kind in (1, 2)] == [300, 100], "species are read")

for unit, said, shown in (("pc Myr^-1", " pc Myr^-1", "v [pc Myr$^{-1}$]"), ("86400 s", " d", "v [d]"), ("", "", "v"),
                          ("mass length^2 time^-1", "", "v [Henon units]"), ("Msun", " Msun", "v [M$_\\odot$]"),
                          ("5.150424440431542e+47 kg m^2 s^-1", " (5.15e+47 kg m^2 s^-1)",
                           "v\n[5.15×10$^{47}$ kg m$^{2}$ s$^{-1}$]")):
    check((units.spoken(unit), units.label("v", unit, "henon")) == (said, shown),
          f"{unit} is {units.spoken(unit)!r}, {units.label('v', unit, 'henon')!r}")

# The printed numbers are those of the run.
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
reaches = [number(drawn("frames", "disk", *words), "about the density centre; reach") for words in
           (["--species", "disk", "-o", "disk.png"], ["-o", "all.png"], ["--species", "dark", "-o", "dark.png"])]
check(reaches[0] == reaches[1] < 0.5 * reaches[2], f"a halo sets no scale: {reaches}")
drawn("frames", "disk", "--centre", "origin", "--dark", "--ids", "0:100", "-o", "ids.png")
lines = drawn("radii", "cluster", "-o", "radii.svg")
lagrangian = cluster.table("lagrangian_radii")
for words, values in (("half-mass radius", row["half_mass_radius"]), ("core radius", row["core_radius"]),
                      ("10 % of the mass", lagrangian["r_0.1"])):
    said = [number(lines, words, which) for which in range(3)]
    check(said == [values[0], values[-1], values.min()], f"{words}: {said} and not {values}")
lines = drawn("profile", "cluster/snapshot_000002.h5")
check(near(number(lines, "half-mass radius"), row["half_mass_radius"][-1]), f"half-mass radius: {lines}")
check(near(number(lines, "velocity dispersion"), row["velocity_dispersion"][-1]), f"velocity dispersion: {lines}")
drawn("profile", "cluster", "--bins", "5", "-o", "profile.svg")
check("no model is drawn" in "".join(drawn("profile", "disk", "--species", "disk")), "a model of a species is not drawn")

# Models agree with the generators and with closed forms of the papers.
plummer = models.model_of({"generator": "plummer", "scale_radius": 2.0, "truncation": 1e3}, 3.0, 5.0)
check(np.abs(plummer.dispersion * np.sqrt(6 * np.hypot(plummer.radius, 2) / 15) - 1)[plummer.radius < 200].max() < 1e-3,
      "Plummer's dispersion is that of his paper")
hernquist = models.model_of({"generator": "hernquist", "scale_radius": 2.0, "truncation": 1e5}, 1.0, 1.0)
check(np.abs(hernquist.mass * (1 + 2 / hernquist.radius) ** 2 - 1)[::100].max() < 1e-3, "Hernquist's mass is that of his paper")
check(np.abs(np.log10(models.king_table(6.0)[0][-1]) - 1.255) < 0.001, "the concentration of King's W0 = 6")
for name in ("hernquist", "jaffe", "nfw", "king", "uniform_sphere"):
    sphere = make_run(name, bodies={"generator": name, "count": 4000, "seed": 3, **({"virial_ratio": 0.1} if name.startswith("u")
                                                                                  else {"henon_units": True})},
                      integrator={"time_step": 1e-6}, run={"steps": 1}, gravity={"softening": 1e-4})
    lines = drawn("profile", name, "-o", f"{name}.png")
    check(number(lines, "density off the model by") < 2 * number(lines, "density off the model by", 1),
          f"{name} has its model's density: {lines}")
    check(number(lines, "dispersion off the model by") < 0.05, f"{name} has its model's dispersion: {lines}")
    found = profile.profiles_of(work / name)
    check(abs(found[0][0].half_mass_radius / np.interp(0.5, found[1].mass / found[1].mass[-1], found[1].radius) - 1) < 0.06,
          f"{name} has its model's half-mass radius")

# Few bodies have no core, and the table leaves it empty; units may be defined by the deck.
few = make_run("few", units={"length": 1.495978707e11, "mass": 1.98841e30, "time": 86400}, integrator={"time_step": 1},
               run={"steps": 2}, bodies={"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 1e-3, "semi_major_axis": 1}]},
               diagnostics={"structure": {}, "pair_distances": {}})
check(np.isnan(few.table("structure")["core_radius"]).all(), "a value that is not there is nan")
lines = drawn("radii", "few")
check("none" in lines[-2] and " au at t = " in lines[1], f"no core: {lines}")
check("radii, distances" in drawn("report", "few", "-o", "few.html")[0], "a report has the other tables")

# Orbits.
planets = make_run("planets", units={"system": "solar"}, integrator={"time_step": 0.01}, run={"end_time": 1},
                   output={"conservation_interval": 0.05}, diagnostics={"orbital_elements": {}, "trajectories": {}},
                   bodies={"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 1e-6, "semi_major_axis": 1, "eccentricity": 0.2},
                                    {"mass": 1e-6, "semi_major_axis": 2, "inclination": 90}]})
lines = drawn("orbits", "planets", "--about", "0")
elements = planets.table("orbital_elements")
mine = elements["id"] == 1
check(number(lines, "body 1: a =") == elements["semi_major_axis"][mine][0] and near(number(lines, "body 1: a ="), 1, 1e-5)
      and number(lines, "body 2: a =", 4) == elements["inclination"][elements["id"] == 2][0] and near(number(lines, "body 2: a =", 4), 90, 1e-9), f"elements: {lines}")
check(abs(number(lines, "body 1: distance", 1) - 1.2) < 0.01 and number(lines, "body 0: distance", 1) == 0, f"paths: {lines}")
check("body 2" not in "".join(drawn("orbits", "planets", "--ids", "1", "-o", "one.svg")), "only what is chosen")

# Orders of convergence, from runs of the executable.
kepler = {"bodies": {"generator": "kepler", "primary_mass": 0.5, "secondary_mass": 0.5, "semi_major_axis": 1, "eccentricity": 0.3},
          "integrator": {"name": "euler", "time_step": 0.1}, "run": {"end_time": 2.0}}
(work / "kepler.json").write_text(json.dumps(kepler))
lines = drawn("convergence", "kepler.json", "--apsis", executable, "--integrator", "leapfrog_kdk", "blanes_moan4",
              "--halvings", "3")
for name, order in (("leapfrog_kdk", 2), ("blanes_moan4", 4)):
    found = re.search(rf"slope of {name} +end state (\S+), energy (\S+), order {order}", "\n".join(lines))
    check(found and all(abs(float(slope) - order) < 0.2 for slope in found.groups()), f"slopes of {name}: {lines}")
check([float(line.split()[2]) for line in lines if line.strip().startswith("leapfrog_kdk")] == [21, 41, 81, 161],
      f"costs are force evaluations: {lines}")
kepler["integrator"] = {"name": "hermite4", "time_step": 0.1, "corrections": 2, "stepping": {"mode": "block"}}
(work / "hermite.json").write_text(json.dumps(kepler))
lines = drawn("convergence", "hermite.json", "--apsis", executable, "--integrator", "hermite4", "pefrl", "--halvings", "2")
check(number(lines, "hermite4", 1) == 41, f"the deck's corrections are its own integrator's: {lines}")
slope, good = convergence.fitted_slope([8, 4, 2, 1], [0.5, 0.16, 0.04, 1e-16], 1e-14, 0.3)
check(abs(slope - 2) < 1e-12 and list(good) == [False, True, True, False], "what is lost or rounding has no slope")

# The report is a single file with the run's numbers and the deck.
lines = drawn("report", "cluster")
page = (work / "report.html").read_text()
check(cluster.summary["status"] in lines[0] and "conservation, the bodies, radii, profile" in lines[0], f"report: {lines}")
check(not re.search(r"""(?:href|src|url|@import)\s*[=(]?\s*["']?(?!data:)(?:https?:|//|\w+\.\w)""", page), "it needs no other file")
check(page.count('src="data:image/png;base64,') == page.count("<img ") == 4, "its pictures are in it")
for word in (repr(cluster.summary["max_relative_energy_error"]), "broken", "not conserved, exit code 1", "astrophysical",
             "apsis run cluster/deck.resolved.json", cluster.summary["compiler"], "Orbits: cluster: has no orbits"):
    check(word in page, f"the report lacks {word}")
bench = {"environment": {"device": "a $ CPU", "backend": "openmp"}, "rows": [
    {"kernel": "naive", "precision": "double", "threads": 1, "bodies": n, "interactions_per_second": 1e6 * n, "spread": 0.1,
     "percent_of_limit": None} for n in (10, 20)]}
(work / "bench.json").write_text(json.dumps(bench))
check(number(drawn("bench", "bench.json"), "naive") == 2e7, "the best rate is printed")
scaling = {"environment": {}, "rows": [
    {"kernel": kernel, "scaling": "strong", "precision": "double", "processes": count, "bodies": 1000, "bodies_alone": 1000,
     "interactions_per_second": 1e9 * count, "efficiency": 1.0, "milliseconds_step": 1.0 / count}
    for kernel, count in (("split", 1), ("split", 2), ("model", 64))]}
(work / "scaling.json").write_text(json.dumps(scaling))
lines = drawn("scaling", "scaling.json")
check(len(lines) == 4 and "2e+09 interactions/s, efficiency 100.0 %" in lines[1] and lines[2].endswith("by the model"),
      f"scaling: {lines}")
scaling["rows"] += [{"kernel": "fmm", "scaling": "strong", "precision": "single", "processes": count, "bodies": 1000, "bodies_alone": 1000,
                     "bodies_per_second": 1e7 * count, "accuracy": 1e-3, "efficiency": 0.9, "milliseconds_step": 1.0 / count} for count in (1, 2)]
(work / "scaling.json").write_text(json.dumps(scaling))
lines = drawn("scaling", "scaling.json")
check(len(lines) == 6 and lines[4].startswith("strong  single, fmm 0.001 ") and "2e+07 bodies/s, efficiency 90.0 %" in lines[4],
      f"scaling of fmm: {lines}")

# Bad input: one line each, and the status given in the manual.
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
with h5py.File(work / "gadget.h5", "w") as file:  # from another code, without units and with one mass per species
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
    (74, "radii", "nowhere"), (65, "radii", "disk"), (65, "radii", "cut"), (65, "profile", "lone"), (65, "profile", "empty"),
    (65, "profile", "disk", "--species", "gas"), (74, "profile", "nowhere.h5"), (64, "profile", "cluster", "--bins", "0"),
    (65, "profile", "nan.h5"), (65, "profile", "zero.h5"), (65, "orbits", "cluster"), (65, "orbits", "planets", "--ids", "7"),
    (65, "report", "empty"), (74, "report", "nowhere"), (74, "report", "cluster", "-o", "nowhere/x.html"),
    (64, "report", "cluster", "-o", "x.png"), (74, "yt", "nowhere.h5"), (65, "convergence", "list.json"),
    (74, "convergence", "kepler.json", "--apsis", "nowhere"), (65, "convergence", "cluster/structure.csv"),
    (64, "convergence", "kepler.json", "--apsis", executable, "--integrator", "none_such"),
    (64, "convergence", "kepler.json", "--apsis", executable, "--time-step", "0.3"),
    (65, "convergence", "kepler.json", "--apsis", executable, "--set", "gravity.none=1"),
    (65, "convergence", "kepler.json", "--apsis", executable, "--set", "run.encounter_distance=1.2"),
    (74, "bench", "nowhere.json"), (65, "bench", "list.json"), (65, "bench", "cluster.json"),
    (65, "scaling", "bench.json"), (65, "scaling", "list.json"), (74, "scaling", "nowhere.json"),
]
for status, *words in BAD:
    told = tool(*words)
    check(told.returncode == status and told.stderr.count("\n") == 1 and told.stderr.startswith("apsis-analysis: error: ")
          and "; " in told.stderr, f"{words} ends with {told.returncode}: {told.stderr}")
    if words[:1] == ["yt"]:  # the same whether yt is installed or not
        again = process_without("yt", *words)
        check((again.returncode, again.stderr) == (status, told.stderr), f"without yt {words}: {again}")
for words in (["conservation", "cluster"], ["conservation", "nowhere"]):
    one, same = process(*words), tool(*words)
    check(vars(same) == {name: getattr(one, name) for name in vars(same)}, f"a process does the same: {one} {same}")
check("body 7" in tool("frames", "nan.h5").stderr, "the body that is not finite is named")

# Output files: only a regular file is replaced, and no other file is touched.
beside = work / "beside"
beside.mkdir()
(beside / "precious").write_text("mine")
(beside / "link.png").symlink_to("precious")
(beside / "directory.png").mkdir()
os.mkfifo(beside / "pipe")
for name, kind in (("link.png", "a symbolic link"), ("directory.png", "a directory")):
    try:
        output.write(beside / name, b"new")
        check(False, f"{name} was replaced")
    except Problem as problem:
        check(problem.status == 74 and f"is {kind}" in str(problem), f"{name}: {problem}")
told = tool("conservation", "cluster", "-o", beside / "link.png")
check(told.returncode == 74 and "is a symbolic link" in told.stderr, f"a link is refused: {told}")
(beside / "old").write_text("old")
output.write(beside / "old", b"new")
check((beside / "old").read_text() == "new" and (beside / "precious").read_text() == "mine", "only the file is replaced")
check(sorted(os.listdir(beside)) == ["directory.png", "link.png", "old", "pipe", "precious"], "no temporary file is left")

# Values of other types in a deck, a summary, a snapshot's deck or a table's description: never an
# internal error.
shutil.copytree(work / "cluster", work / "odd")
ODD = ("a word", -1.5, 10 ** 400, None, [1], {"a": 1})


def places(found, before=()):
    """Yields every position in a JSON value."""
    for key, value in found.items() if isinstance(found, dict) else enumerate(found):
        yield before + (key,)
        if isinstance(value, (dict, list)):
            yield from places(value, before + (key,))


def with_value(found, place, value):
    found = json.loads(json.dumps(found))
    inside = found
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    return json.dumps(found)


def read_all(odd):
    """Runs the computations of the commands for a run, without the pictures."""
    run = load_run(odd)
    log = run.table("conservation")
    list(conservation.describe(run, log, conservation.measure(log)))
    report.verdict(run), report.environment(run)
    list(radii.describe(run, radii.measure(run)))
    models.model_of(run.section("bodies"), 1.0, 1.0)


refused = 0
for name in ("summary.json", "deck.resolved.json", "conservation.csv-metadata.json", "structure.csv-metadata.json"):
    whole = json.loads((work / "cluster" / name).read_text())
    some = [place for place in places(whole) if "metadata" not in name or place[:3] in {(), ("tableSchema",), (
        "tableSchema", "columns"), ("tableSchema", "columns", 0), ("tableSchema", "columns", 1)} or len(place) < 3]
    for place in some:
        for value in ODD:
            (work / "odd" / name).write_text(with_value(whole, place, value))
            try:
                read_all(work / "odd")
            except Problem as problem:
                refused += 1
                check(problem.status == 65 and "\n" not in str(problem), f"{name}: {place} = {value!r:.20}: {problem}")
            except Exception as error:
                check(False, f"{name}: {place} = {value!r:.20}: {type(error).__name__}: {error}")
    (work / "odd" / name).write_text(json.dumps(whole))
check(refused > 100, f"only {refused} values were refused")
for text in ('{"conservation": {"max_momentum_error": "small"}}', '{"conservation": {"max_momentum_error": NaN}}', '{"title": 1e999}',
             "[" * 100000, '{"bodies": []}'):
    (work / "odd/deck.resolved.json").write_text(text)
    told = tool("conservation", "odd")
    check(told.returncode == 65 and told.stderr.count("\n") == 1, f"a deck of {text:.60} is {told}")

# Invalid files, endless files, and files that announce more data than they contain.
(work / "hostile").mkdir()
shutil.copytree(work / "cluster", work / "hostile/run")
os.mkfifo(work / "hostile/pipe")
os.mkfifo(work / "hostile/pipe.h5")
os.mkfifo(work / "hostile/pipe.png")
(work / "hostile/run/conservation.csv").unlink()
(work / "hostile/run/conservation.csv").symlink_to("/dev/zero")
with open(work / "hostile/large.json", "w") as file:
    file.truncate(3 << 30)
shutil.copytree(work / "cluster", work / "hostile/large")
with open(work / "hostile/large/conservation.csv", "w") as file:
    file.truncate(3 << 30)


def promising(name, **options):
    """Writes a snapshot of at most 80 kB that announces three million bodies."""
    with h5py.File(work / f"hostile/{name}", "w") as file:
        file.create_group("Header").attrs.update({"Time": 0.0, "MassTable": np.array([0, 1.0, 0, 0, 0, 0])})
        file["PartType1/ParticleIDs"] = np.arange(3)
        file.create_dataset("PartType1/Coordinates", (3_000_000, 3), "f8", **options)
    return f"hostile/{name}"


def linked(name, link):
    with h5py.File(work / f"hostile/{name}", "w") as file:
        file.create_group("Header").attrs.update({"Time": 0.0})
        file.create_group("PartType1")["Coordinates"] = link
    return f"hostile/{name}"


for status, *words in [
        (74, "conservation", "hostile/run"), (74, "frames", "hostile/pipe.h5"), (74, "frames", "/dev/zero"), (74, "bench", "hostile/pipe"),
        (74, "scaling", "/dev/urandom"), (74, "bench", "/dev/zero"), (74, "convergence", "hostile/pipe"), (65, "bench", "hostile/large.json"),
        (65, "conservation", "hostile/large"), (74, "yt", "hostile/pipe.h5"), (74, "frames", "cluster", "-o", "hostile/pipe.png"),
        (65, "frames", promising("chunks.h5", chunks=(1000, 3))), (65, "frames", promising("zipped.h5", chunks=(10 ** 6, 3), compression=9)),
        (65, "frames", promising("whole.h5")), (65, "frames", linked("outside.h5", h5py.ExternalLink("../disk.json", "/x"))),
        (65, "frames", linked("soft.h5", h5py.SoftLink("/nowhere"))),
        (64, "frames", "cluster", "--ids", "0:5"), (64, "frames", "cluster", "--dark", "--ids", "5:5"), (64, "frames", ""),
        (64, "frames", "cluster", "--dark", "--ids", "a:b"), (64, "frames", "cluster", "--reach="), (64, "frames", "cluster", "--reach", "1_0"),
        (64, "profile", "cluster", "--bins", "1e11"), (64, "profile", "cluster", "--bins", "100000000000"),
        (64, "profile", "cluster", "--bins", "010"), (64, "profile", "cluster", "--bins", "400"), (64, "orbits", "planets", "--about", "0x1"),
        (64, "orbits", "planets", "--ids", "-1"), (64, "orbits", "planets", "--ids", "1_0"), (64, "frames", "cluster", "--dar"),
        (74, "convergence", "kepler.json", "--apsis", "bench.json"), (64, "x" * 5000), (74, "frames", "x" * 5000)]:
    began = time.monotonic()
    told = tool(*words)
    check(told.returncode == status and told.stderr.count("\n") == 1 and len(told.stderr) < 500 and time.monotonic() - began < 20,
          f"{words}: {told}"[:600])

# Names of files do not affect the terminal, in errors and on standard output.
told = tool("frames", "a\x1b[2Jb\u202ec\udcff")
check(told.returncode == 74 and told.stderr.startswith("apsis-analysis: error: a?[2Jb?c?: "), f"control characters: {told!r}")
os.rename(work / "bench.json", work / "b\x1b[2Jench.json")
told = tool("bench", "b\x1b[2Jench.json", "-o", "o\x1b[2Jut.png")
check(told.returncode == 0 and "\x1b" not in told.stdout and "o?[2Jut.png" in told.stdout, f"control characters: {told!r}")
os.rename(work / "b\x1b[2Jench.json", work / "bench.json")

# A full standard output is status 74, for every kind of command.
for words in (["--help"], ["frames", "--help"], ["conservation", "cluster"]):
    with open("/dev/full", "w") as full:
        told = subprocess.run([sys.executable, analysis / "apsis-analysis", *words], cwd=work, stdout=full, stderr=subprocess.PIPE, text=True)
    check(told.returncode == 74 and told.stderr.count("\n") == 1, f"full output of {words}: {told.returncode} {told.stderr}")

# yt draws if it is installed. A missing library is reported in one line with its package; help
# needs no library.
try:
    import yt  # noqa: F401
    has_yt = True
except ImportError as missing:
    has_yt = False
    print(f"not drawn by yt: {missing}")
if has_yt:
    check("500 bodies in yt" in drawn("yt", "cluster/snapshot_000002.h5", "-o", "yt.png")[0], "yt reads a snapshot")
for hidden, words in (("numpy", ("radii", "cluster")), ("h5py", ("frames", "cluster")), ("matplotlib", ("frames", "cluster")),
                      ("yt", ("yt", "cluster/snapshot_000002.h5"))):
    told = process_without(hidden, *words)
    check(told.returncode == 70 and told.stderr.count("\n") == 1 and told.stderr.endswith(f"; install python3-{hidden}\n"),
          f"without {hidden}: {told}")
for words in ([], *([word] for word in re.findall(r"^    (\w+)\s", tool("--help").stdout, re.M))):
    told = process_without("numpy h5py matplotlib PIL yt", *words, "--help")
    check(told.returncode == 0 and "usage: apsis-analysis" in told.stdout, f"help of {words}: {told.stderr}")

for failure in failures:
    print(f"FAILED: {failure}")
sys.exit(1 if failures else 0)
