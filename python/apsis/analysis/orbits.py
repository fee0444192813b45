# SPDX-License-Identifier: Apache-2.0
"""Paths of bodies from trajectories.csv, and orbital elements against time from orbital_elements.csv."""
import numpy as np

from . import style
from .. import units
from .digits import shown
from ..loading import Columns, load_run
from .polar import WIDE, LogarithmicDistance, distances_of
from ..errors import INPUT, Error, make_error
from ..snapshots import open_snapshot

MOST = 10  # bodies drawn if no ids are given
ELEMENTS = {"semi_major_axis": "a", "eccentricity": "e", "inclination": "i"}


def names_of(run, tables):
    """Returns the names of bodies, {id: name}, of the tables or else of the last snapshot."""
    for table in tables.values():
        if "name" in table and table["name"].dtype.kind == "U":
            return {int(body): str(name) for body, name in zip(table["id"], table["name"]) if name not in ("", "nan")}
    try:
        return open_snapshot(run.snapshot_paths()[-1]).names
    except (IndexError, Error, ModuleNotFoundError):  # no snapshot that can be read, or no h5py: bodies keep their ids
        return {}


def called(names, body):
    """Returns the name of a body, or its id in words."""
    return names.get(body, f"body {body}")


def chosen_ids(run, tables, names, bodies):
    """Returns the ids to draw and the number of bodies in the tables. By default, bodies with elements come first."""
    there = [np.unique(table["id"]).tolist() for table in tables.values()]
    every = list(dict.fromkeys(sum(reversed(there), [])))
    by_name = {name: body for body, name in names.items()}
    ids = [by_name.get(body, body) if isinstance(body, str) else body for body in bodies or ()]
    missing = [body for body in ids if body not in every]
    if missing:
        body = missing[0] if isinstance(missing[0], str) else f"a body {min(each for each in missing if isinstance(each, int))}"
        raise make_error(INPUT, f"{run.path}: has no orbit of {body}; choose among "
                      f"{', '.join(str(names.get(each, each)) for each in every[:20])}" + (" ..." if len(every) > 20 else ""))
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
    """Returns paths and elements of the bodies, {} if the run has none, with their tables, the number of bodies left out, the
    names and the id of the body `about`."""
    tables = {name: run.table(name) for name in ("trajectories", "orbital_elements") if run.has(name)}
    if not tables:
        raise make_error(INPUT, f"{run.path}: has no orbits (neither trajectories.csv nor orbital_elements.csv); give a "
                      "run whose deck names diagnostics.trajectories or diagnostics.orbital_elements")
    names = names_of(run, tables)
    if about is not None:
        if "trajectories" not in tables:
            raise make_error(INPUT, f"{run.path}: has no trajectories.csv for --about; name diagnostics.trajectories")
        (about,), _ = chosen_ids(run, {"trajectories": tables["trajectories"]}, names, [about])
    wanted, there = chosen_ids(run, tables, names, ids)
    found = {name: {body: rows_of(table, body) for body in wanted if (table["id"] == body).any()}
             for name, table in tables.items()}
    paths, elements = (found.get(name, {}) for name in ("trajectories", "orbital_elements"))
    if about is not None:
        paths = seen_from({**paths, about: rows_of(tables["trajectories"], about)}, about)
    return paths, elements, tables, there - len(paths.keys() | elements.keys()), names, about


def describe(run, paths, elements, tables, more, names, about):
    yield f"{run.path}: {len(paths.keys() | elements.keys())} bodies" + (f", {more} more are not drawn" if more else "")
    if elements:
        unit = {name: units.spoken(text) for name, text in tables["orbital_elements"].units.items()}
    for body, of in elements.items():
        yield f"  {called(names, body)}: " + ", ".join(
            f"{letter} = {shown(of[name][0])} to {shown(of[name][-1])}{unit[name]}" for name, letter in ELEMENTS.items())
        yield f"    max |da/a| {shown(np.abs(of['semi_major_axis'] / of['semi_major_axis'][0] - 1).max())}"
    if paths:
        length = units.spoken(tables["trajectories"].units["x"])
    for body, of in paths.items():
        radius = np.sqrt(of["x"] ** 2 + of["y"] ** 2 + of["z"] ** 2)
        yield f"  {called(names, body)}: distance {shown(radius.min())} to {shown(radius.max())}{length}, {len(radius)} places"


def is_curve(path):
    """Whether positions are close enough to be joined by lines: the path turns by less than half a radian everywhere."""
    along = np.diff(np.stack([path["x"], path["y"], path["z"]]), axis=1)
    size = np.linalg.norm(along, axis=0)
    cosine = (along[:, 1:] * along[:, :-1]).sum(axis=0) / np.maximum(size[1:] * size[:-1], 1e-300)
    return not len(cosine) or np.median(cosine) > np.cos(0.5)


def place_of(path):
    """Returns the positions (n, 3) of a path."""
    return np.stack([path["x"], path["y"], path["z"]], axis=1)


def draw_paths(axes, paths, look, distance=None):
    """Draws paths in the x-y plane, and a dot with a name at the end of each; distance: a map of places, or None."""
    for k, (body, path) in enumerate(paths.items()):
        place = place_of(path) if distance is None else distance(place_of(path))
        join = {} if is_curve(path) else {"linestyle": "", "marker": "."}
        line, = axes.plot(place[:, 0], place[:, 1], linewidth=0.9, markersize=3, **{**look[body], **join})
        axes.plot(place[-1:, 0], place[-1:, 1], marker="o", markersize=6, color=line.get_color(), markeredgecolor="white",
                  markeredgewidth=0.5, zorder=3)
        if distance is not None:
            style.name_dot(axes, look[body]["label"], place[-1, :2], line.get_color(), right=k % 2 == 0)


def draw_plane(axes, paths, table, look, seen):
    draw_paths(axes, paths, look)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(xlabel=units.label("x", table.units["x"], table.system), ylabel=units.label("y", table.units["y"], table.system),
             title="Paths (dots: the end)" + seen)


def draw(run, paths, elements, tables, names, about=None):
    ids = sorted(paths.keys() | elements.keys())
    look = {body: dict(color=style.BODIES[k % len(style.BODIES)], linestyle=style.LINES[k // len(style.BODIES) % 4],
                       label=style.plain(called(names, body)))
            for k, body in enumerate(ids)}
    smallest, largest = distances_of([place_of(path) for path in paths.values()])
    wide_range = largest > WIDE * smallest > 0
    wide, high = bool(paths) + wide_range + bool(elements), 3 if elements else 1
    figure = style.plt.figure(figsize=(6.0 * wide + 0.6, 6.4), layout="constrained")
    grid = figure.add_gridspec(high, wide)
    seen = f" as seen from {style.plain(called(names, about))}" if about is not None else ""
    if paths:
        axes = figure.add_subplot(grid[:, 0])
        table = tables["trajectories"]
        draw_plane(axes, paths, table, look, seen)
    if wide_range:
        axes = figure.add_subplot(grid[:, 1])
        distance = LogarithmicDistance(smallest, largest)
        distance.draw(axes, table.units["x"], table.system)
        draw_paths(axes, paths, look, distance)
        axes.set_title("The same, all distances readable")
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
    paths, elements, tables, more, names, about = found = measure(one, options.ids, options.about)
    yield from describe(one, *found)
    yield style.save(draw(one, paths, elements, tables, names, about), options.output)
