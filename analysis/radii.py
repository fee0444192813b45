# SPDX-License-Identifier: Apache-2.0
"""Lagrangian, half-mass and core radii against time."""
import numpy as np

from . import style
from .. import units
from .digits import shown
from .groups import groups_of
from ..runs.loading import Columns, load_run
from ..errors import INPUT, make_error
from .profile import find_centre
from ..snapshots import open_snapshot, snapshots_of

FRACTIONS = (0.1, 0.5, 0.9)  # of the mass, of radii from snapshots
NAMES = {"half_mass_radius": "half-mass radius", "core_radius": "core radius"}


def is_fraction(name):
    """Whether a column is a Lagrangian radius, such as r_0.1."""
    try:
        return name.startswith("r_") and 0 < float(name[2:]) <= 1
    except ValueError:
        return False


def labelled(words, group):
    return f"{words}, {group}" if group else words


def groups_of_table(table, each=None):
    """Returns a table for each part or species that has rows of its own: [(table, name)]; [(table, "")] without groups. With
    `each` only rows of such groups."""
    for column, words in (("part", "part {}"), ("species", "{}")):
        if column in table and each in (None, column):
            return [(table.only(table[column] == group), words.format(group)) for group in np.unique(table[column])]
    return [] if each else [(table, "")]


def kind_of(column):
    return "time" if column == "time" else "length"


class Measured(Columns):
    """Radii from snapshots as columns (times,), with the units of a table."""

    def __init__(self, path, columns, snapshot):
        super().__init__(path, columns)
        self.rows, self.system = len(columns["time"]), snapshot.system
        self.units = {name: getattr(snapshot.units, kind_of(name)) or kind_of(name)
                      for name in columns}


def from_snapshots(run, each, most=40):
    """Returns the radii of each part or species about its own centre, from at most `most` snapshots, as `measure` does."""
    snapshots = [open_snapshot(path) for path in snapshots_of([run.path], most)]
    groups = []
    for group in groups_of(snapshots[0], each):
        columns: dict[str, list] = {"time": [], **{f"r_{fraction:g}": [] for fraction in FRACTIONS}}
        for snapshot in snapshots:
            centre, _ = find_centre(snapshot, group)
            pieces = [(np.linalg.norm(piece.position - centre, axis=1), piece.mass)
                      for piece in group.pieces(snapshot, "position", "mass")]
            radius, mass = map(np.concatenate, zip(*pieces))
            order = np.argsort(radius)
            inside = np.cumsum(mass[order])
            columns["time"].append(snapshot.time)
            for fraction in FRACTIONS:
                row = np.searchsorted(inside, fraction * inside[-1] * (1 - 1e-12))
                columns[f"r_{fraction:g}"].append(radius[order[row]])
        table = Measured(run.path / "lagrangian_radii.csv", {name: np.array(values) for name, values in columns.items()},
                         snapshots[0])
        groups.append((table, {name: labelled(f"{100 * float(name[2:]):g} % of the mass", group.name)
                               for name in columns if name != "time"}))
    return groups


def measure(run, each=None):
    """Returns a table with its columns of radii for each group of bodies, [(table, {column: label})]; with `each` for them alone."""
    groups = []
    if run.has("lagrangian_radii"):
        table = run.table("lagrangian_radii")
        groups += [(rows, {name: labelled(f"{100 * float(name[2:]):g} % of the mass", group) for name in table
                           if is_fraction(name)}) for rows, group in groups_of_table(table, each)]
    if run.has("structure"):
        table = run.table("structure")
        groups += [(rows, {name: labelled(words, group) for name, words in NAMES.items() if name in table})
                   for rows, group in groups_of_table(table, each)]
    if each and not groups:
        return from_snapshots(run, each)
    if not groups:
        raise make_error(INPUT, f"{run.path}: has no radii (neither lagrangian_radii.csv nor structure.csv); give a run "
                      "whose deck names diagnostics.lagrangian_radii or diagnostics.structure")
    return groups


def describe(run, groups):
    yield f"{run.path}: {max(table.rows for table, _ in groups)} times"
    for table, columns in groups:
        clock = units.spoken(table.units["time"])
        for name, words in columns.items():
            values, length = table[name], units.spoken(table.units[name])
            if not np.isfinite(values).any():
                yield f"  {words:<20} none"
                continue
            least = int(np.nanargmin(values))
            yield (f"  {words:<20} {shown(values[0])} to {shown(values[-1])}{length}, smallest "
                   f"{shown(values[least])}{length} at t = {shown(table['time'][least])}{clock}")


def draw(run, groups):
    figure, ((axes,),) = style.figure_with(figsize=(8.5, 5.5))
    ends = []
    for row, (table, columns) in enumerate(groups):
        whole = table.path.name == "lagrangian_radii.csv"
        group = sum(other.path == table.path for other, _ in groups[:row])
        shades = style.plt.get_cmap("viridis")(np.linspace(0.0, 0.85, max(2, len(columns))))
        for k, (name, words) in enumerate(columns.items()):
            good = table[name] > 0
            if not good.any():
                continue
            look = (dict(color=shades[k], linewidth=1.5, linestyle=style.LINES[group % len(style.LINES)]) if whole else
                    dict(color=style.COLOURS[(1, 3, 2, 4, 0, 5)[(2 * group + k) % 6]], linestyle=(0, (5, 2)), linewidth=2))
            axes.plot(table["time"][good], table[name][good], marker=style.marker_for(table.rows), **look)
            ends.append((table[name][good][-1], words, look["color"]))
    axes.set_yscale("log")
    table = groups[0][0]
    length = next(iter(groups[0][1]))
    axes.set(title=f"Radii of {style.plain(run.name)}", xlabel=units.label("time", table.units["time"], table.system),
             ylabel=units.label("radius", table.units[length], table.system))
    axes.xaxis.set_major_locator(style.matplotlib.ticker.MaxNLocator(7))
    axes.margins(x=0.02)
    style.plain_logarithm(axes.yaxis)
    name_ends(axes, sorted(ends, key=lambda end: end[0]))
    return figure


def name_ends(axes, ends):
    """Writes names at the right ends of lines, moved apart where they would overlap."""
    low, high = np.log(axes.get_ylim())
    places, last = [], -1.0
    for value, _, _ in ends:
        last = max((np.log(value) - low) / (high - low), last + 0.045)
        places.append(last)
    for (_, words, colour), place in zip(ends, places):
        axes.annotate(words, (1.01, place), xycoords="axes fraction", color=colour, fontsize=9, va="center")


def run(options):
    run = load_run(options.run)
    groups = measure(run, options.each)
    yield from describe(run, groups)
    yield style.save(draw(run, groups), options.output)
