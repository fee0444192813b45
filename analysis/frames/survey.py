# SPDX-License-Identifier: Apache-2.0
"""Samples, centres, a common scale and images from snapshots that are read in pieces."""
from types import SimpleNamespace

import numpy as np

from ... import units
from ..centre import density_centre

SAMPLE = 200_000  # bodies per frame used for centre and scale
VIEWS = ((0, 1), (0, 2))  # axes of the views from above and from the side


def survey(pieces, count, wanted=None):
    """One pass over `count` bodies: a sample (`place`, `mass`, `species`, `id`), `total` mass, `mean` place, the heaviest
    body's `id`, `largest` mass and place, and `found`, the place of the body `wanted`."""
    step = -(-count // SAMPLE)
    summary = SimpleNamespace(count=count, total=0.0, largest=-1.0, heaviest=None, wanted_place=None, whole=step == 1)
    parts, moment, middle, first = [], 0.0, 0.0, 0
    for piece in pieces:
        rows = slice(-first % step, None, step)
        parts.append((piece.position[rows], piece.mass[rows], piece.species[rows], piece.id[rows]))
        summary.total += piece.mass.sum()
        moment = moment + piece.mass @ piece.position
        middle = middle + piece.position.sum(axis=0) / count
        top = int(np.argmax(piece.mass))
        if piece.mass[top] > summary.largest:
            summary.largest, summary.heaviest, summary.heaviest_place = piece.mass[top], piece.id[top], piece.position[top]
        is_wanted = piece.id == wanted if wanted is not None else ()
        if np.any(is_wanted):
            summary.wanted_place = piece.position[is_wanted][0]
        first += len(piece.mass)
    summary.place, summary.mass, summary.species, summary.id = map(np.concatenate, zip(*parts))
    summary.mean = moment / summary.total if summary.total > 0 else middle
    return summary


def kind_of_centre(first):
    """Returns the heaviest body if it has most of the mass, like a star with planets; the centre of mass of several galaxies,
    whose density centre would be one of them or nothing between them; otherwise the density centre."""
    if first.largest > 0.5 * first.total and first.count > 1:
        return "heaviest"
    return "mass" if getattr(first, "has_parts", False) else "density"


def middle_of(frame, word, first):
    """Returns the centre (3,) of a frame."""
    if word == "heaviest" and frame is first:
        return frame.heaviest_place
    if word == "heaviest" and frame.wanted_place is not None:
        return frame.wanted_place
    if word in ("density", "heaviest"):
        return density_centre(frame.place, frame.mass)
    return frame.mean if word == "mass" else np.zeros(3)


def described(word, first):
    names = getattr(first, "names", {})
    return {"heaviest": f"{names.get(int(first.heaviest), f'body {first.heaviest}')}, the heaviest", "density": "the density centre",
            "mass": "the centre of mass", "origin": "the origin"}[word]


def reach_of(frames):
    """Returns a common scale: the radius that contains nearly all bodies at all times, or all bodies if there are few. A halo
    does not count if other species are present."""
    places = [frame.place[frame.species != 1] if set(frame.species) - {1} else frame.place for frame in frames]
    distances = np.concatenate([np.linalg.norm(place - frame.middle, axis=1) for place, frame in zip(places, frames)])
    return 1.1 * np.quantile(distances, 0.98 if len(distances) > 100 * len(frames) else 1.0) or 1.0


def images(pieces, middle, reach, groups, pixels, views=VIEWS):
    """Returns the number of bodies of each group in each pixel, of shape (groups, views, pixels, pixels), the number of
    bodies of each group (groups,), and the number of bodies outside of a view."""
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
                visible = group & (np.abs(place[:, [across, up]]) < reach).all(axis=1)
                where = (cell[visible, up] * pixels + cell[visible, across]).astype(np.int64)
                counts[k, v] += np.bincount(where, minlength=pixels * pixels)
    return counts.reshape(len(groups), len(views), pixels, pixels), bodies, outside


def select_ids(first, last):
    return lambda piece: (piece.id >= first) & (piece.id < last)


def select_species(kind):
    return lambda piece: piece.species == kind


def title_of(frame):
    """Returns the time and the number of bodies outside the frame."""
    return f"t = {frame.time:.6g}{units.spoken(frame.units.time)}" + (f", {frame.outside} outside" if frame.outside else "")
