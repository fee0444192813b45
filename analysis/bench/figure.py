# SPDX-License-Identifier: Apache-2.0
"""Figure of `apsis-analysis bench`: time, rate and speed-up against N, bars, and transfers."""
from matplotlib import ticker

from .. import style
from .rows import RATE, speedups, threads_in_words, time_of, transfer_of

MARKS = {"single": "o", "mixed": "D", "double": "s"}
KERNELS = style.BODIES  # a colour for each kernel


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
