# SPDX-License-Identifier: Apache-2.0
"""The bodies of snapshots, from above and from the side.

All frames have a common scale and kind of centre. The number of bodies outside a frame is written into it. A snapshot
is read twice, in pieces: the first pass takes a sample for centre and scale, the second makes the images.
"""
import io

import numpy as np

from . import output, style, units
from .light import draw_dark
from .problem import INPUT, Problem
from .snapshots import SPECIES, open_snapshot, snapshots_of
from .survey import VIEWS, described, images, kind_of_centre, middle_of, of_species, reach_of, survey, title_of

DOTS = 20_000  # bodies per frame that are drawn as separate dots


def look_of(kind, kinds):
    """Returns colour and strength of a species: a halo is grey if other species are drawn as well."""
    if len(kinds) == 1:
        return style.BLUE, 1.0
    return ("0.55", 0.5) if kind == 1 else (style.SPECIES[kind], 1.0)


def draw_light(frames, reach, about, kinds, columns=5):
    """Draws bodies from above and from the side, as dots or, for many bodies, as shades; a colour for each species."""
    columns = min(columns, len(frames))
    size = 2.6 if columns > 2 else 3.6  # inches
    bands = -(-len(frames) // columns)
    figure, grid = style.figure_with(2 * bands, columns, figsize=(size * columns + 1.2, 2.04 * size * bands + 0.6))
    order = sorted(kinds, key=lambda kind: kind != 1)  # the halo first, below everything else
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
    """Returns a frame for each snapshot with its `middle`, their common reach, and a description of the centre."""
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
    """Reduces colours to a palette: half the bytes, no visible difference."""
    from PIL import Image
    drawn = io.BytesIO()
    Image.open(path).convert("RGB").quantize(256).save(drawn, "PNG", optimize=True)
    output.write(path, drawn.getvalue())


def run(options):
    frames, reach, about = frames_of(snapshots_of(options.names), options.centre, options.reach, options.species)
    figure = draw(frames, reach, about, options.dark, options.ids)
    yield from describe(frames, reach, about)
    style.save(figure, options.output, dpi=100 if options.dark else 150)
    if options.dark and options.output.endswith(".png"):
        smaller(options.output)
    yield options.output
