# SPDX-License-Identifier: Apache-2.0
"""Binaries and triples of binaries.csv: semi-major axis against eccentricity, hard and soft, and their number against time."""
import numpy as np

from . import multiples, style
from .. import units
from .digits import shown
from ..runs.loading import load_run
from ..errors import INPUT, make_error

KINDS = {"hard binaries": (2, 1), "soft binaries": (2, 0), "binaries": (2, None), "triples": (3, None), "quadruples": (4, None)}
MOST_ORBITS = 6  # orbits of which the semi-major axis is drawn against time
LOOKS = {"hard binaries": dict(color=style.VERMILION, marker="o"), "soft binaries": dict(color=style.SKY, marker="o"),
         "binaries": dict(color=style.GREY, marker="o"), "triples": dict(color=style.PURPLE, marker="^"),
         "quadruples": dict(color=style.GREEN, marker="s")}


def rows_of(table, kind):
    """Returns which rows (rows,) are of a kind. Binaries without others are neither hard nor soft."""
    members, hard = KINDS[kind]
    mine = np.asarray(table["members"], dtype=float) == members
    known = np.asarray(table["hard"], dtype=float)
    if members > 2:
        return mine
    return mine & (np.isnan(known) if hard is None else known == hard)


def times_of(run, table):
    """Returns the steps and times of the table, including those without any bound orbit, which have no row."""
    steps, first = np.unique(table["step"], return_index=True)
    times = dict(zip(steps.tolist(), table["time"][first].tolist()))
    interval = run.section("diagnostics").get("binaries", {}).get("interval")
    step = run.section("integrator").get("time_step")
    if interval and step and run.has("conservation"):
        log = run.table("conservation")
        every = max(1, round(interval / abs(step)))
        times.update((int(k), float(t)) for k, t in zip(log["step"], log["time"]) if int(k) % every == 0)
    steps = sorted(times)
    return np.array(steps), np.array([times[k] for k in steps])


def measure(run):
    """Returns the table, the times, and the number of orbits of each kind at each time: {kind: numbers (times,)}."""
    if run.has("binaries") and (run.path / "binaries.csv").read_bytes().count(b"\n") <= 1:
        raise make_error(INPUT, f"{run.path}: has no bound pair in binaries.csv; there is nothing to draw")
    table = run.table("binaries")
    steps, times = times_of(run, table)
    numbers = {}
    for kind in KINDS:
        mine = np.asarray(table["step"])[rows_of(table, kind)]
        if len(mine):
            numbers[kind] = np.array([(mine == step).sum() for step in steps])
    return table, times, numbers


def describe(run, table, times, numbers):
    clock, length = (units.spoken(table.units[name]) for name in ("time", "semi_major_axis"))
    yield f"{run.path}: {len(times)} times, t = {shown(times[0])} to {shown(times[-1])}{clock}"
    for kind, counts in numbers.items():
        mine = rows_of(table, kind)
        axes, shapes = table["semi_major_axis"][mine], table["eccentricity"][mine]
        yield (f"  {kind:<14} {int(counts[0])} to {int(counts[-1])}, most {int(counts.max())}; a = {shown(axes.min())} to "
               f"{shown(axes.max())}{length}, e = {shown(shapes.min())} to {shown(shapes.max())}")


def members_of(table):
    """Returns the ids of the bodies of each row, [(id, ...)]."""
    ids = np.stack([np.asarray(table[f"id_{k}"], dtype=float) for k in range(1, 5)], axis=1)
    return [tuple(int(body) for body in row if np.isfinite(body)) for row in ids]


def lasting(table):
    """Returns the rows of at most `MOST_ORBITS` orbits that are there three times or more, [rows (times,)]: those that are hard at
    some time first, then those that last longest."""
    rows: dict[tuple[int, ...], list[int]] = {}
    for row, members in enumerate(members_of(table)):
        rows.setdefault(members, []).append(row)
    orbits = [np.array(mine) for mine in rows.values() if len(mine) >= 3]
    return sorted(orbits, key=lambda mine: (not (table["hard"][mine] == 1).any(), -len(mine), table["energy"][mine[-1]]))[:MOST_ORBITS]


def change_of(table, rows, kind, steps, times):
    """Returns name, times, (a - a0)/a0 and look of an orbit, for a panel of its own; NaN at times without it."""
    axes = table["semi_major_axis"][rows]
    there = dict(zip(table["step"][rows].tolist(), multiples.relative_changes(axes).tolist()))
    values = np.array([there.get(step, np.nan) for step in steps.tolist()])
    alone = np.isfinite(values) & ~np.isfinite(np.append(values[1:], np.nan)) & ~np.isfinite(np.append(np.nan, values[:-1]))
    name = f"{' + '.join(map(str, members_of(table)[rows[0]]))}: $a_0$ = {axes[0]:.3g}{units.spoken(table.units['semi_major_axis'])}"
    return name, times, values, dict(color=LOOKS[kind]["color"], marker=".", markersize=4, markevery=list(np.flatnonzero(alone)))


def draw(run, table, times, numbers):
    steps, _ = times_of(run, table)
    orbits_shown = lasting(table)
    legend = {kind: dict(label=kind, linestyle="", **LOOKS[kind]) for kind in numbers}
    widths = [5.5, 4.2] + [4.2] * bool(orbits_shown) + [style.width_of_legend(legend)]
    figure = style.plt.figure(figsize=(sum(widths), 5.4), layout="constrained")
    grid = figure.add_gridspec(1, len(widths), width_ratios=widths)
    orbits = figure.add_subplot(grid[0])
    last = table["step"] == table["step"].max()
    for kind in numbers:
        mine, look = rows_of(table, kind), LOOKS[kind]
        orbits.plot(table["semi_major_axis"][mine & ~last], table["eccentricity"][mine & ~last], linestyle="", markersize=3,
                    alpha=0.3, **look)
        orbits.plot(table["semi_major_axis"][mine & last], table["eccentricity"][mine & last], linestyle="", markersize=7,
                    markeredgecolor="white", markeredgewidth=0.5, **look)
    orbits.set_xscale("log")
    style.plain_logarithm(orbits.xaxis)
    orbits.set(xlabel=units.label("semi-major axis", table.units["semi_major_axis"], table.system), ylabel="eccentricity",
               ylim=(-0.02, 1.02), title="Orbits (large: the last time)")
    clock = units.label("time", table.units["time"], table.system)
    counts = multiples.column(figure, grid[1], [
        (kind, times, values, dict(color=LOOKS[kind]["color"], drawstyle="steps-post")) for kind, values in numbers.items()],
        "Number", clock)
    for panel in counts:
        panel.set_ylim(bottom=0)
    if orbits_shown:
        kinds = [next(kind for kind in KINDS if rows_of(table, kind)[rows[-1]]) for rows in orbits_shown]
        changes = multiples.column(figure, grid[2], [change_of(table, rows, kind, steps, times) for rows, kind in zip(orbits_shown, kinds)],
                                   "Lasting orbits: $(a - a_0) / a_0$", clock)
        changes[0].set_xlim(counts[0].get_xlim())
    style.legend_in(figure, grid[-1], legend)
    figure.suptitle(f"Binaries of {style.plain(run.name)}")
    return figure


def run(options):
    run = load_run(options.run)
    measurement = measure(run)
    yield from describe(run, *measurement)
    yield style.save(draw(run, *measurement), options.output)
