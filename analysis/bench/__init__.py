# SPDX-License-Identifier: Apache-2.0
"""Results of `apsis bench --json`: time, rate and speed-up against N, bars of kernels and tile shapes, and transfers.

Each file is one machine; several are drawn into one figure. Colour shows the kernel, the dash pattern machine, memory and
threads, and the marker the precision.
"""
from pathlib import Path

from .. import style
from .figure import draw
from .rows import RATE, baseline_of, read_bench, speedups, threads_in_words, time_of, transfer_of
from ..digits import shown
from ...errors import INPUT, make_error


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
