# SPDX-License-Identifier: Apache-2.0
"""Colours of groups of bodies in frames: named bodies, parts of a composite, or species."""
from types import SimpleNamespace

from .. import style
from ...bodies import SPECIES

NAMED = len(style.BODIES)  # largest number of bodies of which each has a colour of its own
DARK = SPECIES.index("dark")


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
