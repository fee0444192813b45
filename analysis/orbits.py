# SPDX-License-Identifier: Apache-2.0
"""Paths of bodies from trajectories.csv, and orbital elements against time from orbital_elements.csv."""
import numpy as np

from . import multiples, paths as curves, style
from .. import units
from .digits import shown
from ..runs.loading import Columns, load_run
from .polar import WIDE, LogarithmicDistance, distances_of
from ..errors import INPUT, Error, make_error
from ..snapshots import open_snapshot

MOST_BODIES = 10  # bodies drawn if no ids are given
CENTRAL = 0.01  # part of the largest distance below which the path of a body is a point, the centre of the others
MOST_DOTS = 100  # places of a body that are drawn on its orbit
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
    ids_of_tables = [np.unique(table["id"]).tolist() for table in tables.values()]
    every = list(dict.fromkeys(sum(reversed(ids_of_tables), [])))
    by_name = {name: body for body, name in names.items()}
    ids = [by_name.get(body, body) if isinstance(body, str) else body for body in bodies or ()]
    missing = [body for body in ids if body not in every]
    if missing:
        body = missing[0] if isinstance(missing[0], str) else f"a body {min(each for each in missing if isinstance(each, int))}"
        raise make_error(INPUT, f"{run.path}: has no orbit of {body}; choose among "
                      f"{', '.join(str(names.get(each, each)) for each in every[:20])}" + (" ..." if len(every) > 20 else ""))
    return (ids or every[:MOST_BODIES]), len(every)


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
        relative = {name: path[name][mine] - where[name][its] for name in ("x", "y", "z", "vx", "vy", "vz")}
        result[body] = Columns(path.path, {**{name: values[mine] for name, values in path.items()}, **relative})
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
    wanted, count = chosen_ids(run, tables, names, ids)
    columns = {name: {body: rows_of(table, body) for body in wanted if (table["id"] == body).any()}
               for name, table in tables.items()}
    paths, elements = (columns.get(name, {}) for name in ("trajectories", "orbital_elements"))
    if about is not None:
        paths = seen_from({**paths, about: rows_of(tables["trajectories"], about)}, about)
    return paths, elements, tables, count - len(paths.keys() | elements.keys()), names, about


def describe(run, paths, elements, tables, more, names, about):
    yield f"{run.path}: {len(paths.keys() | elements.keys())} bodies" + (f", {more} more are not drawn" if more else "")
    if elements:
        unit = {name: units.spoken(text) for name, text in tables["orbital_elements"].units.items()}
    for body, columns in elements.items():
        yield f"  {called(names, body)}: " + ", ".join(
            f"{letter} = {shown(columns[name][0])} to {shown(columns[name][-1])}{unit[name]}" for name, letter in ELEMENTS.items())
        yield f"    max |da/a| {shown(np.abs(columns['semi_major_axis'] / columns['semi_major_axis'][0] - 1).max())}"
    if paths:
        length = units.spoken(tables["trajectories"].units["x"])
    for body, columns in paths.items():
        radius = np.sqrt(columns["x"] ** 2 + columns["y"] ** 2 + columns["z"] ** 2)
        yield f"  {called(names, body)}: distance {shown(radius.min())} to {shown(radius.max())}{length}, {len(radius)} places"


def central_of(paths):
    """Returns the ids of bodies that stay in the centre of the others, so that their paths are points."""
    far = {body: float(np.linalg.norm(curves.vectors(path), axis=1).max()) for body, path in paths.items() if len(path["x"])}
    largest = max(far.values(), default=0.0)
    return {body for body, reach in far.items() if reach < CENTRAL * largest}


def lines_of(path, elements):
    """Returns the points (m, 3) of the lines of a path, the places (k, 3) to be drawn as dots, and whether the lines have the orbit.
    Places more than a tenth of a revolution apart are not joined: the line is then the osculating ellipse at the end,
    if there are elements, and many places on it are left out."""
    points, alone = curves.curve(path)
    orbit = curves.ellipse(path, elements) if len(alone) and elements is not None else None
    if orbit is None:
        return points, alone, False
    return np.concatenate([points, np.full((1, 3), np.nan), orbit]), alone[:0] if len(alone) > MOST_DOTS else alone, True


def draw_path(axes, path, points, alone, look, see):
    """Draws the lines, places and end of a path; see: a map of places."""
    axes.plot(*see(points).T[:2], **look)
    axes.plot(*see(alone).T[:2], linestyle="", marker=".", markersize=3, color=look["color"])
    axes.plot(*see(curves.vectors(path)[-1:]).T[:2], marker="o", markersize=6, color=look["color"], markeredgecolor="white",
              markeredgewidth=0.5, zorder=3)


def draw_paths(axes, paths, elements, look, distance=None, names=()):
    """Draws paths in the x-y plane, and a dot at the end of each; distance: a map of places, or None; names: ids of the dots with
    a name. Returns whether any line is an orbit, because places are too far apart. Paths that coincide are nested lines."""
    see = (lambda place: place) if distance is None else distance
    drawn = {body: lines_of(path, elements.get(body)) for body, path in paths.items()}
    widths = multiples.nested({body: points[:, :2] for body, (points, _, _) in drawn.items()})
    for k, (body, path) in enumerate(paths.items()):
        points, alone, _ = drawn[body]
        draw_path(axes, path, points, alone, {**look[body], "linewidth": widths.get(body, multiples.THIN)}, see)
        if body in names:
            place = see(curves.vectors(path)[-1:])
            style.name_dot(axes, look[body]["label"], place[0, :2], look[body]["color"], right=k % 2 == 0)
    return any(has_orbit for _, _, has_orbit in drawn.values())


def draw_plane(axes, paths, elements, table, look, viewpoint, names):
    has_orbits = draw_paths(axes, paths, elements, look, names=names)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(xlabel=units.label("x", table.units["x"], table.system), ylabel=units.label("y", table.units["y"], table.system),
             title="Paths (dots: the end" + ("; lines through few places: the orbit at the end)" if has_orbits else ")") + viewpoint)


def draw_elements(figure, place, elements, table, look):
    """Draws the elements of all bodies against time, one panel for each element. Curves that coincide alternate in dashes."""
    grid = place.subgridspec(len(ELEMENTS), 1)
    column = [figure.add_subplot(grid[row]) for row in range(len(ELEMENTS))]
    for name, axes in zip(ELEMENTS, column):
        every = np.concatenate([columns[name] for columns in elements.values()])
        every = np.abs(every[np.isfinite(every) & (every != 0)])
        logarithmic = name == "semi_major_axis" and len(every) and every.max() > 10 * every.min() and all(
            (columns[name] > 0).all() for columns in elements.values())
        shown = {body: (columns["time"][good], columns[name][good]) for body, columns in elements.items()
                 for good in [np.isfinite(columns[name])]}
        dashes = multiples.alternating(shown, logarithmic)
        for body, (time, values) in shown.items():
            marker = "" if body in dashes and len(time) > 1 else style.marker_for(len(time))
            axes.plot(time, values, marker=marker, **{**look[body], **({"linestyle": dashes[body]} if body in dashes else {})})
        if logarithmic:
            axes.set_yscale("log")
        axes.ticklabel_format(axis="x", useOffset=False)
        axes.xaxis.set_major_locator(style.matplotlib.ticker.MaxNLocator(5))
        axes.set_ylabel(units.label(name.replace("_", "-" if name == "semi_major_axis" else " ").replace("r-axis", "r axis"),
                                    table.units[name], table.system))
        axes.tick_params(labelbottom=axes is column[-1])
    figure.align_ylabels(column)
    column[0].set_title("Orbital elements")
    column[-1].set_xlabel(units.label("time", table.units["time"], table.system))
    return column


def draw(run, paths, elements, tables, names, about=None):
    ids = sorted(paths.keys() | elements.keys())
    look = {body: dict(color=style.BODIES[k % len(style.BODIES)], linestyle=style.LINES[k // len(style.BODIES) % 4],
                       label=style.plain(called(names, body)))
            for k, body in enumerate(ids)}
    central = central_of(paths)
    smallest, largest = distances_of([curves.vectors(path) for path in paths.values()])
    wide_range = largest > WIDE * smallest > 0
    changes = [(look[body]["label"], columns["time"], change, {"color": look[body]["color"]})
               for body, columns in elements.items() for change in [multiples.relative_changes(columns["semi_major_axis"])]
               if change is not None]
    panels = {"paths": 6.0} if paths else {}
    panels.update({"wide": 6.0} if wide_range else {}, **({"elements": 5.2} if elements else {}), **({"changes": 4.2} if changes else {}))
    rows = 2 if len(panels) == 4 else 1
    across = len(panels) // rows
    listed = {body: line for body, line in look.items() if body not in central}
    widths = [max(list(panels.values())[k::across]) for k in range(across)] + [style.width_of_legend(listed)]
    figure = style.plt.figure(figsize=(sum(widths), 6.4 * rows), layout="constrained")
    grid = figure.add_gridspec(rows, across + 1, width_ratios=widths)
    places = {name: grid[divmod(k, across)] for k, name in enumerate(panels)}
    viewpoint = f" as seen from {style.plain(called(names, about))}" if about is not None else ""
    # Seen from a body that is on an orbit itself, the paths of the others are no ellipses.
    are_ellipses = elements and (about is None or about not in tables["orbital_elements"]["id"])
    orbits = elements if are_ellipses else {}
    if paths:
        axes = figure.add_subplot(places["paths"])
        draw_plane(axes, paths, orbits, tables["trajectories"], look, viewpoint, () if wide_range else central)
    if wide_range:
        axes = figure.add_subplot(places["wide"])
        distance = LogarithmicDistance(smallest, largest)
        distance.draw(axes, tables["trajectories"].units["x"], tables["trajectories"].system)
        draw_paths(axes, paths, orbits, look, distance, paths)
        axes.set_title("The same, all distances readable")
    if elements:
        table = tables["orbital_elements"]
        draw_elements(figure, places["elements"], elements, table, look)
    if changes:
        multiples.column(figure, places["changes"], changes, "Changes of a: $(a - a_0) / a_0$",
                         units.label("time", table.units["time"], table.system))
    style.legend_in(figure, grid[:, -1], listed)
    figure.suptitle(style.plain(run.name))
    return figure


def run(options):
    run = load_run(options.run)
    paths, elements, tables, more, names, about = measurement = measure(run, options.ids, options.about)
    yield from describe(run, *measurement)
    yield style.save(draw(run, paths, elements, tables, names, about), options.output)
