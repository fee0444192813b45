# SPDX-License-Identifier: Apache-2.0
"""Lagrangian, half-mass and core radii against time."""
import numpy as np

from . import style, units
from .loading import load_run
from .problem import INPUT, Problem

NAMES = {"half_mass_radius": "half-mass radius", "core_radius": "core radius"}


def is_fraction(name):
    """Whether a column is a Lagrangian radius, such as r_0.1."""
    try:
        return name.startswith("r_") and 0 < float(name[2:]) <= 1
    except ValueError:
        return False


def labelled(words, group):
    return f"{words}, {group}" if group else words


def groups_of(table):
    """Returns a table for each part or species that has rows of its own: [(table, name)]; [(table, "")] without groups."""
    for column, words in (("part", "part {}"), ("species", "{}")):
        if column in table:
            return [(table.only(table[column] == group), words.format(group)) for group in np.unique(table[column])]
    return [(table, "")]


def measure(run):
    """Returns tables with their columns of radii: [(table, {column: label})], a table for each group of bodies."""
    found = []
    if run.has("lagrangian_radii"):
        table = run.table("lagrangian_radii")
        found += [(rows, {name: labelled(f"{100 * float(name[2:]):g} % of the mass", group) for name in table
                          if is_fraction(name)}) for rows, group in groups_of(table)]
    if run.has("structure"):
        table = run.table("structure")
        found += [(rows, {name: labelled(words, group) for name, words in NAMES.items() if name in table})
                  for rows, group in groups_of(table)]
    if not found:
        raise Problem(INPUT, f"{run.directory}: has no radii (neither lagrangian_radii.csv nor structure.csv); give a run "
                      "whose deck names diagnostics.lagrangian_radii or diagnostics.structure")
    return found


def describe(run, found):
    yield f"{run.directory}: {max(table.rows for table, _ in found)} times"
    for table, columns in found:
        clock = units.spoken(table.units["time"])
        for name, words in columns.items():
            values, length = table[name], units.spoken(table.units[name])
            if not np.isfinite(values).any():
                yield f"  {words:<20} none"
                continue
            least = int(np.nanargmin(values))
            yield (f"  {words:<20} {float(values[0])!r} to {float(values[-1])!r}{length}, smallest "
                   f"{float(values[least])!r}{length} at t = {float(table['time'][least])!r}{clock}")


def draw(run, found):
    figure, ((axes,),) = style.figure_with(figsize=(8.5, 5.5))
    ends = []
    for row, (table, columns) in enumerate(found):
        whole = table.path.name == "lagrangian_radii.csv"
        group = sum(other.path == table.path for other, _ in found[:row])
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
    table = found[0][0]
    length = next(iter(found[0][1]))
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
    one = load_run(options.run)
    found = measure(one)
    yield from describe(one, found)
    yield style.save(draw(one, found), options.output)
