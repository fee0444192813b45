# SPDX-License-Identifier: Apache-2.0
"""Conservation in runs: energy error, momentum error and virial ratio against time, and the limits of their decks."""
import numpy as np

from . import style
from .. import units
from .digits import shown
from ..runs.loading import load_run

LIMITS = {"energy": "max_relative_energy_error", "momentum": "max_momentum_error"}


def change(table, name):
    """Returns |V - V(0)| of the columns of a vector at each time."""
    moved = [table[f"{name}_{axis}"] - table[f"{name}_{axis}"][0] for axis in "xyz"]
    return np.sqrt(sum(component ** 2 for component in moved))


def measure(table):
    """Returns the errors at each logged time."""
    return {"energy": table["relative_energy_error"], "momentum": change(table, "momentum"),
            "angular": change(table, "angular_momentum"), "centre": change(table, "center_of_mass")}


def energy_measure(table):
    """Describes the energy scale by which the energy errors of a run are divided, with value and unit."""
    if "energy_scale" not in table:  # written by a version whose measure depended on the frame
        return "the total energy, not"
    scale, energy, kinetic = (float(table[name][0]) for name in ("energy_scale", "internal_energy", "internal_kinetic"))
    names = {abs(energy): "|E0|", kinetic: "K0", abs(float(table["potential"][0])): "|W0|"}
    name = names.get(scale, "that of the bodies alone")
    return f"{name} = {shown(scale)}{units.spoken(table.units['energy_scale'])}" if scale else "1 (E0 is 0)"


def against(run, name, largest):
    """Compares the largest error with the limit of the deck, if gravity alone changes the sum, in the words of the executable."""
    limit = run.section("conservation").get(LIMITS[name])
    changed = run.summary.get("not_conserved_with_forces") or ""
    if name in [word.strip() for word in changed.split(",")]:
        return "not judged: forces besides gravity change it"
    if not limit:
        return f"not judged: the deck has no conservation.{LIMITS[name]}"
    return f"{'within' if largest <= limit else 'EXCEEDS'} the limit {limit:g}"


def advice_of(run):
    """Returns what the executable said about the run: the problem and the remark of summary.json, as far as there are any."""
    return [(key, run.summary[key]) for key in ("problem", "remark") if run.summary.get(key)]


def describe(run, table, errors):
    unit = {name: units.spoken(text) for name, text in table.units.items()}
    status = run.summary.get("status", "goes on, or was ended from outside")
    largest = {name: float(values.max()) for name, values in errors.items()}
    return [f"{run.path}: {status}; {table.rows} logged times to t = {shown(table['time'][-1])}{unit['time']}",
            f"  max |dE/E|    {shown(largest['energy'])}  {against(run, 'energy', largest['energy'])}",
            f"  max |dP|      {shown(largest['momentum'])}{unit['momentum_x']}  "
            f"{against(run, 'momentum', largest['momentum'])}",
            f"  max |dL|      {shown(largest['angular'])}{unit['angular_momentum_x']}",
            f"  centre moved  {shown(largest['centre'])}{unit['center_of_mass_x']}",
            f"  virial ratio  {shown(table['virial_ratio'][0])} to {shown(table['virial_ratio'][-1])}",
            f"  dE/E is of    {energy_measure(table)} in the centre-of-mass frame",
            *(f"  {key:<12}  {words}" for key, words in advice_of(run))]


def draw(runs, tables):
    """Draws three panels over one time axis; a colour for each run, dotted lines for limits."""
    figure, axes = style.figure_with(3, 1, sharex=True, figsize=(8, 8.5))
    panels = dict(zip(("energy", "momentum", "virial"), axes[:, 0]))
    limited = False
    for index, (run, table) in enumerate(zip(runs, tables)):
        look = dict(color=style.colour(index), linestyle=style.line_style(index), marker=style.marker_for(table.rows))
        errors = measure(table)
        for name in LIMITS:
            visible = errors[name] > 0  # values that a logarithmic axis can show
            panels[name].plot(table["time"][visible], errors[name][visible], label=style.plain(run.name), **look)
            limit = run.section("conservation").get(LIMITS[name])
            if limit:
                panels[name].axhline(limit, color=look["color"], linestyle=":", linewidth=1.3)
                limited = True
        panels["virial"].plot(table["time"], table["virial_ratio"], label=style.plain(run.name), **look)
    for name in LIMITS:
        if any((measure(table)[name] > 0).any() for table in tables):
            panels[name].set_yscale("log")
        else:  # a logarithmic axis of nothing cannot be drawn
            panels[name].set_yticks([])
            panels[name].text(0.5, 0.5, "0 at all times", transform=panels[name].transAxes, ha="center", color=style.GREY)
    system = units.shared(table.system for table in tables)

    def label(text, name):
        return units.label(text, units.shared(table.units[name] for table in tables), system)

    panels["energy"].set_ylabel("relative energy error")
    panels["momentum"].set_ylabel(label("|P − P$_0$|", "momentum_x"))
    panels["virial"].set_ylabel("virial ratio K / |W|")
    panels["virial"].set_xlabel(label("time", "time"))
    style.legend_below(panels["virial"])
    panels["energy"].set_title("Conservation" + (" (dotted: the decks' limits)" if limited else ""))
    return figure


def run(options):
    runs = [load_run(name) for name in options.runs]
    tables = [run.table("conservation") for run in runs]
    for run, table in zip(runs, tables):
        yield from describe(run, table, measure(table))
    yield style.save(draw(runs, tables), options.output)
