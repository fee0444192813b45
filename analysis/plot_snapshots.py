#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the bodies of snapshots, from above and from the side.

    analysis/plot_snapshots.py RUN|FILE... [--centre WORD] [--reach R] [--dark [--ids A:B ...]] [-o FILE]

All frames have one scale and one kind of centre. Without --centre that is the heaviest body if it has most of the mass,
as a star among planets, or else the density centre. How many bodies lie outside a frame is written into it.
With --dark the frames show light on black, from above, each species, or range of ids (A to B - 1), in a colour
of its own.
"""
import argparse
import sys
from types import SimpleNamespace
from pathlib import Path


# Of species in the order of PartType0 to 5: gas, dark, disk, bulge, stars, other.
COLOURS = ["#2a9d8f", "#1f4e79", "#d95f02", "#7b3294", "#c9a227", "#444444"]


def fail(status, message):
    print(f"plot_snapshots: error: {message}", file=sys.stderr)
    sys.exit(status)


def files_of(names):
    """Each snapshot that is named, and of a run's directory at most nine, evenly apart."""
    files = []
    for name in map(Path, names):
        if not name.exists():
            fail(74, f"{name}: is not there; give a run's directory or a snapshot")
        if not name.is_dir():
            files.append(name)
            continue
        found = sorted(name.glob("snapshot_*.h5"))
        if not found:
            fail(65, f"{name}: holds no snapshots; set output.snapshot_interval in the deck")
        most = min(9, len(found))
        files += [found[round(i * (len(found) - 1) / max(1, most - 1))] for i in range(most)]
    return files


UNITS = {"length": {"m": 1e2, "km": 1e5, "au": 1.495978707e13, "pc": 3.0856775814913673e18, "kpc": 3.0856775814913673e21},
         "time": {"s": 1.0, "d": 86400.0, "yr": 31557600.0, "Myr": 3.15576e13, "Gyr": 3.15576e16}}


def unit_of(file, kind):
    """The unit's name with a space before it; nothing if the numbers have none."""
    if not file["Apsis"].attrs.get("UnitsAreKnown", 1) if "Apsis" in file else "Units" not in file:
        return ""
    keys = {"length": ("UnitLength_in_cm", "Unit length in cgs (U_L)"), "time": ("UnitTime_in_s", "Unit time in cgs (U_t)")}
    for key in keys[kind]:
        for place in (file.get("Units"), file.get("Parameters")):
            if place is not None and key in place.attrs:
                value = float(np.ravel(place.attrs[key])[0])
                near = [name for name, cgs in UNITS[kind].items() if abs(value / cgs - 1) < 1e-4]
                return " " + (near[0] if near else f"({value:.6g} {'cm' if kind == 'length' else 's'})")
    return ""


def read(path):
    """Places, masses, ids, species, time and units."""
    try:
        with h5py.File(path, "r") as file:
            kinds = sorted(name for name in file if name.startswith("PartType"))
            table = dict(zip(range(9), np.ravel(file["Header"].attrs.get("MassTable", []))))
            masses = [file[kind]["Masses"][:] if "Masses" in file[kind] else
                      np.full(len(file[kind]["ParticleIDs"]), table.get(int(kind[8:]), 0)) for kind in kinds]
            place, ids = (np.concatenate([file[kind][column][:] for kind in kinds])
                          for column in ("Coordinates", "ParticleIDs"))
            species = np.concatenate([np.full(len(file[kind]["ParticleIDs"]), int(kind[8:])) for kind in kinds])
            return SimpleNamespace(place=place, mass=np.concatenate(masses), ids=ids, species=species,
                                   time=float(np.ravel(file["Header"].attrs["Time"])[0]),
                                   length=unit_of(file, "length"), clock=unit_of(file, "time"))
    except (OSError, KeyError, ValueError) as error:
        fail(65 if path.exists() else 74, f"{path}: cannot be read as a snapshot ({error})")


def id_range(text):
    """A:B as two numbers."""
    first, last = map(int, text.split(":"))
    return first, last


def density_centre(place, mass, most=3000):
    """The mean place, weighted with the density about each body (Casertano & Hut 1985, ApJ 298, 80): it moves
    as smoothly as the bodies do. Of many bodies every so-manieth is asked."""
    step = -(-len(place) // most)
    place, mass = place[::step], mass[::step]
    if len(place) < 7:
        return np.average(place, axis=0, weights=mass if mass.sum() > 0 else None)
    density = np.empty(len(place))
    for first in range(0, len(place), 500):
        apart = ((place[first:first + 500, None] - place[None]) ** 2).sum(axis=2)
        near = np.argpartition(apart, 6, axis=1)[:, :7]  # six neighbours and the body itself
        sixth = np.take_along_axis(apart, near, axis=1).max(axis=1)
        density[first:first + 500] = (mass[near].sum(axis=1) + 1e-300) / np.maximum(sixth, 1e-300) ** 1.5
    return np.average(place, axis=0, weights=density / density.max())


def centred(frames, word):
    """Moves each frame's bodies about its centre; says in words what that is, the same for all frames."""
    filled = [frame for frame in frames if len(frame.place)]
    if not filled:
        return "the origin"
    first = filled[0]
    if word is None:
        word = "heaviest" if first.mass.max() > 0.5 * first.mass.sum() and len(first.mass) > 1 else "density"
    heaviest = first.ids[np.argmax(first.mass)]
    for frame in filled:
        if word == "heaviest" and heaviest in frame.ids:
            frame.place = frame.place - frame.place[frame.ids == heaviest][0]
        elif word == "density" or word == "heaviest":
            frame.place = frame.place - density_centre(frame.place, frame.mass)
        elif word == "mass":
            weights = frame.mass if frame.mass.sum() > 0 else None
            frame.place = frame.place - np.average(frame.place, axis=0, weights=weights)
    return {"heaviest": f"body {heaviest}, the heaviest", "density": "the density centre",
            "mass": "the centre of mass", "origin": "the origin"}[word]


def reach_of(frames):
    """One scale for all: the radius that nearly all bodies of all times are inside of, all if they are few."""
    distances = np.concatenate([np.linalg.norm(f.place, axis=1) for f in frames if len(f.place)] or [np.ones(1)])
    return 1.1 * np.quantile(distances, 0.98 if len(distances) > 100 * len(frames) else 1.0) or 1.0


def title_of(frame, place, reach, axes=(0, 1)):
    """The time, and how many bodies the frame does not show."""
    outside = int((~(np.abs(place[:, axes]) <= reach).all(axis=1)).sum())
    return f"t = {frame.time:.6g}{frame.clock}" + (f", {outside} outside" if outside else "")


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


def draw_dark(frames, reach, ranges):
    pixels, dpi = 340, 100
    figure, row = plt.subplots(1, len(frames), squeeze=False, facecolor="black", dpi=dpi,
                               figsize=(len(frames) * pixels / dpi, pixels / dpi))
    figure.subplots_adjust(0, 0, 1, 1, wspace=0)
    colours = np.array([[1.0, 0.48, 0.17], [0.2, 0.5, 1.0], [0.4, 1.0, 0.45], [1.0, 0.35, 0.7]])
    for axes, frame in zip(row[0], frames):
        image = np.zeros((pixels, pixels, 3))
        ids, species = frame.ids, frame.species
        # Stars are warm, dark matter is cold, unless ranges of ids are asked for.
        groups = ([(ids >= first) & (ids < last) for first, last in ranges] if ranges else
                  [species == kind for kind in (2, 1, 4, 0, 3, 5)] if len(set(species)) > 1 else
                  [np.full(len(ids), True)])
        for k, group in enumerate(groups):
            chosen = frame.place[group]
            shine = light(chosen, reach, pixels, len(chosen))[:, :, None]
            image += shine * colours[k % 4] + 0.5 * np.maximum(shine - 0.6, 0)  # white where dense
        axes.imshow(1 - np.exp(-1.8 * image), origin="lower", interpolation="none")
        shown = np.any(groups, axis=0)
        axes.text(0.04, 0.05, title_of(frame, frame.place[shown], reach), color="0.75", fontsize=9,
                  transform=axes.transAxes)
        axes.set_axis_off()
    bar = 10.0 ** np.floor(np.log10(0.5 * reach))  # how long a length is
    bar *= next(factor for factor in (5, 2, 1) if factor * bar <= 0.5 * reach)
    last = row[0][-1]
    x1 = 0.95 * pixels
    x0 = x1 - bar / reach * pixels / 2
    last.plot([x0, x1], [0.06 * pixels] * 2, color="0.75", linewidth=1, scalex=False, scaley=False)
    last.text((x0 + x1) / 2, 0.08 * pixels, f"{bar:g}{frames[0].length}", color="0.75", fontsize=9, ha="center")
    return figure


def draw_light(frames, reach, about):
    figure, rows = plt.subplots(2, len(frames), squeeze=False, sharex=True, sharey="row",
                                figsize=(2.6 * len(frames) + 1, 5.6), layout="constrained")
    length = f" [{frames[0].length.strip()}]" if frames[0].length else ""
    for column, frame in enumerate(frames):
        place = frame.place
        size = np.clip(2e4 / max(1, len(place)), 0.05, 12)
        for row, (axis, name) in enumerate(((1, "y"), (2, "z"))):
            axes = rows[row][column]
            for kind in sorted(set(frame.species)):
                chosen = place[frame.species == kind]
                axes.scatter(chosen[:, 0], chosen[:, axis], s=size,
                             color=COLOURS[kind % len(COLOURS)] if len(set(frame.species)) > 1 else COLOURS[1],
                             alpha=0.5, linewidths=0, rasterized=True)
            axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
            if column == 0:
                axes.set_ylabel(name + length)
            if row == 1:
                axes.set_xlabel("x" + length)
        rows[0][column].set_title(title_of(frame, place, reach, (0, 1, 2)), fontsize=10)
    figure.suptitle(f"{len(frames[0].place)} bodies about {about}", fontsize=11)
    return figure


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("name", nargs="+", help="a run's directory or a snapshot")
    options.add_argument("--centre", choices=["density", "heaviest", "mass", "origin"],
                         help="middle of every frame: density centre, heaviest body, centre of mass or origin")
    options.add_argument("--reach", type=float, help="half the width of a frame [length]")
    options.add_argument("--dark", action="store_true", help="light on black, from above")
    options.add_argument("--ids", nargs="+", type=id_range, metavar="A:B",
                         help="with --dark: ranges of ids, each in a colour of its own")
    options.add_argument("-o", "--output", default="snapshots.png", help="picture to write")
    chosen = options.parse_args()
    if chosen.reach is not None and not 0 < chosen.reach < 1e300:
        fail(64, f"--reach {chosen.reach}: must be a length above 0")
    frames = [read(path) for path in files_of(chosen.name)]
    about = centred(frames, chosen.centre)
    reach = chosen.reach or reach_of(frames)
    figure = draw_dark(frames, reach, chosen.ids) if chosen.dark else draw_light(frames, reach, about)
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
