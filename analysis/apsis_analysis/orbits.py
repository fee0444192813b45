# SPDX-License-Identifier: Apache-2.0
"""Paths of bodies from trajectories.csv, and orbital elements against time from orbital_elements.csv."""
import numpy as np

from . import style, units
from .loading import Columns, load_run
from .problem import INPUT, Problem

MOST = 8  # bodies drawn if no ids are given
ELEMENTS = {"semi_major_axis": "a", "eccentricity": "e", "inclination": "i"}


def chosen_ids(run, tables, ids):
    """Returns the ids to draw and the number of bodies in the tables. By default, bodies with elements come first."""
    there = [np.unique(table["id"]).tolist() for table in tables.values()]
    every = list(dict.fromkeys(sum(reversed(there), [])))
    missing = sorted(set(ids or ()) - set(every))
    if missing:
        raise Problem(INPUT, f"{run.directory}: has no orbit of a body {missing[0]}; choose among "
                      f"{', '.join(map(str, every[:20]))}" + (" ..." if len(every) > 20 else ""))
    return (ids or every[:MOST]), len(every)


def rows_of(table, body):
    """Returns the rows of a body as columns (times,)."""
    mine = table["id"] == body
    return Columns(table.path, {name: values[mine] for name, values in table.items()})


def seen_from(paths, about):
    """Returns paths relative to a body, at the times that both have."""
    where = paths[about]
    result = {}
    for body, path in paths.items():
        _, mine, its = np.intersect1d(path["step"], where["step"], return_indices=True)
        result[body] = Columns(path.path, {**path, **{axis: path[axis][mine] - where[axis][its] for axis in "xyz"}})
    return result


def measure(run, ids=None, about=None):
    """Returns paths and elements of the bodies, {} if the run has none, with their tables."""
    tables = {name: run.table(name) for name in ("trajectories", "orbital_elements") if run.has(name)}
    if not tables:
        raise Problem(INPUT, f"{run.directory}: has no orbits (neither trajectories.csv nor orbital_elements.csv); give a "
                      "run whose deck names diagnostics.trajectories or diagnostics.orbital_elements")
    if about is not None:
        if "trajectories" not in tables:
            raise Problem(INPUT, f"{run.directory}: has no trajectories.csv for --about; name diagnostics.trajectories")
        chosen_ids(run, {"trajectories": tables["trajectories"]}, [about])
    wanted, there = chosen_ids(run, tables, ids)
    found = {name: {body: rows_of(table, body) for body in wanted if (table["id"] == body).any()}
             for name, table in tables.items()}
    paths, elements = (found.get(name, {}) for name in ("trajectories", "orbital_elements"))
    if about is not None:
        paths = seen_from({**paths, about: rows_of(tables["trajectories"], about)}, about)
    return paths, elements, tables, there - len(paths.keys() | elements.keys())


def describe(run, paths, elements, tables, more):
    yield f"{run.directory}: {len(paths.keys() | elements.keys())} bodies" + (f", {more} more are not drawn" if more else "")
    if elements:
        unit = {name: units.spoken(text) for name, text in tables["orbital_elements"].units.items()}
    for body, of in elements.items():
        yield f"  body {body}: " + ", ".join(
            f"{letter} = {float(of[name][0])!r} to {float(of[name][-1])!r}{unit[name]}" for name, letter in ELEMENTS.items())
        yield f"    max |da/a| {float(np.abs(of['semi_major_axis'] / of['semi_major_axis'][0] - 1).max())!r}"
    if paths:
        length = units.spoken(tables["trajectories"].units["x"])
    for body, of in paths.items():
        radius = np.sqrt(of["x"] ** 2 + of["y"] ** 2 + of["z"] ** 2)
        yield f"  body {body}: distance {float(radius.min())!r} to {float(radius.max())!r}{length}, {len(radius)} places"


def is_curve(path):
    """Whether positions are close enough to be joined by lines: the path turns by less than half a radian everywhere."""
    along = np.diff(np.stack([path["x"], path["y"], path["z"]]), axis=1)
    size = np.linalg.norm(along, axis=0)
    cosine = (along[:, 1:] * along[:, :-1]).sum(axis=0) / np.maximum(size[1:] * size[:-1], 1e-300)
    return not len(cosine) or np.median(cosine) > np.cos(0.5)


def draw_paths(axes, paths, table, about, look):
    for body, path in paths.items():
        join = {} if is_curve(path) else {"linestyle": "", "marker": "."}
        line, = axes.plot(path["x"], path["y"], linewidth=0.9, markersize=3, **{**look[body], **join})
        axes.plot(path["x"][-1:], path["y"][-1:], marker="o", markersize=5, color=line.get_color())
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(xlabel=units.label("x", table.units["x"], table.system), ylabel=units.label("y", table.units["y"], table.system),
             title="Paths (dots: the end)" + (f" as seen from body {about}" if about is not None else ""))


def draw(run, paths, elements, tables, about=None):
    shown = sorted(paths.keys() | elements.keys())
    look = {body: dict(color=style.colour(k), linestyle=style.line_style(k), label=f"body {body}")
            for k, body in enumerate(shown)}
    wide, high = bool(paths) + bool(elements), 3 if elements else 1
    figure = style.plt.figure(figsize=(6.2 * wide + 0.6, 6.6), layout="constrained")
    grid = figure.add_gridspec(high, wide)
    if paths:
        axes = figure.add_subplot(grid[:, 0])
        draw_paths(axes, paths, tables["trajectories"], about, look)
    if elements:
        table = tables["orbital_elements"]
        column = [figure.add_subplot(grid[row, -1]) for row in range(3)]
        for (name, letter), axes in zip(ELEMENTS.items(), column):
            for body, of in elements.items():
                good = np.isfinite(of[name])
                axes.plot(of["time"][good], of[name][good], marker=style.marker_for(good.sum()), **look[body])
            every = np.concatenate([of[name] for of in elements.values()])
            every = np.abs(every[np.isfinite(every) & (every != 0)])
            if name == "semi_major_axis" and len(every) and every.max() > 10 * every.min() and all(
                    (of[name] > 0).all() for of in elements.values()):
                axes.set_yscale("log")
            axes.ticklabel_format(axis="x", useOffset=False)
            axes.set_ylabel(units.label(name.replace("_", "-" if name == "semi_major_axis" else " ").replace("r-axis", "r axis"),
                                        table.units[name], table.system))
            axes.tick_params(labelbottom=axes is column[-1])
        figure.align_ylabels(column)
        column[0].set_title("Orbital elements")
        column[-1].set_xlabel(units.label("time", table.units["time"], table.system))
    style.legend_beside(axes, look)
    figure.suptitle(style.plain(run.name))
    return figure


def run(options):
    one = load_run(options.run)
    paths, elements, tables, more = measure(one, options.ids, options.about)
    yield from describe(one, paths, elements, tables, more)
    yield style.save(draw(one, paths, elements, tables, options.about), options.output)
