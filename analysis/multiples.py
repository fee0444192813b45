# SPDX-License-Identifier: Apache-2.0
"""Curves that coincide and must not hide each other: small multiples (a panel for each curve), alternating dashes, nested lines."""
from typing import Any

import numpy as np

from . import style

MOST_PANELS = 10  # panels of a column
CLOSE = 0.01   # part of the height of a panel within which curves coincide
DASH = 6.0     # length of a dash [points]
THIN, EDGE = 0.9, 2.4  # width of the line of a path, and what the next wider one adds [points]
PROBES, MOST_POINTS = 60, 2000  # places of a line that are compared, and points of the other line


def alternating(curves, logarithmic=False):
    """Returns the dashes of curves that coincide with others, {key: line style}, so that each of them is visible.

    curves: {key: (x, y)}, arrays (n,) each. Curves coincide if they have the same x and are closer everywhere than a hundredth of
    the range of all.
    """
    heights = {key: np.log(y) if logarithmic else np.asarray(y, dtype=float) for key, (_, y) in curves.items()}
    finite = [y[np.isfinite(y)] for y in heights.values()]
    finite = np.concatenate(finite) if finite else np.zeros(0)
    close = CLOSE * np.ptp(finite) if len(finite) else 0.0
    groups: list[list[str]] = []
    for key, (x, _) in curves.items():
        for group in groups:
            first = group[0]
            if np.array_equal(x, curves[first][0]) and np.nanmax(np.abs(heights[key] - heights[first]), initial=0.0) <= close:
                group.append(key)
                break
        else:
            groups.append([key])
    return {key: (DASH * k, (DASH, DASH * (len(group) - 1))) for group in groups if len(group) > 1
            for k, key in enumerate(group)}


def nested(curves):
    """Returns the widths of lines that coincide, {key: width [points]}: the first is the widest, and each shows at both sides of the
    next. curves: {key: points (n, 2)}. Lines coincide if places all along the one are close to the other."""
    thin = {key: points[np.isfinite(points).all(axis=1)] for key, points in curves.items()}
    thin = {key: points[::max(1, len(points) // MOST_POINTS)] for key, points in thin.items() if len(points)}
    groups: list[list[str]] = []
    for key, points in thin.items():
        probe = points[::max(1, len(points) // PROBES)]
        for group in groups:
            other = thin[group[0]]
            close = CLOSE * max(np.ptp(other, axis=0).max(), np.ptp(points, axis=0).max())
            apart = np.linalg.norm(probe[:, None] - other[None], axis=2).min(axis=1)
            if (apart <= close).all():
                group.append(key)
                break
        else:
            groups.append([key])
    return {key: THIN + EDGE * (len(group) - 1 - k) for group in groups for k, key in enumerate(group)}


def column(figure, place, curves, title, xlabel):
    """Draws one panel for each curve in a place of the grid; they share the x axis. Returns the panels.

    curves: [(name, x, y, look)], of which at most `MOST_PANELS` are drawn; look: options of the line.
    """
    curves = curves[:MOST_PANELS]
    grid = place.subgridspec(len(curves), 1)
    panels: list[Any] = []
    for k, (name, x, y, look) in enumerate(curves):
        panel = figure.add_subplot(grid[k], sharex=panels[0] if panels else None)
        panel.plot(x, y, linewidth=1.0, **look)
        panel.yaxis.set_major_locator(style.matplotlib.ticker.MaxNLocator(3, integer=look.get("drawstyle") == "steps-post"))
        panel.yaxis.set_major_formatter(style.matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:.3g}"))
        panel.tick_params(labelbottom=k == len(curves) - 1, labelsize=8)
        panel.margins(y=0.1)
        low, high = panel.get_ylim()
        panel.set_ylim(low, high + 0.35 * (high - low))  # for the name
        panel.annotate(name, (0, 1), (4, -3), xycoords="axes fraction", textcoords="offset points", ha="left", va="top", fontsize=9,
                       color=look["color"], path_effects=style.white_edge())
        panels.append(panel)
    panels[0].set_title(title)
    panels[-1].set_xlabel(xlabel)
    panels[-1].ticklabel_format(axis="x", useOffset=False)
    panels[-1].xaxis.set_major_locator(style.matplotlib.ticker.MaxNLocator(5))
    return panels


def relative_changes(values):
    """Returns (a - a0) / a0 of semi-major axes (n,), a0 the first; NaN where an orbit is not bound, None if it is not at first."""
    values = np.where((values > 0) & np.isfinite(values), values, np.nan)
    return values / values[0] - 1.0 if len(values) and np.isfinite(values[0]) else None
