#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the bodies of snapshots, from above and from the side.

    analysis/plot_snapshots.py RUN|FILE... [--dark [--ids A:B ...] [--reach R]] [-o FILE]

With --dark the frames show light on black, from above, each range of ids (A to B - 1) in a colour of its own.
"""
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
    """Positions, ids and time."""
    try:
        with h5py.File(path, "r") as file:
            kinds = sorted(name for name in file if name.startswith("PartType"))
            place, ids = (np.concatenate([file[kind][column][:] for kind in kinds])
                          for column in ("Coordinates", "ParticleIDs"))
            return place, ids, float(np.ravel(file["Header"].attrs["Time"])[0])
    except (OSError, KeyError, ValueError) as error:
        fail(65, f"{path}: cannot be read as a snapshot ({error})")


def id_range(text):
    """A:B as two numbers."""
    first, last = map(int, text.split(":"))
    return first, last


def reach_of(read_ones):
    """One scale for all: the radius that nearly all bodies of all times are inside of."""
    distances = np.concatenate([np.linalg.norm(p - np.median(p, axis=0), axis=1)
                                for p, _, _ in read_ones if len(p)] or [np.ones(1)])
    return 1.1 * np.quantile(distances, 0.98) or 1.0


def blurred(image, radius):
    """The image under a bell curve of this radius in pixels."""
    x = np.arange(-int(3 * radius), int(3 * radius) + 1)
    bell = np.exp(-0.5 * (x / radius) ** 2)
    for axis in (0, 1):
        image = np.apply_along_axis(np.convolve, axis, image, bell / bell.sum(), mode="same")
    return image


def light(place, reach, pixels, bodies):
    """Surface density from above as light between 0 and about 1, the same scale in all frames."""
    image = np.histogram2d(place[:, 1], place[:, 0], bins=pixels, range=[[-reach, reach]] * 2)[0]
    image *= 3e4 / max(1, bodies)
    return np.arcsinh(4 * blurred(image, 0.7) + 2 * blurred(image, 3.0)) / 4


def draw_dark(read_ones, reach, ranges):
    pixels, dpi = 340, 100
    figure, row = plt.subplots(1, len(read_ones), squeeze=False, facecolor="black", dpi=dpi,
                               figsize=(len(read_ones) * pixels / dpi, pixels / dpi))
    figure.subplots_adjust(0, 0, 1, 1, wspace=0)
    colours = np.array([[1.0, 0.48, 0.17], [0.2, 0.5, 1.0], [0.4, 1.0, 0.45], [1.0, 0.35, 0.7]])
    for axes, (place, ids, time) in zip(row[0], read_ones):
        image = np.zeros((pixels, pixels, 3))
        place = place - (np.median(place, axis=0) if len(place) else 0)
        for k, (first, last) in enumerate(ranges or [(0, 1 << 62)]):
            chosen = place[(ids >= first) & (ids < last)]
            shine = light(chosen, reach, pixels, len(chosen))[:, :, None]
            image += shine * colours[k % 4] + 0.5 * np.maximum(shine - 0.6, 0)  # white where dense
        axes.imshow(1 - np.exp(-1.8 * image), origin="lower", interpolation="none")
        axes.text(0.04, 0.05, f"t = {time:.6g}", color="0.75", fontsize=9, transform=axes.transAxes)
        axes.set_axis_off()
    return figure


def draw_light(read_ones, reach):
    figure, rows = plt.subplots(2, len(read_ones), squeeze=False, sharex=True, sharey="row",
                                figsize=(2.6 * len(read_ones) + 1, 5.6), layout="constrained")
    for column, (place, _, time) in enumerate(read_ones):
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
    return figure


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("name", nargs="+", help="a run's directory or a snapshot")
    options.add_argument("--dark", action="store_true", help="light on black, from above")
    options.add_argument("--ids", nargs="+", type=id_range, metavar="A:B",
                         help="with --dark: ranges of ids, each in a colour of its own")
    options.add_argument("--reach", type=float, help="half the width of a frame [length]")
    options.add_argument("-o", "--output", default="snapshots.png", help="picture to write")
    chosen = options.parse_args()
    read_ones = [read(path) for path in files_of(chosen.name)]
    reach = chosen.reach or reach_of(read_ones)
    figure = draw_dark(read_ones, reach, chosen.ids) if chosen.dark else draw_light(read_ones, reach)
    try:
        figure.savefig(chosen.output, dpi=100 if chosen.dark else 150)
        if chosen.dark:  # half the bytes, no difference to the eye
            Image.open(chosen.output).convert("RGB").quantize(256).save(chosen.output, optimize=True)
    except (OSError, ValueError) as error:
        fail(74, f"{chosen.output}: cannot be written ({error})")
    print(chosen.output)


try:
    import h5py
    import matplotlib
    import numpy as np
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from PIL import Image
except ImportError as error:
    fail(69, f"{error}; install python3-h5py and python3-matplotlib")
if __name__ == "__main__":
    main()
