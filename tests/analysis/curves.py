# SPDX-License-Identifier: Apache-2.0
"""Lines of paths and orbits: the true curves, equal ones visible, and legends. Uses the runs that results.py and readable.py made."""
import numpy as np

from apsis import load_run
from apsis.analysis import binaries, multiples, orbits, paths, style
from harness import check, make_run, work


def distance_to_ellipse(points, a, e, node):
    """Returns how far points (n, 3) are from an ellipse in the plane z = 0 about the origin, relative to its semi-major axis."""
    turn = np.linspace(0, 2 * np.pi, 7201)
    x, y = a * (np.cos(turn) - e), a * np.sqrt(1 - e * e) * np.sin(turn)
    true = np.stack([x * np.cos(node) - y * np.sin(node), x * np.sin(node) + y * np.cos(node)], axis=1)
    return np.array([np.hypot(*(true - point[:2]).T).min() for point in points]) / a


# Strongly eccentric orbits, of which few places are near the pericentre: no line leaves the ellipse.
sun = {"name": "Sun", "mass": 1, "position": [0, 0, 0]}
shapes = {"Phaethon": (1.27, 0.89, 40.0), "Icarus": (1.08, 0.83, 88.0), "Twin": (1.27, 0.56, 200.0)}
apollos = make_run(
    "apollos", units={"system": "solar"}, integrator={"name": "gauss_radau15", "time_step": 0.05}, run={"end_time": 3},
    bodies={"list": [sun] + [{"name": name, "mass": 0, "semi_major_axis": a, "eccentricity": e, "node": node, "mean_anomaly": 20 * k}
                             for k, (name, (a, e, node)) in enumerate(shapes.items())]},
    diagnostics={"orbital_elements": {"interval": 0.1}, "trajectories": {"interval": 0.1}})
measurement = orbits.measure(apollos)
places, elements, tables, _, names, about = measurement
figure = orbits.draw(apollos, places, elements, tables, names, about)
plane = figure.axes[0]
drawn = {line.get_color(): line.get_xydata() for line in plane.get_lines() if line.get_linestyle() != "None" and len(line.get_xydata()) > 9}
for name, (a, e, node) in shapes.items():
    body = next(body for body, word in names.items() if word == name)
    points, alone = paths.curve(places[body])
    check(len(alone) > 4 and np.isnan(points).any(), f"{name} has places that are not joined: {len(alone)}")
    line = drawn[style.BODIES[body]]
    line = line[np.isfinite(line).all(axis=1)]
    check(distance_to_ellipse(line, a, e, np.radians(node)).max() < 0.003, f"{name} is drawn on its ellipse")
    orbit = paths.ellipse(places[body], elements[body])
    reach = np.linalg.norm(orbit, axis=1)
    check(abs(reach.min() / (a * (1 - e)) - 1) < 1e-9 and abs(reach.max() / (a * (1 + e)) - 1) < 1e-9, f"the ellipse of {name} is whole")
legend = [text.get_text() for axes in figure.axes if axes.get_legend() for text in axes.get_legend().get_texts()]
check(sorted(legend) == sorted(shapes), f"the legend lists orbits, and not the Sun: {legend}")
check("Sun" in [text.get_text() for text in plane.texts], "the Sun has its name in the picture")
style.plt.close(figure)

relative = orbits.measure(apollos, about="Icarus")
figure = orbits.draw(apollos, *(relative[k] for k in (0, 1, 2, 4, 5)))
check("the orbit at the end" not in figure.axes[0].get_title(), "paths seen from a body on an orbit are no ellipses")
style.plt.close(figure)

# Places that are a whole revolution apart are not neighbours.
turn = np.array([0.0, 0.3, 0.3 + 2 * np.pi, 0.6 + 2 * np.pi, 1.4 + 2 * np.pi])
zero = np.zeros(5)
circle = {"time": turn, "x": np.cos(turn), "y": np.sin(turn), "z": zero, "vx": -np.sin(turn), "vy": np.cos(turn), "vz": zero}
check(paths.joined(circle).tolist() == [True, False, True, False], f"joined places: {paths.joined(circle)}")
points, alone = paths.curve(circle)
check(np.nanmax(np.abs(np.linalg.norm(points, axis=1) - 1)) < 1e-4 and len(alone) == 4, f"cubics are on the circle: {alone}")
paths.MOST_FINE, fine = 3, paths.MOST_FINE
coarse, _ = paths.curve(circle)
paths.MOST_FINE = fine
check(np.isnan(coarse).all(axis=1).tolist() == [False, False, True, False, False, True, False], f"many places: {coarse}")

# Elements that are equal alternate in dashes; changes of a have a panel for each body.
time = np.arange(5.0)
dashes = multiples.alternating({"a": (time, time), "b": (time, 4 - time), "c": (time, time + 0.01), "d": (time[1:], time[1:])})
check(set(dashes) == {"a", "c"} and dashes["a"][1] == dashes["c"][1] and dashes["a"][0] != dashes["c"][0], f"dashes: {dashes}")
check(multiples.alternating({"a": (time, 10.0 ** time), "b": (time, 10.0 ** time + 90)}).keys() == {"a", "b"}
      and not multiples.alternating({"a": (time, 10.0 ** time), "b": (time, 10.0 ** time + 90)}, logarithmic=True), "scales")
solar = load_run(work / "solar")
places, elements, tables, _, names, about = orbits.measure(solar)
figure = orbits.draw(solar, places, elements, tables, names, about)
panels = [axes for axes in figure.axes if axes.texts and axes.texts[0].get_text() in names.values() and len(axes.texts) == 1]
check([axes.texts[0].get_text() for axes in panels] == ["Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"],
      f"panels of changes: {[axes.texts[0].get_text() for axes in panels]}")
axis = elements[5]["semi_major_axis"]
check(np.allclose(panels[4].get_lines()[0].get_ydata(), axis / axis[0] - 1, rtol=0, atol=1e-15), "a panel has (a - a0)/a0")
legend = [text.get_text() for axes in figure.axes if axes.get_legend() for text in axes.get_legend().get_texts()]
check(len(legend) == 8 and "Sun" not in legend, f"the legend of the planets: {legend}")
figure.draw_without_rendering()
heights = [axes.get_window_extent().height for axes in panels]
check(max(heights) < 1.05 * min(heights), f"panels are equally high: {heights}")
style.plt.close(figure)
check(multiples.relative_changes(np.array([2.0, 3.0, -1.0]))[:2].tolist() == [0.0, 0.5]
      and multiples.relative_changes(np.array([-1.0, 2.0])) is None, "changes of orbits that are bound at first")

# Paths that coincide are nested lines.
eight = make_run("eight", bodies={"generator": "figure_eight"}, integrator={"name": "blanes_moan4", "time_step": 0.02},
                 run={"end_time": 6.4}, diagnostics={"trajectories": {"interval": 0.1}})
places, elements, tables, _, names, about = orbits.measure(eight)
figure = orbits.draw(eight, places, elements, tables, names, about)
widths = sorted(line.get_linewidth() for line in figure.axes[0].get_lines() if len(line.get_xdata()) > 9)
check(len(widths) == 3 and np.diff(widths).min() > 1, f"three bodies on one path: {widths}")
check(len(figure.axes[1].get_legend().get_texts()) == 3, "bodies that move are in the legend")
style.plt.close(figure)

# Binaries: a panel for each kind and each lasting orbit, with gaps.
triple = load_run(work / "triple")
table, times, numbers = binaries.measure(triple)
figure = binaries.draw(triple, table, times, numbers)
named = [axes.texts[0].get_text() for axes in figure.axes if axes.texts]
check(named == ["hard binaries", "triples", "0 + 1: $a_0$ = 0.1", "0 + 1 + 2: $a_0$ = 2"], f"panels of binaries: {named}")
style.plt.close(figure)
rows = np.flatnonzero(binaries.rows_of(table, "hard binaries"))
_, _, change, look = binaries.change_of(table, rows[[0, 2]], "hard binaries", np.unique(table["step"]), times)
check(np.isnan(change).tolist() == [False, True, False] and look["markevery"] == [0, 2], f"a gap of an orbit: {change} {look}")
