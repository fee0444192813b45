# SPDX-License-Identifier: Apache-2.0
"""Colours of groups of bodies in frames (named bodies, parts of a composite, or species), and frames drawn as light on black."""
from types import SimpleNamespace

import numpy as np

from .. import style
from ... import units
from ...bodies import SPECIES
from .survey import VIEWS, images, select_ids, select_species, title_of

NAMED = len(style.BODIES)  # largest number of bodies of which each has a colour of its own
DARK = SPECIES.index("dark")
EDGE = [style.matplotlib.patheffects.withStroke(linewidth=2.5, foreground="black")]  # of text on bright bodies


def look(name, colour, strength, has, is_body=False):
    return SimpleNamespace(name=name, colour=colour, strength=strength, has=has, is_body=is_body)


def looks_of_names(frames):
    """Returns a look for each body if all are named and few."""
    first = frames[0]
    ids = sorted(int(body) for body in first.id)
    if len(ids) > NAMED or len(ids) < 2 or not all(body in first.names for body in ids):
        return []
    return [look(first.names[body], style.BODIES[k], 1.0, lambda piece, body=body: piece.id == body, is_body=True)
            for k, body in enumerate(ids)]


def looks_of_parts(frames, kinds):
    """Returns a look for each part; halos of galaxies are grey together."""
    has_halo = DARK in kinds and len(kinds) > 1
    looks = [look("dark", "0.55", 0.4, lambda piece: piece.species == DARK)] if has_halo else []
    for k, group in enumerate(frames[0].groups):
        def has(piece, group=group):
            return group.has(piece) & (piece.species != DARK) if has_halo else group.has(piece)
        looks.append(look(group.name, style.colour(k), 1.0, has))
    return looks


def looks_of_species(kinds):
    """Returns a look for each species: a halo is grey if other species are drawn as well, and below them."""
    if len(kinds) == 1:
        return [look(SPECIES[kind], style.BLUE, 1.0, lambda piece, kind=kind: piece.species == kind) for kind in kinds]
    return [look(SPECIES[kind], *(("0.55", 0.5) if kind == DARK else (style.SPECIES[kind], 1.0)),
                 lambda piece, kind=kind: piece.species == kind) for kind in sorted(kinds, key=lambda kind: kind != DARK)]


def looks_of(frames):
    """Returns the looks of the groups that frames show, in the order in which they are drawn."""
    kinds = set().union(*(frame.kinds for frame in frames))
    return looks_of_names(frames) or (looks_of_parts(frames, kinds) if frames[0].groups else looks_of_species(kinds))


def blurred(image, radius):
    """Returns the image convolved with a Gaussian of this radius in pixels."""
    x = np.arange(-int(3 * radius), int(3 * radius) + 1)
    bell = np.exp(-0.5 * (x / radius) ** 2)
    for axis in (0, 1):
        image = np.apply_along_axis(np.convolve, axis, image, bell / bell.sum(), mode="same")
    return image


def light(image, bodies):
    """Returns surface density as light between 0 and about 1, with the same scale in all frames."""
    image = image * (3e4 / max(1, bodies))
    return np.arcsinh(4 * blurred(image, 0.7) + 2 * blurred(image, 3.0)) / 4


def round_length(most):
    """Returns the largest of 1, 2 and 5 times a power of ten that is at most `most`."""
    power = 10.0 ** np.floor(np.log10(most))
    return power * next(factor for factor in (5, 2, 1) if factor * power <= most)


def draw_dark(frames, reach, ranges, kinds):
    """Draws light on black, from above; warm colours for stars, cold ones for dark matter, unless ranges of ids are given."""
    pixels, dpi, gap = 340, 100, 6
    columns = min(5, len(frames))
    rows = -(-len(frames) // columns)
    wide, high = columns * (pixels + gap) - gap, rows * (pixels + gap) - gap
    figure, grid = style.plt.subplots(rows, columns, squeeze=False, facecolor="0.3", dpi=dpi, figsize=(wide / dpi, high / dpi))
    figure.subplots_adjust(0, 0, 1, 1, wspace=gap / pixels, hspace=gap / pixels)
    colours = np.array([[1.0, 0.48, 0.17], [0.2, 0.5, 1.0], [0.4, 1.0, 0.45], [1.0, 0.35, 0.7]])
    groups = ([select_ids(*bounds) for bounds in ranges] if ranges else
              [select_species(kind) for kind in (2, 1, 4, 0, 3, 5) if kind in kinds])
    for axes in grid.flat[len(frames):]:
        axes.imshow(np.zeros((1, 1, 3)))
        axes.set_axis_off()
    for axes, frame in zip(grid.flat, frames):
        image = np.zeros((pixels, pixels, 3))
        counts, bodies, frame.outside = images(frame.pieces(), frame.middle, reach, groups, pixels, VIEWS[:1])
        for k, count in enumerate(counts):
            shine = light(count[0], bodies[k])[:, :, None]
            image += shine * colours[k % 4] + 0.5 * np.maximum(shine - 0.6, 0)  # white where dense
        axes.imshow(1 - np.exp(-1.8 * image), origin="lower", interpolation="none")
        axes.text(0.04, 0.05, title_of(frame), color="0.85", fontsize=9, transform=axes.transAxes, path_effects=EDGE)
        axes.set_axis_off()
    bar = round_length(0.5 * reach)
    last = grid.flat[len(frames) - 1]
    x1 = 0.95 * pixels
    x0 = x1 - bar / reach * pixels / 2
    last.plot([x0, x1], [0.06 * pixels] * 2, color="0.75", linewidth=1, scalex=False, scaley=False)
    last.text((x0 + x1) / 2, 0.08 * pixels, f"{bar:g}{units.spoken(frames[0].units.length)}", color="0.85", fontsize=9,
              ha="center", path_effects=EDGE)
    return figure
