# SPDX-License-Identifier: Apache-2.0
"""Measurements of `apsis bench --strong|--weak|--predict --json` on several ranks, and predictions of its cost model.

Each file is one number of ranks. Colour shows the number of bodies of one rank alone, the dash pattern precision, kind
of scaling and solver; filled markers are measurements, thin lines and hollow markers predictions. Rates count
interactions, or bodies for the solver fmm.
"""
import json
from pathlib import Path

from . import style
from ..runs.loading import read_json
from ..errors import INPUT, make_error

ADVICE = "give a file that apsis bench --strong, --weak or --predict with --json wrote"
NUMBERS = ("processes", "bodies", "bodies_alone", "efficiency", "milliseconds_step")
PAIRS, BODIES = "interactions_per_second", "bodies_per_second"


def rate_of(row):
    return BODIES if BODIES in row else PAIRS


def solver_of(row):
    return f", fmm {row.get('accuracy', '')}".rstrip() if BODIES in row else ""


def rows_of(path):
    rows = read_json(path, ADVICE).get("rows")
    for index, row in enumerate(rows if isinstance(rows, list) else [None]):
        where = f"{path}: rows[{index}]"
        if not isinstance(row, dict) or "scaling" not in row:
            raise make_error(INPUT, f"{where}: is no row of a scaling; {ADVICE}")
        for key in (*NUMBERS, rate_of(row)):
            value = row.get(key)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e300:
                raise make_error(INPUT, f"{where}: '{key}' is {json.dumps(value)[:40]}; {ADVICE}")
        for key in ("scaling", "precision", "kernel"):
            if not isinstance(row.get(key), str):
                raise make_error(INPUT, f"{where}: '{key}' is missing; {ADVICE}")
        yield row


def draw(series):
    figure, panels = style.figure_with(1, 2, figsize=(11, 4.8))
    bodies = sorted({alone for alone, *_ in series})
    kinds = sorted({kind[1:] for kind in series})
    words = {PAIRS: "interactions", BODIES: "bodies"}
    units = {rate_of(row) for measured, _ in series.values() for row in measured}
    for (alone, precision, scaling, solver), (measured, model) in sorted(series.items()):
        kind = kinds.index((precision, scaling, solver))
        look = {"color": style.colour(bodies.index(alone)), "linestyle": style.LINES[kind % 4]}
        count = f"{alone:,}".replace(",", "\u2009")
        label = style.plain(f"{scaling}, {precision}{solver}, N = {count}")
        for axes, column_of in zip(panels[0], (rate_of, lambda row: "efficiency")):
            points = sorted((row["processes"], row[column_of(row)]) for row in measured)
            axes.plot(*zip(*points), marker="o", label=label, linewidth=1.6, **look)
            for rows in model.values():  # of each file
                guesses = sorted((row["processes"], row[column_of(row)]) for row in rows)
                axes.plot(*zip(*guesses), marker="o", markerfacecolor="none", linewidth=0.8, alpha=0.7, **look)
    rates, efficiency = panels[0]
    rates.set(xscale="log", yscale="log", xlabel="processes",
              ylabel=" or ".join(words[unit] for unit in sorted(units, reverse=True)) + " per second",
              title="Rate (hollow: model)")
    efficiency.set(xscale="log", xlabel="processes", ylabel="efficiency", title="Efficiency (hollow: model)")
    efficiency.set_ylim(0, max(1.05, *efficiency.get_ylim()))
    efficiency.axhline(1.0, color=style.GREY, linewidth=0.8)
    style.legend_beside(efficiency, {line.get_label(): {"label": line.get_label(), "color": line.get_color(),
                                                        "linestyle": line.get_linestyle()}
                                     for line in rates.get_lines() if not line.get_label().startswith("_")})
    return figure


def run(options):
    series: dict[tuple, tuple[list, dict]] = {}
    for path in map(Path, options.files):
        for row in rows_of(path):
            key = row["bodies_alone"], row["precision"], row["scaling"], solver_of(row)
            measured, model = series.setdefault(key, ([], {}))
            (model.setdefault(path, []) if row["kernel"] == "model" else measured).append(row)
    series = {key: lists for key, lists in series.items() if lists[0]}
    if not series:
        raise make_error(INPUT, f"{options.files[0]}: has no row that was measured; {ADVICE}")
    for (_, precision, scaling, solver), (measured, model) in sorted(series.items()):
        for row in sorted(measured + [row for rows in model.values() for row in rows], key=lambda row: row["processes"]):
            guess = ", by the model" if row["kernel"] == "model" else ""
            unit = "bodies" if rate_of(row) == BODIES else "interactions"
            yield (f"{scaling:<7} {precision + solver:<7} {row['processes']:>7} processes  N = {row['bodies']}: "
                   f"{row[rate_of(row)]:.4g} {unit}/s, efficiency {100 * row['efficiency']:.1f} %{guess}")
    yield style.save(draw(series), options.output, bbox_inches="tight")
