# SPDX-License-Identifier: Apache-2.0
"""Numbers and pictures of runs, against the runs themselves and against closed forms."""
import json
import re
import shutil
from pathlib import Path

import h5py
import numpy as np

from apsis import Units, load_snapshot, load_table, units
from apsis.analysis import convergence, models, profile
from harness import check, drawn, executable, make_run, near, number, tool, work

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
check(bodies.units == Units("astrophysical", "pc", "Msun", "Myr", "pc Myr^-1"), f"units: {bodies.units}")
check(bodies.time == 1.0 and bodies.position.shape == (500, 3) and near(bodies.mass.sum(), 50), "bodies are read")
with h5py.File(work / "cluster/snapshot_000002.h5") as file:
    check((bodies.velocity == file["PartType1/Velocities"][:]).all(), "to the last bit")
kinds = load_snapshot(work / "disk/snapshot_000000.h5").species
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
check("EXCEEDS the limit 1e-12" in lines[1] and "within the limit 1" in lines[2] and said["status"] in lines[0],
      f"limits: {lines}")
drawn("conservation", "lone", "-o", "still.png")  # all errors are 0
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
    profiles, model, _ = profile.profiles_of(work / name)
    check(abs(profiles[0].half_mass_radius / np.interp(0.5, model.mass / model.mass[-1], model.radius) - 1) < 0.06,
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

# Two spheres have radii about their own centres, in rows of their own.
spheres = make_run("spheres", gravity={"softening": 0.05}, integrator={"time_step": 0.125}, run={"steps": 4},
                   bodies={"generator": "composite", "parts": [
                       {"bodies": {"generator": "plummer", "count": 300}},
                       {"bodies": {"generator": "plummer", "count": 200, "seed": 2}, "position": [30, 0, 0]}]},
                   diagnostics={"structure": {"each": "part"}, "lagrangian_radii": {"each": "species", "fractions": [0.5]}})
lines = drawn("radii", "spheres", "-o", "spheres.svg")
parts = spheres.table("structure")
for part in (0, 1):
    mine = parts["half_mass_radius"][parts["part"] == part]
    check([number(lines, f"half-mass radius, part {part}", which) for which in (0, 1)] == [mine[0], mine[-1]] and mine[0] < 1,
          f"radii of a part: {lines}")
check(number(lines, "50 % of the mass, dark") > 5, f"radii of all dark bodies: {lines}")

# Binaries: a triple, and a soft pair whose bodies pass each other.
triple = make_run("triple", integrator={"time_step": 0.001}, run={"steps": 40}, output={"conservation_interval": 0.01},
                  diagnostics={"binaries": {"interval": 0.02}}, bodies={"list": [
                      {"mass": 1, "position": [-0.05, 0, 0], "velocity": [0, -5 ** 0.5, 0]},
                      {"mass": 1, "position": [0.05, 0, 0], "velocity": [0, 5 ** 0.5, 0]},
                      {"mass": 1, "position": [2, 0, 0], "velocity": [0, 1.5 ** 0.5, 0]},
                      {"mass": 0.01, "position": [60, 0, 0], "velocity": [0, 0, 3]},
                      {"mass": 1, "position": [-60, 0, 0], "velocity": [0, 0, -3]}]})
table = triple.table("binaries")
check(table["members"].tolist() == [2, 3] * 3 and np.isnan(table["id_3"][0]) and table["id_3"][1] == 2, "rows of a triple")
lines = drawn("binaries", "triple")
check("3 times" in lines[0], f"times: {lines}")
check([number(lines, "hard binaries", which) for which in range(4)] == [1, 1, 1, table["semi_major_axis"][::2].min()]
      and near(number(lines, "hard binaries", 3), 0.1, 1e-3), f"a hard binary: {lines}")
check(number(lines, "triples") == 1 and near(number(lines, "triples", 3), 2, 0.1), f"a triple: {lines}")
make_run("apart", integrator={"time_step": 0.1}, run={"steps": 1}, diagnostics={"binaries": {}}, bodies={"list": [
    {"mass": 1, "position": [0, 0, 0], "velocity": [0, 0, 0]}, {"mass": 1, "position": [1, 0, 0], "velocity": [0, 9, 0]}]})
refused = tool("binaries", "apart")
check(refused.returncode == 65 and "has no bound pair" in refused.stderr, f"a run without binaries: {refused.stderr}")
check("binaries" in drawn("report", "triple", "-o", "triple.html")[0], "a report has the binaries")

# Orders of convergence, from runs of the executable.
kepler = {"bodies": {"generator": "kepler", "primary_mass": 0.5, "secondary_mass": 0.5, "semi_major_axis": 1, "eccentricity": 0.3},
          "integrator": {"name": "euler", "time_step": 0.1}, "run": {"end_time": 2.0}}
(work / "kepler.json").write_text(json.dumps(kepler))
lines = drawn("convergence", "kepler.json", "--apsis", executable, "--integrator", "leapfrog_kdk", "blanes_moan4",
              "--halvings", "3")
for name, order in (("leapfrog_kdk", 2), ("blanes_moan4", 4)):
    match = re.search(rf"slope of {name} +end state (\S+), energy (\S+), order {order}", "\n".join(lines))
    check(match and all(abs(float(slope) - order) < 0.2 for slope in match.groups()), f"slopes of {name}: {lines}")
check([float(line.split()[2]) for line in lines if line.strip().startswith("leapfrog_kdk")] == [21, 41, 81, 161],
      f"costs are force evaluations: {lines}")
kepler["integrator"] = {"name": "hermite4", "time_step": 0.1, "corrections": 2, "stepping": {"mode": "block"}}
(work / "hermite.json").write_text(json.dumps(kepler))
lines = drawn("convergence", "hermite.json", "--apsis", executable, "--integrator", "hermite4", "pefrl", "--halvings", "2")
check(number(lines, "hermite4", 1) == 41, f"the deck's corrections are its own integrator's: {lines}")
slope, good = convergence.fitted_slope([8, 4, 2, 1], [0.5, 0.16, 0.04, 1e-16], 1e-14, 0.3)
check(abs(slope - 2) < 1e-12 and list(good) == [False, True, True, False], "what is lost or rounding has no slope")

# The report is a single file with the run's numbers and the deck.
lines = drawn("report", "cluster", "--apsis", executable)
page = (work / "report.html").read_text()
check(cluster.summary["status"] in lines[0] and "picture, conservation, the bodies, radii, profile" in lines[0], f"report: {lines}")
check(not re.search(r"""(?:href|src|url|@import)\s*[=(]?\s*["']?(?!data:)(?:https?:|//|\w+\.\w)""", page), "it needs no other file")
check(page.count('src="data:image/png;base64,') == page.count("<img ") == 5, "its pictures are in it")
for word in (repr(cluster.summary["max_relative_energy_error"]), "EXCEEDS the limit 1e-12", "not conserved, exit code 1", "astrophysical",
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
