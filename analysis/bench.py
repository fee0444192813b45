# SPDX-License-Identifier: Apache-2.0
"""Results of `apsis bench --json`: time, rate and speed-up against N, bars of kernels and tile shapes, and transfers.

Each file is one machine; several are drawn into one figure. Colour shows the kernel, the dash pattern machine, memory and
threads, and the marker the precision.
"""
import json
import re
from pathlib import Path
from types import SimpleNamespace

from matplotlib import ticker

from . import style
from .digits import shown
from ..runs.loading import read_json
from ..errors import INPUT, make_error

PRECISIONS = ("single", "mixed", "double")
RATE = "interactions_per_second"
MARKS = {"single": "o", "mixed": "D", "double": "s"}
KERNELS = style.BODIES  # a colour for each kernel
ROW = {"kernel": str, "precision": str, "threads": int, "bodies": int, RATE: (int, float),
       "spread": (int, float, type(None)), "percent_of_limit": (int, float, type(None))}


def get(record, key, kinds, where):
    """Returns record[key], which must have one of the types and be non-empty, non-negative and finite."""
    value = record.get(key, ...) if isinstance(record, dict) else ...
    if (not isinstance(value, kinds) or isinstance(value, bool) or value in ("", [])
            or isinstance(value, (int, float)) and not 0 <= value < 1e300
            or key in ("bodies", RATE) and not value or key == "precision" and value not in PRECISIONS):
        problem = "is missing" if value is ... else f"is {json.dumps(value)[:40]}"
        raise make_error(INPUT, f"{where}: '{key}' {problem}; give a file that apsis bench --json wrote")
    return value


def time_of(row):
    """Returns the wall time of one evaluation of all forces [s]. The rate counts N^2 interactions."""
    measured = row.get("milliseconds_force")
    known = isinstance(measured, (int, float)) and not isinstance(measured, bool) and 0 < measured < 1e300
    return 1e-3 * measured if known else row["bodies"] ** 2 / row[RATE]


def transfer_of(row):
    """Returns the wall times of copies to the device and back [s], (0, 0) without any."""
    values = [row.get(f"milliseconds_to_{place}") for place in ("device", "host")]
    return tuple(1e-3 * value if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e300 else 0.0
                 for value in values)


def machine_of(report, path, taken):
    """Returns the name of a machine for labels: device and backend, with the file's name if another file has the same."""
    device, backend = (get(get(report, "environment", dict, path), key, str, f"{path}: environment")
                       for key in ("device", "backend"))
    words = re.sub(r"\((R|TM|r|tm)\)|\b(CPU|Processor)\b|@.*", " ", device).split()
    name = f"{' '.join(words)[:40]} ({backend})"
    return f"{name}, {path}" if name in taken else name


def read_bench(path, taken):
    """Returns the series of one file: namespaces of `machine`, `kernel`, `precision`, `threads`, `memory` and `sizes`, {bodies:
    [row]}, the rows of one size being those of a sweep over tile shapes, the fastest first."""
    report = read_json(path, "give a file that apsis bench --json wrote")
    machine = machine_of(report, path, taken)
    series: dict[tuple, dict[int, list]] = {}
    for index, row in enumerate(get(report, "rows", list, path)):
        where = f"{path}: rows[{index}]"
        if isinstance(row, dict) and row.get("kernel") == "snapshot":
            continue  # costs of snapshots are not rates of kernels
        for key, kinds in ROW.items():
            get(row, key, kinds, where)
        name = row["kernel"], row["precision"], row["threads"], str(row.get("memory") or "").replace("_", " ")
        rows = series.setdefault(name, {}).setdefault(row["bodies"], [])
        if any(earlier.get("shape") == row.get("shape") for earlier in rows):
            raise make_error(INPUT, f"{where}: an earlier row measures the same; keep one of them")
        rows.append(row)
    for (kernel, precision, threads, memory), sizes in series.items():
        for rows in sizes.values():
            rows.sort(key=lambda row: -row[RATE])
        yield SimpleNamespace(machine=machine, kernel=kernel, precision=precision, threads=threads, memory=memory, sizes=sizes)


def threads_in_words(threads):
    return f"{threads} thread{'' if threads == 1 else 's'}"


def baseline_of(series):
    """Returns the series that speed-ups are relative to: plain loops, then `naive`, then the slowest; in double with the fewest
    threads if there is a choice. It has a measurement at the most sizes."""
    def rank(entry):
        plain = 0 if entry.kernel.startswith("reference") else 1 if entry.kernel == "naive" else 2
        slowest = min(rows[0][RATE] for rows in entry.sizes.values())
        return plain, -PRECISIONS.index(entry.precision), entry.threads, -len(entry.sizes), slowest
    return min(series, key=rank)


def speedups(entry, base):
    """Returns (N, speed-up) at each N that both series have."""
    return [(n, entry.sizes[n][0][RATE] / base.sizes[n][0][RATE]) for n in sorted(entry.sizes.keys() & base.sizes.keys())]


def colours_of(series):
    """Returns a colour for each kernel, {name: colour}."""
    names = list(dict.fromkeys(entry.kernel for entry in series))
    return {name: KERNELS[k % len(KERNELS)] for k, name in enumerate(names)}


def variants_of(series):
    """Returns a dash pattern for each machine, memory and number of threads."""
    variants = list(dict.fromkeys((entry.machine, entry.memory, entry.threads) for entry in series))
    return {variant: style.LINES[k % len(style.LINES)] for k, variant in enumerate(variants)}


def picked_by(entry):
    """Returns the kernel that `auto` chose, in brackets; at the largest N."""
    picked = {str(rows[0].get("picked")) for rows in entry.sizes.values() if rows[0].get("picked")}
    return f" ({picked.pop()})" if entry.kernel == "auto" and len(picked) == 1 else ""


def label_of(entry, series, names=("precision", "memory", "machine")):
    """Returns the label of a series: kernel and threads, and those of the names in which the series differ."""
    words = [entry.kernel + picked_by(entry), threads_in_words(entry.threads)]
    words += [getattr(entry, name) for name in names if len({getattr(other, name) for other in series}) > 1]
    return style.plain(", ".join(word for word in words if word))


def count(value):
    """Returns a number of bodies with thin spaces between thousands."""
    return f"{value:,.0f}".replace(",", "\u2009")


def logarithmic(axis, text):
    """Makes an axis logarithmic, with few labels."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    low, high = sorted(axis.get_view_interval())
    axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0) if high < 30 * low else (1.0, 3.0) if high < 300 * low else (1.0,)))
    axis.set_major_formatter(text)
    axis.set_minor_formatter(ticker.NullFormatter())


def engineering(unit=""):
    """Returns a format such as 1.5 G or 20 ms."""
    return ticker.EngFormatter(unit=unit, sep=" ")


def draw_lines(axes, series, looks, points_of, text):
    """Draws (N, value) of each series on logarithmic axes."""
    for entry in series:
        points = points_of(entry)
        if points:
            axes.plot(*zip(*points), **looks[id(entry)])
    axes.set_xlabel("bodies N")
    logarithmic(axes.xaxis, ticker.FuncFormatter(lambda value, _: count(value)))
    logarithmic(axes.yaxis, text)


def draw_bars(axes, series, bodies, colours):
    """Draws a bar for each kernel and tile shape at one N; shapes only where a kernel has several."""
    bars = [(entry, row) for entry in series for row in entry.sizes.get(bodies, ())]
    swept = {id(entry) for entry, row in bars if len(entry.sizes[bodies]) > 1}
    best = {id(entry): entry.sizes[bodies][0] for entry, _ in bars}
    rates = [row[RATE] for _, row in bars]
    for y, (entry, row) in enumerate(bars):
        half = (row["spread"] or 0) / 2
        bar = axes.barh(y, row[RATE], 0.85, xerr=[[row[RATE] * min(half, 0.99)], [row[RATE] * half]], color=colours[entry.kernel],
                        alpha=1 if row is best[id(entry)] else 0.4, ecolor="0.35", capsize=2.5, error_kw=dict(linewidth=0.8))
        share = row["percent_of_limit"]
        axes.bar_label(bar, ["" if share is None else f"{share:.0f} %"], padding=4, fontsize=8)
    names = []
    for entry, row in bars:
        name = label_of(entry, series)
        names.append(f"{name}\n{row.get('shape')}" if id(entry) in swept else name)
    axes.set(xscale="log" if max(rates) > 30 * min(rates) else "linear", yticks=range(len(bars)), ylim=(len(bars) - 0.4, -0.6),
             title=f"{'Tile shapes' if swept else 'Kernels'} at N = {count(bodies)}",
             xlabel="interactions per second\n(lines: spread; numbers: % of the limit" + ("; strong: the best shape)" if swept else ")"))
    axes.xaxis.set_major_formatter(engineering())
    axes.set_yticklabels(names, fontsize=8)
    axes.margins(x=0.15)
    axes.grid(False, axis="y")


def draw_transfers(axes, series):
    """Draws the times of copies to the device and back against N."""
    copies: dict[tuple, dict] = {}
    for entry in series:
        for n, rows in entry.sizes.items():
            copies.setdefault((entry.machine, entry.memory), {})[n] = transfer_of(rows[0])
    for k, ((machine, memory), sizes) in enumerate(copies.items()):
        points = sorted((n, *pair) for n, pair in sizes.items() if all(pair))
        where = ", ".join(word for word, every in ((machine, {m for m, _ in copies}), (memory, {m for _, m in copies}))
                          if len(every) > 1)
        for column, words in ((1, "to the device"), (2, "to the host")):
            axes.plot([p[0] for p in points], [p[column] for p in points], color=style.BODIES[(2 * k + column - 1) % 12], marker="o",
                      label=style.plain(f"{words}, {where}" if where else words))
    axes.set(xlabel="bodies N", title="Transfer, apart from the forces", ylabel="time of a copy")
    logarithmic(axes.xaxis, ticker.FuncFormatter(lambda value, _: count(value)))
    logarithmic(axes.yaxis, engineering("s"))
    axes.legend(loc="best")


def draw_against_size(panels, series, base, looks):
    """Draws time, rate and speed-up against N."""
    draw_lines(panels["time"], series, looks, lambda entry: [(n, time_of(rows[0])) for n, rows in sorted(entry.sizes.items())],
               engineering("s"))
    draw_lines(panels["rate"], series, looks, lambda entry: [(n, rows[0][RATE]) for n, rows in sorted(entry.sizes.items())],
               engineering())
    draw_lines(panels["gain"], series, looks, lambda entry: speedups(entry, base),
               ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    panels["time"].set(title="Time of all forces", ylabel="wall time")
    panels["rate"].set(title="Rate", ylabel="interactions per second")
    panels["gain"].set(title="Speed-up", ylabel=f"times {label_of(base, series, ('precision',))}")
    panels["gain"].axhline(1.0, color=style.GREY, linewidth=0.8)
    lines = [style.plt.Line2D([], [], **looks[id(entry)]) for entry in series]
    panels["key"].legend(lines, [line.get_label() for line in lines], loc="center", ncol=columns_of(looks), handlelength=3)
    panels["key"].set_axis_off()


def columns_of(looks):
    """Returns the number of columns of the legend."""
    return 3 if max(len(look["label"]) for look in looks.values()) < 42 else 2


def draw(series, base):
    """Draws all panels; those against N if there are several N, transfers if there are any."""
    colours, variants = colours_of(series), variants_of(series)
    looks = {id(entry): dict(color=colours[entry.kernel], linestyle=variants[entry.machine, entry.memory, entry.threads],
                             marker=MARKS[entry.precision], markersize=5.5, markeredgecolor="white", markeredgewidth=0.5,
                             label=label_of(entry, series)) for entry in series}
    every = [n for entry in series for n in entry.sizes]
    several = len(set(every)) > 1
    copies = any(all(transfer_of(rows[0])) for entry in series for rows in entry.sizes.values())
    largest = max(n for n in every if every.count(n) == max(map(every.count, every)))
    bars = sum(len(entry.sizes.get(largest, ())) for entry in series)
    rows = ([["time", "rate", "gain"], ["key"] * 3] if several else []) + [["bars", "bars", "copies" if copies else "bars"]]
    heights = ([4.2, 0.1 + 0.22 * -(-len(series) // columns_of(looks))] if several else []) + [max(2.4, 1.1 + 0.34 * bars)]
    figure = style.plt.figure(figsize=(14 if several or copies else 9, sum(heights) + 0.6), layout="constrained")
    panels = figure.subplot_mosaic(rows, height_ratios=heights)
    if several:
        draw_against_size(panels, series, base, looks)
    draw_bars(panels["bars"], series, largest, colours)
    if copies:
        draw_transfers(panels["copies"], series)
    machines = list(dict.fromkeys(entry.machine for entry in series))
    precisions = list(dict.fromkeys(entry.precision for entry in series))
    figure.suptitle(style.plain("; ".join(machines)) + (f", {precisions[0]}" if len(precisions) == 1 else ""), fontsize=11)
    return figure


def describe(series, base):
    """Returns the best rate of each kernel, its number of bodies, time and speed-up."""
    machine = None
    for entry in series:
        if entry.machine != machine:
            machine = entry.machine
            yield machine
        best = max((rows[0] for rows in entry.sizes.values()), key=lambda row: row[RATE])
        share, gain = best["percent_of_limit"], dict(speedups(entry, base)).get(best["bodies"])
        yield (f"  {entry.kernel:<16} {shown(best[RATE])} interactions/s at N = {best['bodies']}, {shown(1e3 * time_of(best))} ms, "
               f"{entry.precision}, {threads_in_words(entry.threads)}" +
               (f", {entry.memory}" if entry.memory not in ("", "device") else "") +
               (f", {share:.1f} % of the limit" if share is not None else "") +
               (f", {gain:.3g} times {base.kernel}" if gain is not None and entry is not base else ""))
        if len(entry.sizes[best["bodies"]]) > 1:
            yield f"    best shape: {best.get('shape')}"
    copies = [(transfer_of(row), row["bodies"]) for entry in series for rows in entry.sizes.values() for row in rows[:1]]
    (upload, download), bodies = max(copies, key=lambda copy: copy[1])
    if upload or download:
        yield f"  transfer at N = {bodies}: {shown(1e3 * upload)} ms to the device, {shown(1e3 * download)} ms back"


def run(options):
    series: list = []
    for path in map(Path, options.files):
        series += list(read_bench(path, {entry.machine for entry in series}))
    if not series:
        raise make_error(INPUT, f"{options.files[0]}: has no row of a kernel; give a file that apsis bench --json wrote")
    base = baseline_of(series)
    yield from describe(series, base)
    yield style.save(draw(series, base), options.output)
