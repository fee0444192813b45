#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the bodies of snapshots from the side and from above: plot_snapshots.py RUN|FILE... [-o FILE]"""
import argparse
import sys
from pathlib import Path


def fail(status, message):
    print(f"plot_snapshots: error: {message}", file=sys.stderr)
    sys.exit(status)


def files_of(names):
    """Each snapshot that is named, and of a run's directory at most nine, evenly apart."""
    files = []
    for name in map(Path, names):
        if not name.is_dir():
            files.append(name)
            continue
        found = sorted(name.glob("snapshot_*.h5"))
        if not found:
            fail(65, f"{name}: holds no snapshots; set output.snapshot_interval in the deck")
        most = min(9, len(found))
        files += [found[round(i * (len(found) - 1) / max(1, most - 1))] for i in range(most)]
    return files


def read(path):
    """Positions and time."""
    try:
        with h5py.File(path, "r") as file:
            kinds = sorted(name for name in file if name.startswith("PartType"))
            place = np.concatenate([file[kind]["Coordinates"][:] for kind in kinds])
            return place, float(np.ravel(file["Header"].attrs["Time"])[0])
    except (OSError, KeyError, ValueError) as error:
        fail(65, f"{path}: cannot be read as a snapshot ({error})")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("name", nargs="+", help="a run's directory or a snapshot")
    options.add_argument("-o", "--output", default="snapshots.png", help="picture to write")
    chosen = options.parse_args()
    read_ones = [read(path) for path in files_of(chosen.name)]
    # One scale for all: the radius that nearly all bodies of all times are inside of.
    distances = np.concatenate([np.linalg.norm(p - np.median(p, axis=0), axis=1)
                                for p, _ in read_ones if len(p)] or [np.ones(1)])
    reach = 1.1 * np.quantile(distances, 0.98) or 1.0
    figure, rows = plt.subplots(2, len(read_ones), squeeze=False, sharex=True, sharey="row",
                                figsize=(2.6 * len(read_ones) + 1, 5.6), layout="constrained")
    for column, (place, time) in enumerate(read_ones):
        centre = np.median(place, axis=0) if len(place) else np.zeros(3)
        size = np.clip(2e4 / max(1, len(place)), 0.05, 12)
        for row, (axis, name) in enumerate(((1, "y"), (2, "z"))):
            axes = rows[row][column]
            axes.scatter(place[:, 0] - centre[0], place[:, axis] - centre[axis], s=size,
                         color="#1f4e79", alpha=0.5, linewidths=0, rasterized=True)
            axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
            if column == 0:
                axes.set_ylabel(name)
            if row == 1:
                axes.set_xlabel("x")
        rows[0][column].set_title(f"t = {time:.6g}", fontsize=10)
    figure.suptitle(f"{len(read_ones[0][0])} bodies, about their median", fontsize=11)
    try:
        figure.savefig(chosen.output, dpi=150)
    except (OSError, ValueError) as error:
        fail(74, f"{chosen.output}: cannot be written ({error})")
    print(chosen.output)


try:
    import h5py
    import matplotlib
    import numpy as np
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as error:
    fail(69, f"{error}; install python3-h5py and python3-matplotlib")
if __name__ == "__main__":
    main()
