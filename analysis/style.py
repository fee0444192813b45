# SPDX-License-Identifier: Apache-2.0
"""Common style of all pictures: colours, labels with units, and output."""
import io
import textwrap

import matplotlib

matplotlib.use("Agg")
import matplotlib.patheffects  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402

from .. import files  # noqa: E402
from ..errors import FILES, make_error  # noqa: E402

OTHER_OUTPUT = "choose another --output"  # advice on a file that cannot be written
# Colours of Okabe & Ito, distinguishable by colour-blind readers, without the yellow that is
# invisible on white.
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK = COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# Colours of species in the order of PartType0 to 5: gas, dark, disk, bulge, stars, other.
SPECIES = (GREEN, BLUE, VERMILION, PURPLE, ORANGE, BLACK)
# Colours of single bodies: the same and five of Paul Tol's.
BODIES = COLOURS + ("#882255", "#999933", "#332288", "#44AA99", "#661100")
MARKERS = "os^DvP*X<>hpd"
LINES = ("-", "--", "-.", ":")
GREY = "0.45"

matplotlib.rcParams.update({
    "axes.formatter.use_mathtext": True, "axes.grid": True, "grid.color": "0.9", "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "axes.titlesize": 11, "axes.labelsize": 11, "legend.frameon": False, "legend.fontsize": 9, "figure.dpi": 100,
    "agg.path.chunksize": 10000, "svg.hashsalt": "apsis", "font.size": 10})


def figure_with(rows=1, columns=1, layout="constrained", **options):
    """Returns a figure and its axes as an array of shape (rows, columns). layout: "compressed" for panels of a fixed shape."""
    return plt.subplots(rows, columns, squeeze=False, layout=layout, **options)


def plain(text):
    """Escapes text so that matplotlib does not show it as mathematics."""
    return str(text).replace("$", r"\$")


def legend_below(axes, columns=4, **options):
    """Adds a legend below the picture, where it hides nothing; none for a single entry."""
    handles, labels = axes.get_legend_handles_labels()
    if len(handles) > 1:
        axes.legend(handles, labels, loc="upper center", ncol=min(columns, len(handles)),
                    bbox_to_anchor=(0.5, -0.48 / (axes.get_position().height * axes.figure.get_figheight())), **options)


def colour(index):
    return COLOURS[index % len(COLOURS)]


def line_style(index):
    """Returns a dash pattern that changes when the colours repeat."""
    return LINES[index // len(COLOURS) % len(LINES)]


def marker_for(rows):
    """Adds markers if there are few points."""
    return "o" if rows <= 2 else "." if rows <= 60 else ""


def fit_titles(figure):
    """Wraps titles that are wider than their panel, because names of runs may be long."""
    titles = [(text, figure.bbox.width) for text in figure.texts]
    for axes in figure.axes:
        place = getattr(axes, "get_subplotspec", lambda: None)()  # axes of yt are not panels of a grid
        if place:
            titles.append((axes.title, figure.bbox.width * len(place.colspan) / place.get_gridspec().ncols))
    for title, room in titles:
        words = title.get_text().replace(r"\$", "\0")  # no line break within it
        wide = title.get_window_extent().width
        if wide > 0.95 * room and "$" not in words:
            lines = words.split("\n")
            letters = max(1, int(0.9 * max(map(len, lines)) * room / wide))
            title.set_text("\n".join(textwrap.fill(line, letters) for line in lines).replace("\0", r"\$"))


def write(figure, to, **options):
    fit_titles(figure)
    figure.savefig(to, **options)


def save(figure, path, dpi=150, **options):
    """Writes the picture and returns its name."""
    drawn = io.BytesIO()
    extension = str(path).rpartition(".")[2]
    try:
        write(figure, drawn, dpi=dpi, format=extension, metadata={"Date": None} if extension == "svg" else {}, **options)
    except ValueError as error:
        raise make_error(FILES, f"{path}: cannot be written ({error}); {OTHER_OUTPUT}") from error
    finally:
        plt.close(figure)
    files.write(path, drawn.getvalue(), OTHER_OUTPUT)
    return str(path)


def white_edge():
    """Returns the effect of a white edge around letters, which makes them readable on lines."""
    return [matplotlib.patheffects.withStroke(linewidth=2.5, foreground="white")]


def name_dot(axes, name, place, colour, right=True):
    """Writes the name of a dot to its right or left, with a white edge."""
    axes.annotate(name, place, (6 if right else -6, 4), textcoords="offset points", fontsize=9, color=colour, zorder=4,
                  ha="left" if right else "right", path_effects=white_edge())


def width_of_legend(looks):
    """Returns the width of a column for a legend [inches]."""
    return 0.6 + 0.085 * max((len(look["label"]) for look in looks.values()), default=0)


def legend_in(figure, place, looks):
    """Adds a legend of lines, {key: style with its label}, in a place of the grid of its own; none for a single line."""
    axes = figure.add_subplot(place)
    axes.set_axis_off()
    if len(looks) > 1:
        lines = [plt.Line2D([], [], **look) for look in looks.values()]
        axes.legend(lines, [look["label"] for look in looks.values()], loc="lower left", borderaxespad=0)


def legend_beside(axes, looks):
    """Adds a legend of lines, {key: style with its label}, to the right of the last panel; none for a single line."""
    if len(looks) > 1:
        lines = [plt.Line2D([], [], **look) for look in looks.values()]
        axes.legend(lines, [look["label"] for look in looks.values()], loc="lower left", bbox_to_anchor=(1.0, 0.0))


def plain_logarithm(axis):
    """Labels 1, 2 and 5 on a logarithmic axis of less than two decades, where powers of ten would be few."""
    low, high = sorted(axis.get_view_interval())
    axis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    if 0 < low and high < 100 * low:
        ticks = (1.0, 2.0, 5.0) if high > 4 * low else tuple(range(1, 10))
        axis.set_major_locator(matplotlib.ticker.LogLocator(subs=ticks))
        axis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
