# SPDX-License-Identifier: Apache-2.0
"""Logarithmic distances from a centre: planets near their star and far from it in one picture. Directions are true."""
import numpy as np

from . import style
from .. import units

WIDE = 10.0  # ratio of the largest to the smallest distance from which on the scale is logarithmic
NEAR = 1e-3  # fraction of the largest distance below which a body counts as the centre


class LogarithmicDistance:
    """Maps distances r to s = log(1 + r/a) / log(1 + R/a), with a the smallest and R the largest distance: 0 at the centre, 1 at
    R. Below a the scale is nearly linear."""

    def __init__(self, smallest, largest):
        self.smallest, self.largest = smallest, largest

    def scale(self, r):
        return np.log1p(r / self.smallest) / np.log1p(self.largest / self.smallest)

    def __call__(self, place):
        """Returns places (n, 3) with these distances and unchanged directions."""
        r = np.linalg.norm(place, axis=1)
        return place * (self.scale(r) / np.where(r > 0, r, 1.0))[:, None]

    def rings(self):
        """Returns distances of about half a decade each."""
        powers = np.arange(np.floor(np.log10(self.smallest)), np.ceil(np.log10(self.largest)) + 1)
        every = sorted(float(f"{factor}e{int(power)}") for power in powers for factor in (1, 3))
        return [r for r in every if 0.7 * self.smallest <= r <= 1.1 * self.largest]

    def draw(self, axes, unit, system, names=True):
        """Draws a ring at each round distance, with its value, instead of the axes."""
        turn = np.linspace(0, 2 * np.pi, 181)
        for r in self.rings():
            size = self.scale(r)
            axes.plot(size * np.cos(turn), size * np.sin(turn), color="0.85", linewidth=0.8, zorder=0)
            if names:
                axes.annotate(f"{r:g}", (size * np.cos(-0.9), size * np.sin(-0.9)), fontsize=8, color=style.GREY, ha="center",
                              va="center", zorder=1, bbox=dict(boxstyle="square,pad=0.1", facecolor="white", edgecolor="none"))
        axes.set(xlim=(-1.12, 1.12), ylim=(-1.12, 1.12), xticks=[], yticks=[], aspect="equal")
        axes.grid(False)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set_xlabel(units.label("distance from the centre", unit, system) + ", logarithmic")


def distances_of(places):
    """Returns the smallest and largest distance of bodies that leave the centre; (0, 0) for none. places: [(n, 3)] by body."""
    far = [float(np.median(np.linalg.norm(place, axis=1))) for place in places if len(place)]
    moving = [r for r in far if r > NEAR * max(far)]
    largest = max((float(np.linalg.norm(place, axis=1).max()) for place in places if len(place)), default=0.0)
    return (min(moving), largest) if moving else (0.0, 0.0)
