# SPDX-License-Identifier: Apache-2.0
"""Frames of pictures: their centre, reach, pixels and titles."""
from types import SimpleNamespace

import numpy as np

from apsis import Units
from apsis.analysis import centre, style
from apsis.analysis.frames import survey
from harness import check


def frame(place, mass, ids=None, wanted=None):
    ids = np.arange(len(place)) if ids is None else np.array(ids)
    piece = SimpleNamespace(position=np.array(place, float), mass=np.array(mass, float), id=ids,
                            species=np.ones(len(place), dtype=int))
    summary = survey.survey([piece], len(place), wanted)
    summary.pieces = [piece]
    return summary


# Frames are centred on the heaviest body, in any row of the file and however far the other bodies
# are.
star = frame([[5, 0, 0], [7, 0, 0], [5, 9, 0]], [1, 1e-3, 1e-3])
later = frame([[1e3, 0, 0], [6, 1, 0], [6, 0, 0]], [1e-3, 1e-3, 1], [2, 1, 0], wanted=star.heaviest)
check(survey.described(survey.kind_of_centre(star), star) == "body 0, the heaviest", "a star among planets is the centre")
check([list(survey.middle_of(spread, "heaviest", star)) for spread in (star, later)] == [[5, 0, 0], [6, 0, 0]],
      "the star is in the middle")

# A cluster is centred on the density centre: a few distant bodies do not move it, and it does not
# jump between two lumps.
random = np.random.default_rng(1)
cluster = random.normal(size=(500, 3)) * 0.1 + [3, 2, 1]
far = np.concatenate([cluster, [[500, 0, 0]] * 5 + random.normal(size=(5, 3))])
spread = frame(far, np.ones(len(far)))
check(survey.kind_of_centre(spread) == "density", "a cluster has a density centre")
spread.middle = survey.middle_of(spread, "density", spread)
check(np.abs(cluster.mean(axis=0) - spread.middle).max() < 0.1, "outliers do not move the centre")
lumps = [frame(np.concatenate([cluster - [3 + d, 2, 1], cluster[::-1] - [3 - d, 2, 1]]), np.ones(1000)) for d in (5, 4, 3)]
middles = np.array([survey.middle_of(lump, "density", lumps[0]) for lump in lumps])
check(np.abs(np.diff(middles, axis=0)).max() < 1.0, f"frames do not jump: {middles}")

# The same with many bodies, where the sphere shrinks onto the larger of two lumps.
pair = np.concatenate([random.normal(size=(4000, 3)) * 0.1 + [3, 2, 1], random.normal(size=(2500, 3)) * 0.1 - [9, 2, 1]])
check(np.abs(centre.shrinking_sphere(pair, np.ones(len(pair))) - [3, 2, 1]).max() < 0.02, "the sphere finds the larger lump")

# Bodies outside a frame are counted; bodies inside are in its pixels.
groups = [survey.select_species(1)]
for reach, outside in ((10.0, 5), (1e4, 0)):
    counts, bodies, count = survey.images(spread.pieces, spread.middle, reach, groups, 64)
    check((count, counts[0, 0].sum(), bodies[0]) == (outside, 505 - outside, 505), f"{count} outside of {reach}")
check(survey.images([spread.pieces[0]], np.array([4, 2, 1]), 2.0, groups, 2)[0][0, 0, :, 0].sum() == 500, "left is left")
spread.time, spread.units, spread.outside = 1.0, Units(time="Myr"), 5
check(survey.title_of(spread) == "t = 1 Myr, 5 outside", "the title says what is outside")
two = frame([[0, 0, 0], [30, 0, 0]], [1, 1])
two.middle = np.zeros(3)
check(survey.reach_of([two]) > 30, "of few bodies all are shown")

# A large snapshot is read in pieces: the same picture, and a sample that is spread over the whole
# file.
pieces = [SimpleNamespace(**{name: values[first:first + 130] for name, values in vars(spread.pieces[0]).items()})
          for first in range(0, 505, 130)]
whole, parts = (survey.images(each, spread.middle, 10.0, groups, 16)[0] for each in (spread.pieces, pieces))
check((whole == parts).all(), "pieces make the picture of the whole")
survey.SAMPLE, sample_size = 100, survey.SAMPLE
thin = survey.survey(pieces, 505)
survey.SAMPLE = sample_size
check((thin.place == far[::6]).all() and np.allclose(thin.mean, far.mean(axis=0)), "the sample is every sixth body")

# Titles are wrapped to the width of their figure, panel, or panel of two columns.
figure, _ = style.figure_with(2, 2, figsize=(5, 3))
wide = figure.add_subplot(figure.axes[0].get_gridspec()[1, :])
name = style.plain("a run of many $words$ " * 6 + 200 * "x")
titles = [(figure.suptitle(name), 1.0), (figure.axes[1].set_title(name), 0.5), (wide.set_title(name), 1.0)]
style.fit_titles(figure)
figure.draw_without_rendering()
for title, part in titles:
    check(title.get_window_extent().width <= part * figure.bbox.width, f"{title.get_text()} is {title.get_window_extent()}")
    check(title.get_text().replace("\n", "").replace(" ", "") == name.replace(" ", ""), "a title keeps its letters")
short = wide.set_title("Radii of a run")
style.fit_titles(figure)
check(short.get_text() == "Radii of a run", "a title with room is as it was")
style.plt.close(figure)
