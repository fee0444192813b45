#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what runs conserved: energy error, momentum error and virial ratio against time.

    analysis/plot_conservation.py RUN_DIRECTORY... [--output conservation.png]

Each directory is one that `apsis run` wrote; several are drawn into one figure.
"""
import argparse
import csv
import json
import math
import pathlib
import sys

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as missing:
    print(f"plot_conservation.py: error: {missing}; install python3-matplotlib", file=sys.stderr)
    sys.exit(69)


COLUMNS = ("time", "relative_energy_error", "momentum_x", "momentum_y", "momentum_z", "virial_ratio")


def fail(status, problem):
    print(f"plot_conservation.py: error: {problem}", file=sys.stderr)
    sys.exit(status)


def read_run(directory):
    """The columns of conservation.csv as lists of numbers, their units, and the deck's limits."""
    try:
        with open(directory / "conservation.csv", newline="") as stream:
            rows = list(csv.DictReader(stream))
        described = json.loads((directory / "conservation.csv-metadata.json").read_text())
        limits = json.loads((directory / "deck.resolved.json").read_text()).get("conservation", {})
        if not rows:
            fail(65, f"{directory}/conservation.csv: has no lines yet")
        log = {name: [float(row[name]) for row in rows] for name in COLUMNS}
        units = {column["name"]: column.get("schema:unitText", "") for column in described["tableSchema"]["columns"]}
    except OSError as error:
        fail(74, f"{error.filename}: cannot be read ({error.strerror}); give a directory that apsis run wrote")
    except (ValueError, KeyError, TypeError, AttributeError, csv.Error) as error:
        fail(65, f"{directory}: is not what apsis run writes ({error!r})")
    return log, units, limits


def with_unit(label, units):
    """`label [unit]` if all runs have the same unit."""
    return f"{label} [{units.pop()}]" if len(units) == 1 and "" not in units else label


def momentum_error(log):
    """|P - P0| at each time."""
    components = [log[f"momentum_{axis}"] for axis in "xyz"]
    return [math.dist(now, [c[0] for c in components]) for now in zip(*components)]


def positive(times, values):
    """What a logarithmic axis can show."""
    kept = [(t, v) for t, v in zip(times, values) if v > 0]
    return zip(*kept) if kept else ([], [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=pathlib.Path, metavar="RUN_DIRECTORY")
    parser.add_argument("--output", default="conservation.png")
    options = parser.parse_args()

    figure, (energy, momentum, virial) = plt.subplots(3, 1, sharex=True, figsize=(8, 9))
    time_units, momentum_units = set(), set()
    for run in options.runs:
        log, units, limits = read_run(run)
        time_units.add(units.get("time", ""))
        momentum_units.add(units.get("momentum_x", ""))
        line, = energy.plot(*positive(log["time"], log["relative_energy_error"]), label=run.name)
        momentum.plot(*positive(log["time"], momentum_error(log)), color=line.get_color())
        virial.plot(log["time"], log["virial_ratio"], color=line.get_color())
        for axes, key in ((energy, "max_relative_energy_error"), (momentum, "max_momentum_error")):
            if limits.get(key):
                axes.axhline(limits[key], color=line.get_color(), linestyle=":", linewidth=1)
    energy.set_ylabel("|E − E₀| / |E₀|")
    momentum.set_ylabel(with_unit("|P − P₀|", momentum_units))
    virial.set_ylabel("K / |W|")
    virial.set_xlabel(with_unit("time", time_units))
    for axes in (energy, momentum):
        axes.set_yscale("log")
    energy.set_title("Conservation (dotted: the deck's limits)")
    energy.legend()
    figure.tight_layout()
    try:
        figure.savefig(options.output, dpi=120)
    except (OSError, ValueError) as error:
        fail(74, f"{options.output}: cannot be written ({error})")
    print(options.output)


if __name__ == "__main__":
    main()
