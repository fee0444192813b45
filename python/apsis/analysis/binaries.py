# SPDX-License-Identifier: Apache-2.0
"""Binaries and triples of binaries.csv: semi-major axis against eccentricity, hard and soft, and their number against time."""
import numpy as np

from . import style
from .. import units
from .digits import shown
from ..loading import load_run
from ..errors import INPUT, make_error

KINDS = {"hard binaries": (2, 1), "soft binaries": (2, 0), "binaries": (2, None), "triples": (3, None), "quadruples": (4, None)}
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
    for kind, found in numbers.items():
        mine = rows_of(table, kind)
        axes, shapes = table["semi_major_axis"][mine], table["eccentricity"][mine]
        yield (f"  {kind:<14} {int(found[0])} to {int(found[-1])}, most {int(found.max())}; a = {shown(axes.min())} to "
               f"{shown(axes.max())}{length}, e = {shown(shapes.min())} to {shown(shapes.max())}")


def draw(run, table, times, numbers):
    figure, ((orbits, counts),) = style.figure_with(1, 2, figsize=(11, 5))
    last = table["step"] == table["step"].max()
    for kind in numbers:
        mine, look = rows_of(table, kind), LOOKS[kind]
        orbits.plot(table["semi_major_axis"][mine & ~last], table["eccentricity"][mine & ~last], linestyle="", markersize=3,
                    alpha=0.3, **look)
        orbits.plot(table["semi_major_axis"][mine & last], table["eccentricity"][mine & last], linestyle="", markersize=7,
                    markeredgecolor="white", markeredgewidth=0.5, **look)
        counts.step(times, numbers[kind], where="post", color=look["color"], label=kind)
    orbits.set_xscale("log")
    style.plain_logarithm(orbits.xaxis)
    orbits.set(xlabel=units.label("semi-major axis", table.units["semi_major_axis"], table.system), ylabel="eccentricity",
               ylim=(-0.02, 1.02), title="Orbits (large: the last time)")
    counts.set(xlabel=units.label("time", table.units["time"], table.system), ylabel="number",
               title="Number" if len(numbers) > 1 else f"Number of {next(iter(numbers))}")
    counts.set_ylim(bottom=0)
    counts.yaxis.set_major_locator(style.matplotlib.ticker.MaxNLocator(integer=True))
    style.legend_beside(counts, {kind: dict(label=kind, linestyle="", **LOOKS[kind]) for kind in numbers})
    figure.suptitle(f"Binaries of {style.plain(run.name)}")
    return figure


def run(options):
    one = load_run(options.run)
    found = measure(one)
    yield from describe(one, *found)
    yield style.save(draw(one, *found), options.output)
