# SPDX-License-Identifier: Apache-2.0
"""Groups of the bodies of a snapshot: all, the bodies of a species, or the bodies of a part of a composite."""
import numpy as np

from ..kinds import is_number
from ..errors import INPUT, make_error
from ..bodies import SPECIES

LEAST = 16  # bodies of a group with a profile or radii of its own
SOLAR_SYSTEM = 9  # bodies of the generator solar_system


class Group:
    """Bodies of some species and of a range of ids.

    name: for legends, "" for all bodies; species: words, or None for all; ids: (first, end), or None for all.
    """

    def __init__(self, name="", species=None, ids=None, bodies=None):
        self.name, self.species, self.ids, self.bodies = name, species, ids, bodies

    def has(self, piece):
        """Returns which bodies of a piece (n,) belong to the group."""
        mine = np.ones(len(piece.id), dtype=bool)
        if self.ids is not None:
            mine &= (piece.id >= self.ids[0]) & (piece.id < self.ids[1])
        if self.species is not None:
            mine &= np.isin(piece.species, [SPECIES.index(word) for word in self.species])
        return mine

    def pieces(self, snapshot, *columns):
        """Yields the bodies of the group as `Snapshot.pieces` does."""
        if self.ids is None:
            yield from snapshot.pieces(*columns, species=self.species)
            return
        for piece in snapshot.pieces(*dict.fromkeys((*columns, "id")), species=self.species):
            mine = self.has(piece)
            for name, values in vars(piece).items():
                setattr(piece, name, values[mine])
            yield piece


def count_of(bodies):
    """Returns the number of bodies that a section `bodies` of a deck makes, None if a file decides it."""
    if not isinstance(bodies, dict):
        return None
    if isinstance(bodies.get("parts"), list):
        counts = [count_of(part.get("bodies") if isinstance(part, dict) else None) for part in bodies["parts"]]
        return None if None in counts else sum(counts)
    if isinstance(bodies.get("list"), list):
        return len(bodies["list"])
    if bodies.get("generator") == "solar_system":
        return SOLAR_SYSTEM
    count = bodies.get("count")
    return count if isinstance(count, int) and is_number(count) and count >= 0 else None


def first_ids(deck):
    """Returns the first id of each part: those that the diagnostics of the deck name, or those that follow from the numbers of
    bodies of the parts; [] if neither tells."""
    for name in ("structure", "lagrangian_radii"):
        section = deck.get("diagnostics") if isinstance(deck.get("diagnostics"), dict) else {}
        ids = section.get(name, {}).get("first_ids") if isinstance(section.get(name), dict) else None
        if isinstance(ids, list) and ids and all(is_number(value) for value in ids):
            return [int(value) for value in ids]
    bodies = deck.get("bodies")
    parts = bodies.get("parts") if isinstance(bodies, dict) else None
    if not isinstance(parts, list):
        return []
    firsts = [0]
    for part in parts[:-1]:
        count = count_of(part.get("bodies") if isinstance(part, dict) else None)
        if count is None:
            return []
        firsts.append(firsts[-1] + count)
    return firsts


def parts_of(deck, species=None):
    """Returns a group for each part of a composite, [] if the deck does not tell their ids."""
    firsts = first_ids(deck)
    bodies = deck.get("bodies")
    parts = bodies.get("parts") if isinstance(bodies, dict) else None
    parts = parts if isinstance(parts, list) and len(parts) == len(firsts) else [None] * len(firsts)
    return [Group(f"part {k}", species, (first, end), part.get("bodies") if isinstance(part, dict) else None)
            for k, (first, end, part) in enumerate(zip(firsts, firsts[1:] + [2 ** 64], parts))]


def numbers_of(snapshot, groups):
    """Returns the number of bodies of each group."""
    numbers = [0] * len(groups)
    for piece in snapshot.pieces("id"):
        for k, group in enumerate(groups):
            numbers[k] += int(group.has(piece).sum())
    return numbers


def groups_of(snapshot, each=None, species=None, least=LEAST):
    """Returns the groups of `each`: "all", "part", "species", or None: the parts if at least two of them are large enough, else
    all bodies. Groups of fewer than `least` bodies are left out."""
    species = [species] if isinstance(species, str) else species
    name = " and ".join(species or ())
    bodies = snapshot.deck.get("bodies")
    whole = [Group(name, species, None, None if species else bodies)]
    if each == "species":
        groups = [Group(SPECIES[kind], [SPECIES[kind]]) for kind, count in sorted(snapshot.counts.items())
                  if count and (species is None or SPECIES[kind] in species)]
    elif each == "all":
        return whole
    else:
        groups = parts_of(snapshot.deck, species)
        if each == "part" and not groups:
            raise make_error(INPUT, f"{snapshot.path}: has no parts (the deck is no composite, or a file decides the numbers of bodies); "
                          "give diagnostics.structure.first_ids in the deck")
        for group in groups:
            group.name = f"{group.name}, {name}" if name else group.name
    groups = [group for group, number in zip(groups, numbers_of(snapshot, groups)) if number >= least]
    if each is None and len(groups) < 2:
        return whole
    if not groups:
        raise make_error(INPUT, f"{snapshot.path}: has no {each} of {least} bodies or more; leave --each out")
    return groups
