# SPDX-License-Identifier: Apache-2.0
"""Centres of a system."""
import numpy as np


def mean_place(place, mass):
    """Returns the centre of mass (3,); for massless bodies the mean position."""
    return np.average(place, axis=0, weights=mass if mass.sum() > 0 else None)


def density_centre(place, mass, most=3000):
    """Returns the density centre (3,): the mean position weighted with the density about each body (Casertano & Hut 1985,
    ApJ 298, 80). It moves as smoothly as the bodies. Of many bodies a regular sample is used."""
    step = -(-len(place) // most)
    place, mass = place[::step], mass[::step]
    if len(place) < 7:
        return mean_place(place, mass)
    density = np.empty(len(place))
    for first in range(0, len(place), 500):
        apart = ((place[first:first + 500, None] - place[None]) ** 2).sum(axis=2)
        near = np.argpartition(apart, 6, axis=1)[:, :7]  # six neighbours and the body itself
        sixth = np.take_along_axis(apart, near, axis=1).max(axis=1)
        density[first:first + 500] = (mass[near].sum(axis=1) + 1e-300) / np.maximum(sixth, 1e-300) ** 1.5
    return np.average(place, axis=0, weights=density / density.max())


def shrinking_sphere(place, mass, shrink=0.9, fewest=100):
    """Returns the centre (3,) of a sphere that shrinks onto the densest part (Power et al. 2003, MNRAS 338, 14, section 2.5)."""
    middle = mean_place(place, mass)
    radius = np.linalg.norm(place - middle, axis=1).max()
    least = max(fewest, len(place) // 20)
    while True:
        inside = np.linalg.norm(place - middle, axis=1) <= radius
        if inside.sum() < least:
            return middle
        place, mass = place[inside], mass[inside]
        middle = mean_place(place, mass)
        radius *= shrink
