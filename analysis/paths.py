# SPDX-License-Identifier: Apache-2.0
"""Curves through the places of a body: cubics where they are close, the osculating ellipse where they are not."""
import numpy as np

APART = np.radians(36.0)  # a tenth of a revolution: places of which the directions differ by more are not joined
MISSED = 0.05             # largest difference of a chord from the mean velocity times the time, as a part of the velocity
FINE = 8                  # parts of a joined piece
MOST_FINE = 20_000        # places of a path up to which its pieces are divided
AXES = ("x", "y", "z")


def vectors(path, prefix=""):
    """Returns the positions, or with "v" the velocities, of a path as (n, 3)."""
    return np.stack([path[prefix + axis] for axis in AXES], axis=1)


def joined(path):
    """Returns which places (n - 1,) of a path are joined with the next one: the body turns by less than a tenth of a revolution.

    After a whole revolution the directions agree again, and the chord is much shorter than the velocities say.
    """
    place, velocity = vectors(path), vectors(path, "v")
    dt = np.diff(path["time"])[:, None]
    speed = np.linalg.norm(velocity, axis=1)
    cosine = (velocity[1:] * velocity[:-1]).sum(axis=1)
    missed = np.linalg.norm(np.diff(place, axis=0) - 0.5 * dt * (velocity[1:] + velocity[:-1]), axis=1)
    return ((cosine >= np.cos(APART) * speed[1:] * speed[:-1])
            & (missed <= MISSED * np.abs(dt[:, 0]) * np.maximum(speed[1:], speed[:-1])))


def curve(path):
    """Returns the points (m, 3) of the line through joined places, with a row of NaN at each gap, and the places (k, 3) that border
    a gap. Pieces are the cubics through positions and velocities."""
    place, velocity = vectors(path), vectors(path, "v")
    join = joined(path)
    fine = FINE if len(place) <= MOST_FINE else 1
    s = np.arange(fine)[:, None, None] / fine
    r = 1.0 - s
    dt = np.diff(path["time"])[:, None]
    pieces = (r * r * (1.0 + 2.0 * s) * place[:-1] + s * s * (1.0 + 2.0 * r) * place[1:]
              + s * r * dt * (r * velocity[:-1] - s * velocity[1:]))
    pieces[1:, ~join] = np.nan  # a gap keeps its first place
    points = np.concatenate([pieces.transpose(1, 0, 2).reshape(-1, 3), place[-1:]])
    if fine == 1:
        points = np.insert(points, 1 + np.flatnonzero(~join), np.nan, axis=0)
    gap = np.zeros(len(place), dtype=bool)
    gap[:-1] |= ~join
    gap[1:] |= ~join
    return points, place[gap]


def frame_of(elements, row):
    """Returns the unit vectors (3,) to the pericentre and 90 degrees ahead of it, of an orbit of a table with angles in degrees."""
    i, node, argument = (np.radians(elements[name][row]) for name in ("inclination", "ascending_node", "argument_of_pericenter"))
    to_node = np.array([np.cos(node), np.sin(node), 0.0])
    across = np.array([-np.sin(node) * np.cos(i), np.cos(node) * np.cos(i), np.sin(i)])
    return np.cos(argument) * to_node + np.sin(argument) * across, np.cos(argument) * across - np.sin(argument) * to_node


def ellipse(path, elements, points=361):
    """Returns the osculating ellipse (points, 3) at the last common time of a path and of the elements, or None if the orbit is not
    bound. The body itself says where the centre of its orbit is. Points are equidistant in the eccentric anomaly."""
    _, mine, its = np.intersect1d(path["step"], elements["step"], return_indices=True)
    if not len(mine):
        return None
    row = its[-1]
    a, e = elements["semi_major_axis"][row], elements["eccentricity"][row]
    if not (0.0 < a < np.inf and 0.0 <= e < 1.0):
        return None
    ahead, across = frame_of(elements, row)
    true = np.radians(elements["true_anomaly"][row])
    radius = a * (1.0 - e * e) / (1.0 + e * np.cos(true))
    centre = vectors(path)[mine[-1]] - radius * (np.cos(true) * ahead + np.sin(true) * across)
    turn = np.linspace(0.0, 2.0 * np.pi, points)[:, None]
    return centre + a * ((np.cos(turn) - e) * ahead + np.sqrt(1.0 - e * e) * np.sin(turn) * across)
