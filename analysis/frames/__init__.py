# SPDX-License-Identifier: Apache-2.0
"""The bodies of snapshots, from above and from the side.

All frames have a common scale and kind of centre. The number of bodies outside a frame is written into it. A snapshot
is read twice, in pieces: the first pass takes a sample for centre and scale, the second makes the images.
"""
import io

import numpy as np

from .. import style
from ... import files, units
from ..digits import shown
from ..groups import groups_of
from .looks import draw_dark, looks_of
from ..polar import WIDE, LogarithmicDistance, distances_of
from ...errors import INPUT, make_error
from ...bodies import SPECIES
from ...snapshots import open_snapshot, snapshots_of
from .survey import VIEWS, described, images, kind_of_centre, middle_of, reach_of, survey as survey_of, title_of

DOTS = 20_000  # bodies per frame that are drawn as separate dots
FEW = 50       # bodies about a heavy one whose distances may be drawn on a logarithmic scale


def draw_dots(axes, frame, look, view, distance):
    """Draws the bodies of a group as dots."""
    across, up = VIEWS[view]
    place = (frame.place - frame.middle)[look.has(frame)]
    if distance is not None:
        place = distance(place)
        if view == 1:  # each body is turned about z into the plane of the picture, so that it lies on the ring of its distance
            place[:, 0] = np.copysign(np.hypot(place[:, 0], place[:, 1]), place[:, 0])
    size = 22 if distance is not None else np.clip(2e4 / max(1, frame.count), 0.05, 14)
    axes.scatter(place[:, across], place[:, up], s=size, color=look.colour, linewidths=0, rasterized=True, zorder=2,
                 alpha=0.9 * look.strength if frame.count < 100 else 0.6 * look.strength)


def draw_shades(axes, counts, full, look, reach):
    """Draws the numbers of bodies in pixels (pixels, pixels) as shades of a colour."""
    shade = np.clip(np.log1p(50 * counts / full) / np.log(51), 0, 1)
    image = np.ones(shade.shape + (4,)) * style.matplotlib.colors.to_rgba(look.colour)
    image[..., 3] = look.strength * shade
    axes.imshow(image, origin="lower", extent=(-reach, reach, -reach, reach), interpolation="none", zorder=1)


def full_shade(pictures, k, view):
    """Returns the number of bodies in a pixel that is drawn in the full colour."""
    lit = np.concatenate([counts[k, view][counts[k, view] > 0] for counts in pictures])
    return max(1.0, np.quantile(lit, 0.99)) if len(lit) else 1.0


def label_frame(pair, frame, reach, distance, is_left):
    """Labels the views of a frame from above and from the side."""
    for axes, (_, up) in zip(pair, VIEWS):
        if distance is not None:
            distance.draw(axes, frame.units.length, frame.system, names=axes is pair[0])
            axes.set(xlabel="", ylabel=("from above" if up == 1 else "from the side, turned about z") if is_left else "")
            continue
        axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
        for axis in (axes.xaxis, axes.yaxis):  # no label at a corner, where two frames meet
            axis.set_major_locator(style.matplotlib.ticker.MaxNLocator(4, steps=[1, 2, 5, 10], prune="both"))
        for spine in axes.spines.values():
            spine.set(visible=True, color="0.6")
        if is_left:
            axes.set_ylabel(units.label("xyz"[up], frame.units.length or "length", frame.system))
        axes.tick_params(labelleft=is_left, labelbottom=axes is pair[1], color="0.6")
    if distance is None:
        pair[1].set_xlabel(units.label("x", frame.units.length or "length", frame.system))


def caption_of(frames, looks, about, distance):
    count = f"{frames[0].count:,}".replace(",", "\u2009")
    names = [look.name for look in looks]
    named = f" of {', '.join(names[:-1])} and {names[-1]}" if 1 < len(names) <= 4 and not looks[0].is_body else ""
    alike = len({frame.count for frame in frames}) == 1
    bodies = f"{count} {'body' if frames[0].count == 1 else 'bodies'}" if alike else "Bodies"
    unit = units.spoken(frames[0].units.length)
    return f"{bodies}{named}, about {style.plain(about)}" + (
        f"; rings: distances{f' in{unit}' if unit else ''}, logarithmic" if distance else "")


def draw_light(frames, reach, about, looks, distance=None, columns=5):
    """Draws bodies from above and from the side, as dots or, for many bodies, as shades; a colour for each group."""
    columns = min(columns, len(frames))
    size = 2.6 if columns > 2 else 3.6  # inches
    bands = -(-len(frames) // columns)
    figure, grid = style.figure_with(2 * bands, columns, layout="compressed", figsize=(size * columns + 1.2, 2.04 * size * bands + 0.6))
    figure.get_layout_engine().set(wspace=0.05, hspace=0.04)
    many = max(frame.count for frame in frames) > DOTS and distance is None
    groups = [look.has for look in looks]
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
        for view, axes in enumerate(pair):
            for k, look in enumerate(looks):
                if many:
                    draw_shades(axes, pictures[index][k, view], full_shade(pictures, k, view), look, reach)
                else:
                    draw_dots(axes, frames[index], look, view, distance)
        label_frame(pair, frames[index], reach, distance, index % columns == 0)
        pair[0].set_title(title_of(frames[index]), fontsize=10)
    figure.suptitle(caption_of(frames, looks, about, distance), fontsize=11)
    if len(looks) > 1:
        marks = [style.plt.Line2D([], [], color=look.colour, marker="o", linestyle="") for look in looks]
        corner = grid[-2, -1]
        place = (dict(loc="lower left", bbox_to_anchor=(1.0, 0.0)) if len(frames) == columns * bands else
                 dict(loc="upper left"))  # in the empty frame
        corner.legend(marks, [style.plain(look.name) for look in looks], handletextpad=0.2, **place)
    return figure


def frames_of(files, centre=None, reach=None, species=None, each=None):
    """Returns a frame for each snapshot with its `middle`, their common reach, and a description of the centre. Frames have
    `groups`, the parts or species that have a colour, [] for the species and the names that are there."""
    frames, wanted = [], None
    for path in files:
        snapshot = open_snapshot(path)
        frame = survey_of(snapshot.pieces("position", "mass", "id"), snapshot.count, wanted)
        frame.path, frame.time, frame.units, frame.system = snapshot.path, snapshot.time, snapshot.units, snapshot.system
        frame.kinds = {kind for kind, count in snapshot.counts.items() if count}
        frame.names = snapshot.names
        groups = groups_of(snapshot, each, species, least=1 if each else 16)
        frame.groups = groups if len(groups) > 1 and groups[0].ids else []
        frame.has_parts = bool(frame.groups)
        frame.pieces = lambda snapshot=snapshot: snapshot.pieces("position", "id", species=species)
        wanted = frame.heaviest if wanted is None else wanted
        frames.append(frame)
    word = centre or kind_of_centre(frames[0])
    for frame in frames:
        frame.middle = middle_of(frame, word, frames[0])
        if species:
            shown_bodies = np.isin(frame.species, [SPECIES.index(name) for name in species])
            if not shown_bodies.any():
                there = ", ".join(SPECIES[kind] for kind in sorted(frame.kinds))
                raise make_error(INPUT, f"{frame.path}: has no bodies of {' or '.join(species)}; choose among {there}")
            frame.place, frame.species, frame.id = (values[shown_bodies] for values in (frame.place, frame.species, frame.id))
            frame.kinds = {SPECIES.index(name) for name in species} & frame.kinds
    return frames, reach or reach_of(frames), described(word, frames[0])


def distance_of(frames, about, reach_given, logarithmic):
    """Returns the logarithmic scale of distances of few bodies about a heavy one; None if a linear scale shows them."""
    smallest, largest = distances_of([frame.place[row:row + 1] - frame.middle for frame in frames[:1]
                                      for row in range(min(frame.count, FEW))])
    is_star = "heaviest" in about and frames[0].count <= FEW and not reach_given
    if not smallest or not (logarithmic or (is_star and largest > WIDE * smallest)):
        return None
    return LogarithmicDistance(smallest, max(np.linalg.norm(frame.place - frame.middle, axis=1).max() for frame in frames))


def draw(frames, reach, about, dark=False, ranges=None, distance=None):
    if dark:
        return draw_dark(frames, reach, ranges, set().union(*(frame.kinds for frame in frames)))
    return draw_light(frames, reach, about, looks_of(frames), distance)


def describe(frames, reach, about):
    length = units.spoken(frames[0].units.length)
    for frame in frames:
        yield (f"{frame.path}: t = {shown(frame.time)}{units.spoken(frame.units.time)}, {frame.count} bodies, "
               f"{frame.outside} outside, centre {' '.join(shown(x) for x in frame.middle)}{length}")
    yield f"about {about}; reach {float(reach):.6g}{length}"


def smaller(path):
    """Reduces colours to a palette: half the bytes, no visible difference."""
    from PIL import Image
    drawn = io.BytesIO()
    Image.open(path).convert("RGB").quantize(256).save(drawn, "PNG", optimize=True)
    files.write(path, drawn.getvalue(), style.OTHER_OUTPUT)


def run(options):
    frames, reach, about = frames_of(snapshots_of(options.names), options.centre, options.reach, options.species, options.each)
    distance = distance_of(frames, about, options.reach, options.logarithmic)
    figure = draw(frames, reach, about, options.dark, options.ids, distance)
    yield from describe(frames, reach, about)
    style.save(figure, options.output, dpi=100 if options.dark else 150)
    if options.dark and options.output.endswith(".png"):
        smaller(options.output)
    yield options.output
