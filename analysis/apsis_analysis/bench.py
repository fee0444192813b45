# SPDX-License-Identifier: Apache-2.0
"""Results of `apsis bench --json`: rate against N, and a comparison of kernels.

Each file is one machine; several are drawn into one figure. Hue shows the machine, shade the precision
(light single to dark double), marker the kernel, dashes and hatching the memory or threads.
"""
import json
import re
from pathlib import Path
from types import SimpleNamespace

from matplotlib import colors, legend_handler, lines, patches

from . import style
from .loading import read_json
from .problem import INPUT, Problem

SHADES = {"single": (1, 0.55), "mixed": (1, 0), "double": (0, 0.55)}  # amount of white or black mixed in
VARIANTS = (("-", ""), ("--", "////"), (":", "...."), ("-.", "xxxx"), ((0, (8, 2)), "||||"),
            ((0, (1, 4)), "++++"), ((0, (5, 1, 1, 1, 1, 1)), "oooo"), ((0, (2, 1)), "----"))
RATE = "interactions_per_second"
ROW = {"kernel": str, "precision": str, "threads": int, "bodies": int, RATE: (int, float),
       "spread": (int, float, type(None)), "percent_of_limit": (int, float, type(None))}


def get(record, key, kinds, where):
    """Returns record[key], which must have one of the types and be non-empty, non-negative and finite."""
    value = record.get(key, ...) if isinstance(record, dict) else ...
    if (not isinstance(value, kinds) or isinstance(value, bool) or value in ("", [])
            or isinstance(value, (int, float)) and not 0 <= value < 1e300
            or key in ("bodies", RATE) and not value or key == "precision" and value not in SHADES):
        problem = "is missing" if value is ... else f"is {json.dumps(value)[:40]}"
        raise Problem(INPUT, f"{where}: '{key}' {problem}; give a file that apsis bench --json wrote")
    return value


def read_bench(path, hue, taken, kernels):
    """Returns the series (each with a colour and a dash pattern) of one file; adds the names of its kernels."""
    report = read_json(path, "give a file that apsis bench --json wrote")
    report = json.loads(json.dumps(report).replace("$", r"\\$"))  # matplotlib takes a bare $ for mathematics
    device, backend = (get(get(report, "environment", dict, path), key, str,
                           f"{path}: environment") for key in ("device", "backend"))
    device = re.sub(r"\((R|TM|r|tm)\)|\b(CPU|Processor)\b|@.*", " ", device).split()
    name = f"{' '.join(device)[:40]} ({backend})"
    name += f", {path}".replace("$", r"\$") if name in taken else ""
    found = {}
    for index, row in enumerate(get(report, "rows", list, path)):
        where = f"{path}: rows[{index}]"
        if isinstance(row, dict) and row.get("kernel") == "snapshot":
            continue  # costs of snapshots are not rates of kernels
        for key, kinds in ROW.items():
            get(row, key, kinds, where)
        variant = str(row.get("memory") or "").replace("_", " "), f"threads {row['threads']}"
        sizes = found.setdefault((row["precision"], variant), {}).setdefault(row["kernel"], {})
        earlier = sizes.setdefault(row["bodies"], row)
        if earlier is not row and earlier.get("shape") == row.get("shape"):
            raise Problem(INPUT, f"{where}: an earlier row measures the same; keep one of them")
        sizes[row["bodies"]] = max(earlier, row, key=lambda entry: entry[RATE])  # the best of a sweep
        kernels[row["kernel"]] = None
    styles = dict(zip(dict.fromkeys(variant for _, variant in found), VARIANTS * len(found)))
    told = [len(set(values)) > 1 for values in zip(*styles)]
    several = [n for table in found.values() for n in set().union(*table.values())
               if sum(n in sizes for sizes in table.values()) > 1]
    for precision, variant in sorted(found, key=lambda key: list(SHADES).index(key[0])):
        (target, share), (line, hatch) = SHADES[precision], styles[variant]
        yield SimpleNamespace(
            machine=name, kernels=found[precision, variant], line=line, hatch=hatch,
            label=", ".join([name, precision] + [v for v, t in zip(variant, told) if v and t]),
            ladder=max(several, default=0),  # number of bodies at which the kernels are compared
            colour=[(1 - share) * c + share * target for c in colors.to_rgb(hue)])


def draw_sweep(axes, sweeps, markers):
    sweeps = sorted(sweeps, key=lambda sweep: max(row[RATE] for row in sweep[2].values()))
    fastest = {one.label: kernel for one, kernel, _ in sweeps}
    for one, kernel, rows in sweeps:
        alpha, width, size = (1, 1.8, 7.5) if fastest[one.label] == kernel else (0.5, 0.8, 5)
        axes.plot(*zip(*sorted((n, row[RATE]) for n, row in rows.items())), color=one.colour,
                  linestyle=one.line, marker=markers[kernel], markeredgecolor="white",
                  markeredgewidth=0.6, alpha=alpha, linewidth=width, markersize=size)
    axes.set(xscale="log", yscale="log", xlabel="bodies N", ylabel="interactions per second",
             title="Rate against N" + " (strong: the fastest kernel)" * (len(markers) > 1))
    axes.grid(color="0.88")
    marks = [lines.Line2D([], [], color="0.3", marker=m, linestyle="") for m in markers.values()]
    axes.legend(marks, markers, loc="upper center", frameon=False, ncol=4, handlelength=1,
                bbox_to_anchor=(0.5, -0.7 / axes.figure.get_figheight()))


def draw_ladder(axes, groups):  # [(kernel, [(series, row)])]
    y, ticks, rates = 0, {}, [row[RATE] for _, group in groups for _, row in group]
    for index, (kernel, group) in enumerate(groups):
        axes.axhspan(y - 1, y + len(group), color=("1", "0.95")[index % 2], linewidth=0, zorder=0)
        picked = {str(row.get("picked")) for _, row in group if kernel == "auto"}
        ticks[f"auto\n({min(picked)})" if len(picked) == 1 else kernel] = y + (len(group) - 1) / 2
        for y, (one, row) in enumerate(group, y):
            rate, share, half = row[RATE], row["percent_of_limit"], (row["spread"] or 0) / 2
            bar = axes.barh(y, rate, 0.9, xerr=[[rate * min(half, 0.99)], [rate * half]],
                            color=one.colour, hatch=one.hatch, edgecolor="white", linewidth=0,
                            ecolor="0.4", capsize=2.5)
            axes.bar_label(bar, ["" if share is None else f"{share:.1f} %"], padding=3, fontsize=8)
        y += 2
    sizes = {s.machine: f"{s.ladder:,}".replace(",", "\u2009") for _, g in groups for s, _ in g}
    alike = set(sizes.values())
    told = alike if len(alike) == 1 else [f"{size} on {name}" for name, size in sizes.items()]
    axes.set(xscale="log" if max(rates) > 30 * min(rates) else "linear", ylim=(y - 1, -1),
             yticks=list(ticks.values()), yticklabels=list(ticks), xmargin=0.15, axisbelow=True,
             title="Kernels at N = " + ",\n".join(told),
             xlabel="interactions per second (whiskers: spread; numbers: % of limit)")
    axes.grid(axis="x", color="0.88")


def draw(series, names, machines):
    sweeps = [(s, k, rows) for s in series for k, rows in s.kernels.items() if len(rows) > 1]
    markers = dict(zip([k for k in names if k in {k for _, k, _ in sweeps}], style.MARKERS * len(names)))
    groups = [(k, group) for k in names if (group := [
        (s, s.kernels[k][s.ladder]) for s in series if s.ladder in s.kernels.get(k, ())])]
    count = bool(sweeps) + bool(groups)
    if not count:
        raise Problem(INPUT, "bench: there is nothing to draw; measure a kernel at two N or two kernels at one N")
    height = max(5.4, 1.2 + 0.17 * sum(len(group) + 1 for _, group in groups))
    figure, panels = style.plt.subplots(1, count, squeeze=False, figsize=(7.5 * count, height))
    if sweeps:
        draw_sweep(panels[0, 0], sweeps, markers)
    if groups:
        draw_ladder(panels[0, -1], groups)
    figure.tight_layout()
    shown = [s for s in series if any(len(n) > 1 or s.ladder in n for n in s.kernels.values())]
    keys = [(lines.Line2D([], [], color=s.colour, linestyle=s.line),
             patches.Patch(facecolor=s.colour, hatch=s.hatch, edgecolor="white")) for s in shown]
    figure.legend(keys, [s.label for s in shown], loc="upper center", bbox_to_anchor=(0.5, 0),
                  ncol=min(machines, 2 * count), frameon=False, handlelength=5,
                  handler_map={tuple: legend_handler.HandlerTuple(None)})
    return figure


def describe(series):
    """Returns the best rate of each kernel, and its number of bodies."""
    for one in series:
        yield one.label.replace(r"\$", "$")
        for kernel, rows in one.kernels.items():
            best = max(rows.values(), key=lambda row: row[RATE])
            share = best["percent_of_limit"]
            yield (f"  {kernel:<16} {best[RATE]!r} interactions/s at N = {best['bodies']}" +
                   (f", {share:.1f} % of the limit" if share is not None else ""))


def run(options):
    series, names = [], {}
    for i, path in enumerate(map(Path, options.files)):
        series += list(read_bench(path, style.colour(i), {s.machine for s in series}, names))
    yield from describe(series)
    yield style.save(draw(series, names, len(options.files)), options.output, bbox_inches="tight")
