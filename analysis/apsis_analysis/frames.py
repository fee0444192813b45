# SPDX-License-Identifier: Apache-2.0
"""The bodies of snapshots, from above and from the side.

All frames have one scale and one kind of centre. How many bodies lie outside a frame is written into it. A snapshot is
read in pieces, twice: what is kept is a sample for the centre and the scale, and images.
"""
from types import SimpleNamespace

import numpy as np

from . import style, units
from .centre import density_centre
from .problem import FILES, INPUT, Problem
from .snapshots import SPECIES, open_snapshot, snapshots_of

SAMPLE = 200_000  # bodies a frame that centre and scale are taken from
DOTS = 20_000     # bodies a frame that are drawn one by one
VIEWS = ((0, 1), (0, 2))  # the axes that are seen from above and from the side


def survey(pieces, count, wanted=None):
    """One pass over `count` bodies: a sample (`place`, `mass`, `species`), `total` mass, `mean` place, the heaviest
    body's `id`, `largest` mass and place, and `found`, the place of the body `wanted`."""
    step = -(-count // SAMPLE)
    seen = SimpleNamespace(count=count, total=0.0, largest=-1.0, heaviest=None, found=None, whole=step == 1)
    parts, moment, middle, first = [], 0.0, 0.0, 0
    for piece in pieces:
        rows = slice(-first % step, None, step)
        parts.append((piece.position[rows], piece.mass[rows], piece.species[rows]))
        seen.total += piece.mass.sum()
        moment = moment + piece.mass @ piece.position
        middle = middle + piece.position.sum(axis=0) / count
        top = int(np.argmax(piece.mass))
        if piece.mass[top] > seen.largest:
            seen.largest, seen.heaviest, seen.heaviest_place = piece.mass[top], piece.id[top], piece.position[top]
        here = piece.id == wanted if wanted is not None else ()
        if np.any(here):
            seen.found = piece.position[here][0]
        first += len(piece.mass)
    seen.place, seen.mass, seen.species = map(np.concatenate, zip(*parts))
    seen.mean = moment / seen.total if seen.total > 0 else middle
    return seen


def kind_of_centre(first):
    """The heaviest body if it has most of the mass, as a star among planets, or else the density centre."""
    return "heaviest" if first.largest > 0.5 * first.total and first.count > 1 else "density"


def middle_of(frame, word, first):
    """The point (3,) that a frame is centred on."""
    if word == "heaviest" and frame is first:
        return frame.heaviest_place
    if word == "heaviest" and frame.found is not None:
        return frame.found
    if word in ("density", "heaviest"):
        return density_centre(frame.place, frame.mass)
    return frame.mean if word == "mass" else np.zeros(3)


def described(word, first):
    return {"heaviest": f"body {first.heaviest}, the heaviest", "density": "the density centre",
            "mass": "the centre of mass", "origin": "the origin"}[word]


def reach_of(frames):
    """One scale for all: the radius that nearly all bodies of all times are inside of, all if they are few. A halo need
    not be inside where there is something else to see."""
    seen = [frame.place[frame.species != 1] if set(frame.species) - {1} else frame.place for frame in frames]
    distances = np.concatenate([np.linalg.norm(place - frame.middle, axis=1) for place, frame in zip(seen, frames)])
    return 1.1 * np.quantile(distances, 0.98 if len(distances) > 100 * len(frames) else 1.0) or 1.0


def images(pieces, middle, reach, groups, pixels, views=VIEWS):
    """How many bodies of each group are in each pixel, of shape (groups, views, pixels, pixels), how many bodies the
    groups have (groups,), and how many of them are outside of a view."""
    counts = np.zeros((len(groups), len(views), pixels * pixels))
    bodies, outside = np.zeros(len(groups), dtype=int), 0
    axes = sorted(set(sum(views, ())))
    for piece in pieces:
        place = piece.position - middle
        cell = np.floor((place + reach) * (pixels / (2 * reach)))
        np.clip(cell, -1, pixels, out=cell)
        chosen = [group(piece) for group in groups]
        inside = (np.abs(place[:, axes]) <= reach).all(axis=1)
        outside += int((np.any(chosen, axis=0) & ~inside).sum())
        for k, group in enumerate(chosen):
            bodies[k] += group.sum()
            for v, (across, up) in enumerate(views):
                seen = group & (np.abs(place[:, [across, up]]) < reach).all(axis=1)
                where = (cell[seen, up] * pixels + cell[seen, across]).astype(np.int64)
                counts[k, v] += np.bincount(where, minlength=pixels * pixels)
    return counts.reshape(len(groups), len(views), pixels, pixels), bodies, outside


def title_of(frame):
    """The time, and how many bodies the frame does not show."""
    return f"t = {frame.time:.6g}{units.spoken(frame.units['time'])}" + (f", {frame.outside} outside" if frame.outside else "")


def blurred(image, radius):
    """The image under a bell curve of this radius in pixels."""
    x = np.arange(-int(3 * radius), int(3 * radius) + 1)
    bell = np.exp(-0.5 * (x / radius) ** 2)
    for axis in (0, 1):
        image = np.apply_along_axis(np.convolve, axis, image, bell / bell.sum(), mode="same")
    return image


def light(image, bodies):
    """Surface density as light between 0 and about 1, the same scale in all frames."""
    image = image * (3e4 / max(1, bodies))
    return np.arcsinh(4 * blurred(image, 0.7) + 2 * blurred(image, 3.0)) / 4


def round_length(most):
    """The largest of 1, 2 and 5 times a power of ten that is not above it."""
    power = 10.0 ** np.floor(np.log10(most))
    return power * next(factor for factor in (5, 2, 1) if factor * power <= most)


def of_ids(first, last):
    return lambda piece: (piece.id >= first) & (piece.id < last)


def of_species(kind):
    return lambda piece: piece.species == kind


def draw_dark(frames, reach, ranges, kinds):
    """Light on black, from above; stars are warm, dark matter is cold, unless ranges of ids are asked for."""
    pixels, dpi = 340, 100
    figure, row = style.plt.subplots(1, len(frames), squeeze=False, facecolor="black", dpi=dpi,
                                     figsize=(len(frames) * pixels / dpi, pixels / dpi))
    figure.subplots_adjust(0, 0, 1, 1, wspace=0)
    colours = np.array([[1.0, 0.48, 0.17], [0.2, 0.5, 1.0], [0.4, 1.0, 0.45], [1.0, 0.35, 0.7]])
    groups = ([of_ids(*one) for one in ranges] if ranges else
              [of_species(kind) for kind in (2, 1, 4, 0, 3, 5) if kind in kinds])
    for axes, frame in zip(row[0], frames):
        image = np.zeros((pixels, pixels, 3))
        counts, bodies, frame.outside = images(frame.pieces(), frame.middle, reach, groups, pixels, VIEWS[:1])
        for k, count in enumerate(counts):
            shine = light(count[0], bodies[k])[:, :, None]
            image += shine * colours[k % 4] + 0.5 * np.maximum(shine - 0.6, 0)  # white where dense
        axes.imshow(1 - np.exp(-1.8 * image), origin="lower", interpolation="none")
        axes.text(0.04, 0.05, title_of(frame), color="0.75", fontsize=9, transform=axes.transAxes)
        axes.set_axis_off()
    bar = round_length(0.5 * reach)
    last = row[0][-1]
    x1 = 0.95 * pixels
    x0 = x1 - bar / reach * pixels / 2
    last.plot([x0, x1], [0.06 * pixels] * 2, color="0.75", linewidth=1, scalex=False, scaley=False)
    last.text((x0 + x1) / 2, 0.08 * pixels, f"{bar:g}{units.spoken(frames[0].units['length'])}", color="0.75", fontsize=9,
              ha="center")
    return figure


def look_of(kind, kinds):
    """Colour and strength of a species: a halo is a grey ground where there is something else to see."""
    if len(kinds) == 1:
        return style.BLUE, 1.0
    return ("0.55", 0.5) if kind == 1 else (style.SPECIES[kind], 1.0)


def draw_light(frames, reach, about, kinds, columns=5):
    """From above and from the side, dots or, of many bodies, shades; a colour for each species."""
    columns = min(columns, len(frames))
    size = 2.6 if columns > 2 else 3.6  # inches
    bands = -(-len(frames) // columns)
    figure, grid = style.figure_with(2 * bands, columns, figsize=(size * columns + 1.2, 2.04 * size * bands + 0.6))
    order = sorted(kinds, key=lambda kind: kind != 1)  # the halo first, under all else
    groups = [of_species(kind) for kind in order]
    many = max(frame.count for frame in frames) > DOTS
    pictures = []
    for frame in frames:
        counts, _, frame.outside = images(frame.pieces(), frame.middle, reach, groups, 240 if many else 1)
        pictures.append(counts)
    for index in range(columns * bands):
        pair = grid[2 * (index // columns):2 * (index // columns) + 2, index % columns]
        if index >= len(frames):
            for axes in pair:
                axes.set_axis_off()
            continue
        frame = frames[index]
        for view, (axes, (across, up)) in enumerate(zip(pair, VIEWS)):
            for k, kind in enumerate(order):
                colour, strength = look_of(kind, kinds)
                if many:
                    lit = np.concatenate([counts[k, view][counts[k, view] > 0] for counts in pictures] or [[1.0]])
                    full = max(1.0, np.quantile(lit, 0.99)) if len(lit) else 1.0
                    shade = np.clip(np.log1p(50 * pictures[index][k, view] / full) / np.log(51), 0, 1)
                    image = np.ones(shade.shape + (4,)) * style.matplotlib.colors.to_rgba(colour)
                    image[..., 3] = strength * shade
                    axes.imshow(image, origin="lower", extent=(-reach, reach, -reach, reach), interpolation="none", zorder=1)
                else:
                    chosen = (frame.place - frame.middle)[frame.species == kind]
                    axes.scatter(chosen[:, across], chosen[:, up], s=np.clip(2e4 / max(1, frame.count), 0.05, 14),
                                 color=colour, alpha=0.9 * strength if frame.count < 100 else 0.6 * strength,
                                 linewidths=0, rasterized=True)
            axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
            if index % columns == 0:
                axes.set_ylabel(units.label("xyz"[up], frame.units["length"] or "length", frame.system))
            else:
                axes.set_yticklabels([])
            if view == 1:
                axes.set_xlabel(units.label("x", frame.units["length"] or "length", frame.system))
            else:
                axes.set_xticklabels([])
        pair[0].set_title(title_of(frame), fontsize=10)
    count = f"{frames[0].count:,}".replace(",", "\u2009")
    named = " of " + " and ".join(SPECIES[kind] for kind in order[::-1]) if len(order) > 1 else ""
    alike = len({frame.count for frame in frames}) == 1
    bodies = f"{count} {'body' if frames[0].count == 1 else 'bodies'}" if alike else "Bodies"
    figure.suptitle(f"{bodies}{named}, about {about}", fontsize=11)
    if len(order) > 1:
        marks = [style.plt.Line2D([], [], color=look_of(kind, kinds)[0], marker="o", linestyle="") for kind in order[::-1]]
        grid[0, -1 if len(frames) >= columns else 0].legend(marks, [SPECIES[kind] for kind in order[::-1]], fontsize=8,
                                                            loc="upper right", handletextpad=0.2, frameon=True)
    return figure


def frames_of(files, centre=None, reach=None, species=None):
    """A frame for each snapshot with its `middle`; their common reach; in words what they are centred on."""
    frames, wanted = [], None
    for path in files:
        snapshot = open_snapshot(path)
        frame = survey(snapshot.pieces("position", "mass", "id"), snapshot.count, wanted)
        frame.path, frame.time, frame.units, frame.system = snapshot.path, snapshot.time, snapshot.units, snapshot.system
        frame.kinds = {kind for kind, count in snapshot.species.items() if count}
        frame.pieces = lambda snapshot=snapshot: snapshot.pieces("position", "id", species=species)
        wanted = frame.heaviest if wanted is None else wanted
        frames.append(frame)
    word = centre or kind_of_centre(frames[0])
    for frame in frames:
        frame.middle = middle_of(frame, word, frames[0])
        if species:
            shown = np.isin(frame.species, [SPECIES.index(name) for name in species])
            if not shown.any():
                there = ", ".join(SPECIES[kind] for kind in sorted(frame.kinds))
                raise Problem(INPUT, f"{frame.path}: has no bodies of {' or '.join(species)}; choose among {there}")
            frame.place, frame.species = frame.place[shown], frame.species[shown]
            frame.kinds = {SPECIES.index(name) for name in species} & frame.kinds
    return frames, reach or reach_of(frames), described(word, frames[0])


def draw(frames, reach, about, dark=False, ranges=None):
    kinds = set().union(*(frame.kinds for frame in frames))
    return draw_dark(frames, reach, ranges, kinds) if dark else draw_light(frames, reach, about, kinds)


def describe(frames, reach, about):
    length = units.spoken(frames[0].units["length"])
    for frame in frames:
        yield (f"{frame.path}: t = {frame.time!r}{units.spoken(frame.units['time'])}, {frame.count} bodies, "
               f"{frame.outside} outside, centre {' '.join(repr(float(x)) for x in frame.middle)}{length}")
    yield f"about {about}; reach {float(reach):.6g}{length}"


def smaller(path):
    """Half the bytes, no difference to the eye."""
    from PIL import Image
    try:
        Image.open(path).convert("RGB").quantize(256).save(path, optimize=True)
    except OSError as error:
        raise Problem(FILES, f"{path}: cannot be written ({error}); choose another --output") from error


def run(options):
    frames, reach, about = frames_of(snapshots_of(options.names), options.centre, options.reach, options.species)
    figure = draw(frames, reach, about, options.dark, options.ids)
    yield from describe(frames, reach, about)
    style.save(figure, options.output, dpi=100 if options.dark else 150)
    if options.dark and options.output.endswith(".png"):
        smaller(options.output)
    yield options.output
