# SPDX-License-Identifier: Apache-2.0
"""Digits, names, groups of bodies, pictures and advice of reports, and panels of bench. Uses the runs that results.py made."""
import html
import json
import re

import numpy as np

from apsis import load_run
from apsis.analysis import bench, convergence, frames, groups, polar, profile, style
from apsis.snapshots import open_snapshot
from harness import check, drawn, executable, make_run, near, number, tool, work

# Six digits, and all on request.
error = load_run(work / "cluster").summary["max_relative_energy_error"]
few, every = (tool("conservation", "cluster", *words).stdout.split("problem")[0] for words in ((), ("--all-digits",)))
check(f"{error:.6g} " in few and repr(error) not in few and repr(error) in every, f"digits: {few} {every}")
for words in (("radii", "cluster"), ("profile", "cluster"), ("orbits", "planets"), ("binaries", "triple"), ("frames", "cluster"),
              ("bench", "bench.json")):
    numbers = re.findall(r"\d+\.\d+(?:e[-+]?\d+)?", tool(*words).stdout)
    long = [text for text in numbers if len(re.sub(r"e.*", "", text).replace(".", "").lstrip("0")) > 6]
    check(numbers and not long, f"{words} prints more than six digits: {long}")

# Planets have names, in words and as options, and inner and outer ones are apart.
solar = make_run("solar", units={"system": "solar"}, bodies={"generator": "solar_system"}, run={"end_time": 3},
                 integrator={"name": "gauss_radau15", "time_step": 0.01}, output={"snapshot_interval": 1, "render": [{"interval": 3}]},
                 diagnostics={"orbital_elements": {"interval": 0.5}, "trajectories": {"interval": 0.5}})
lines = drawn("orbits", "solar", "-o", "solar.png")
check(near(number(lines, "Neptune: a ="), 30.07, 1e-3) and near(number(lines, "Mercury: a ="), 0.3871, 1e-3), f"names: {lines}")
lines = drawn("orbits", "solar", "--ids", "Earth", "4", "--about", "Sun", "-o", "two.png")
check(near(number(lines, "Earth: distance"), 1, 0.02) and near(number(lines, "Mars: distance"), 1.5, 0.15), f"by name: {lines}")
result = tool("orbits", "solar", "--ids", "Vulcan")
check(result.returncode == 65 and "has no orbit of Vulcan; choose among Mercury, Venus" in result.stderr, f"no Vulcan: {result.stderr}")
check("about Sun, the heaviest" in "".join(drawn("frames", "solar", "-o", "names.png")), "the heaviest body has a name")
check(open_snapshot(work / "solar/snapshot_000000.h5").names[3] == "Earth", "a snapshot has names")
several, reach, about = frames.frames_of(sorted((work / "solar").glob("snapshot_*.h5")))
distance = frames.distance_of(several, about, None, False)
check(distance and near(distance.largest, 30.1, 0.02) and 0.3 < distance.smallest < 0.5, "planets have a logarithmic scale")
check(frames.distance_of(several, about, 3.0, False) is None, "a given reach has a linear scale")
place = distance(np.array([[0.4, 0, 0], [0, -30, 0], [0, 0, 0]]))
check(0.12 < place[0, 0] < 0.2 and near(place[1, 1], -1, 0.01) and not place[2].any(), f"inner planets are apart: {place}")
check(distance.rings() == [1, 3, 10, 30], f"rings: {distance.rings()}")
check(polar.distances_of([np.zeros((1, 3))]) == (0.0, 0.0), "a body alone has no distances")
looks = frames.looks_of(several)
check([look.name for look in looks][:4] == ["Sun", "Mercury", "Venus", "Earth"] and len({look.colour for look in looks}) == 9,
      "each planet has a colour")
figure = frames.draw_light(several[:1], reach, about, looks, distance)
figure.canvas.draw()
above, side = figure.axes[:2]
middle = several[0].middle
for planet, dots in enumerate(side.collections):
    true = np.linalg.norm(several[0].place[looks[planet].has(several[0])] - middle, axis=1)
    radii = np.linalg.norm(dots.get_offsets(), axis=1)
    check(np.allclose(radii, distance.scale(true), atol=1e-12), f"from the side {looks[planet].name} is at {radii}")
for text in [above.yaxis.label, side.yaxis.label, *above.get_legend().get_texts()]:
    box = text.get_window_extent()
    check(0 <= box.x0 and box.x1 <= figure.bbox.width, f"'{text.get_text()}' is cut off: {box}")

# Parts of a composite are groups about their own centres: in profiles, radii and frames.
deck = {"bodies": {"parts": [{"bodies": {"count": 5}}, {"bodies": {"list": [{}, {}]}}, {"bodies": {"generator": "solar_system"}},
                             {"bodies": {"file": "x"}}]}}
check(groups.first_ids(deck) == [0, 5, 7, 16], f"first ids: {groups.first_ids(deck)}")
deck["bodies"]["parts"].reverse()
check(groups.first_ids(deck) == [], "a file decides")
check(groups.first_ids({**deck, "diagnostics": {"structure": {"first_ids": [0, 50]}}}) == [0, 50], "first ids of the deck")
table = load_run(work / "spheres").table("structure")
profiles, _, _ = profile.profiles_of(work / "spheres")
check([item.group.name for item in profiles] == ["part 0", "part 1"] and [item.number for item in profiles] == [300, 200], "parts have profiles")
for part, item in enumerate(profiles):
    expected = table["half_mass_radius"][table["part"] == part][-1]
    check(near(item.half_mass_radius, expected, 1e-9) and item.model, f"half-mass radius of a part: {item.half_mass_radius} {expected}")
check(profile.profiles_of(work / "spheres", each="all")[0][0].half_mass_radius > 5, "all bodies on request")
lines = drawn("radii", "spheres", "--each", "part", "-o", "parts.png")
check(number(lines, "half-mass radius, part 1") < 2 and "dark" not in "".join(lines), f"rows of parts: {lines}")
make_run("plain", gravity={"softening": 0.05}, integrator={"time_step": 0.125}, run={"steps": 4},
         bodies=load_run(work / "spheres").deck["bodies"])
lines = drawn("radii", "plain", "--each", "part", "-o", "plain.png")
for part, item in enumerate(profiles):
    check(near(number(lines, f"50 % of the mass, part {part}", 1), item.half_mass_radius, 1e-9), f"radii from snapshots: {lines}")
several, reach, about = frames.frames_of([work / "spheres/snapshot_000000.h5"])
check(about == "the centre of mass" and [look.name for look in frames.looks_of(several)] == ["part 0", "part 1"], f"frames: {about}")
several, _, about = frames.frames_of([work / "spheres/snapshot_000000.h5"], each="species")
check(about == "the density centre", "species on request")
check(tool("profile", "cluster", "--each", "part").returncode == 65, "no parts")


def apart(figure, least):
    """Checks that no two panels of a figure are closer than `least` pixels."""
    figure.draw_without_rendering()
    boxes = [axes.get_window_extent() for axes in figure.axes]
    for k, item in enumerate(boxes):
        for two in boxes[:k]:
            gap = max(item.x0 - two.x1, two.x0 - item.x1, item.y0 - two.y1, two.y0 - item.y1)
            check(gap >= least, f"panels are {gap} pixels apart, and {least} are wanted")
    style.plt.close(figure)


several, reach, about = frames.frames_of([work / "cluster/snapshot_000000.h5"] * 7)
apart(frames.draw(several, reach, about), 8)
apart(frames.draw(several, reach, about, dark=True), 4)

# A report has a rendered picture, and the words of the executable.
lines = drawn("report", "solar", "-o", "solar.html")
page = (work / "solar.html").read_text()
check("picture, conservation" in lines[0] and "drawn by the run" in page, f"a picture of the run: {lines}")
drawn("report", "cluster", "--apsis", executable, "-o", "drawn.html")
page = (work / "drawn.html").read_text()
check("snapshot_000002.h5, drawn by apsis render" in page, "the last snapshot is drawn")
problem = load_run(work / "cluster").summary["problem"]
check(html.escape(problem) in page and "; reduce integrator.time_step" in problem, f"the executable's advice: {problem}")
check(problem in tool("conservation", "cluster").stdout, "the executable's advice is printed")

# Panels of bench: speed-ups, shapes of a sweep, and transfers.
rows = [{"kernel": kernel, "precision": "double", "threads": 2, "bodies": n, "interactions_per_second": rate * n, "spread": 0.1,
         "percent_of_limit": 50.0, "shape": shape, "milliseconds_force": 1e3 * n / rate, "milliseconds_to_device": 0.1,
         "milliseconds_to_host": 0.2}
        for n in (100, 400) for kernel, shape, rate in (("naive", "a", 1e6), ("tile", "a", 3e6), ("tile", "b", 4e6))]
(work / "sweep.json").write_text(json.dumps({"environment": {"device": "X", "backend": "cuda"}, "rows": rows}))
lines = drawn("bench", "sweep.json", "-o", "sweep.png")
check("2 threads" in lines[2] and lines[2].endswith("4 times naive") and "best shape: b" in lines[3], f"speed-up: {lines}")
check("0.1 ms to the device, 0.2 ms back" in lines[4], f"transfer: {lines}")
series = list(bench.read_bench(work / "sweep.json", ()))
figure = bench.draw(series, bench.baseline_of(series))
shown = {axes.get_title(): axes for axes in figure.axes if axes.get_title()}
check(set(shown) == {"Time of all forces", "Rate", "Speed-up", "Tile shapes at N = 400", "Transfer, apart from the forces"},
      f"panels: {set(shown)}")
lines = {line.get_label(): line for line in shown["Time of all forces"].get_lines()}
check(set(lines) == {"naive, 2 threads", "tile, 2 threads"} and lines["tile, 2 threads"].get_ydata().tolist() == [25e-6, 100e-6],
      f"times: {lines}")
check(len({line.get_color() for line in lines.values()}) == 2, "a colour for each kernel")
check(len(shown["Tile shapes at N = 400"].patches) == 3, "a bar for each shape")
style.plt.close(figure)

# A slope that nothing determines is said in words.
check((convergence.slope_words(float("nan")), convergence.slope_words(2.0)) == ("no slope", "2.000"), "no slope")
