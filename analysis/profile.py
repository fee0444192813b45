# SPDX-License-Identifier: Apache-2.0
"""Density and velocity dispersion against the distance from the density centre, and the curves of the deck's model. Each part of
a composite of several spheres or galaxies is a group of its own, about its own centre."""
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from . import style
from .. import units
from .digits import shown
from .centre import density_centre, shrinking_sphere
from .groups import LEAST, Group, groups_of
from ..runs.loading import load_run
from .models import model_of
from ..errors import INPUT, USAGE, make_error
from ..bodies import SPECIES
from ..snapshots import open_snapshot

FEW = 20_000     # up to this number, shells of equal numbers of bodies; above, shells of equal ratio of radii
SAMPLE = 200_000  # bodies used to find a centre


def centre_from_run(snapshot):
    """Returns the density centre (3,) at the snapshot's time from a table in its directory, and the table; None if none has it."""
    beside = snapshot.path.parent
    for name in ("structure", "lagrangian_radii"):
        if (beside / f"{name}.csv").exists() and (beside / "deck.resolved.json").exists():
            table = load_run(beside).table(name)
            if "part" in table or "species" in table:  # rows have centres of groups of bodies
                continue
            row = int(np.argmin(np.abs(table["time"] - snapshot.time)))
            if abs(table["time"][row] - snapshot.time) <= 1e-9 * max(1.0, abs(snapshot.time)):
                return np.array([table[f"center_{axis}"][row] for axis in "xyz"]), f"{name}.csv"
    return None


def find_centre(snapshot, group):
    """Returns the density centre (3,) of a group of bodies, and the method in words."""
    result = None if group.species or group.ids else centre_from_run(snapshot)
    if result:
        return result
    step, first, parts = -(-snapshot.count // SAMPLE), 0, []
    for piece in group.pieces(snapshot, "position", "mass"):
        parts.append((piece.position[-first % step::step], piece.mass[-first % step::step]))
        first += len(piece.mass)
    if not first:
        raise make_error(INPUT, f"{snapshot.path}: has no bodies of the species {group.name}; choose among "
                      f"{', '.join(SPECIES[kind] for kind in snapshot.counts)}")
    place, mass = map(np.concatenate, zip(*parts))
    if len(place) <= 3000:
        return density_centre(place, mass), "six neighbours"
    return shrinking_sphere(place, mass), "a shrinking sphere"


def bodies_about(snapshot, centre, group):
    """Yields pieces: distances (n,), masses (n,) and velocities (n, 3)."""
    for piece in group.pieces(snapshot, "position", "velocity", "mass"):
        yield np.linalg.norm(piece.position - centre, axis=1), piece.mass, piece.velocity


def edges_of(radii, bins):
    """Returns the edges (bins + 1,) of shells: with equal numbers of bodies if there are few, otherwise with equal ratio of
    radii, without the few innermost and outermost bodies."""
    bins = bins or int(np.clip(len(radii) // 50, 4, 40))
    if len(radii) <= FEW:
        ends = 1 / bins / 2.0 ** np.arange(1, 20)  # the two ends, where radii are far apart, are halved repeatedly
        ends = ends[ends * len(radii) >= 8]
        return np.quantile(radii, np.concatenate([ends[::-1], np.arange(1, bins) / bins, 1 - ends]))
    inner, outer = np.quantile(radii, [50 / len(radii), 1 - 20 / len(radii)])
    return np.geomspace(inner, outer, bins + 1)


def measure(snapshot, bins=None, group=None):
    """Returns the profile of a group of bodies of a snapshot, of all by default.

    Arrays of (shells,): `radius`, `density`, `dispersion` (in one dimension, about the shell's mean velocity), `bodies`,
    `effective_count` (number of equal masses with the same scatter), and the edges `low` and `high`. For all bodies: `half_mass_radius`,
    `total_dispersion`, and the `model` of the group's generator or None.
    """
    group = group or Group()
    centre, how = find_centre(snapshot, group)
    parts, number, moment, square = [], 0, np.zeros(3), 0.0
    for radius, mass, velocity in bodies_about(snapshot, centre, group):
        parts.append((radius, mass))
        number += len(radius)
        moment += mass @ velocity
        square += mass @ (velocity ** 2).sum(axis=1)
    radii, masses = (np.concatenate(columns) for columns in zip(*parts))
    total = masses.sum()
    if bins and 4 * bins > max(number, LEAST):
        raise make_error(USAGE, f"--bins {bins}: more shells than {snapshot.path} can fill (it has {number} bodies); give at most "
                      f"{max(1, number // 4)}")
    if number < LEAST or not total > 0:
        raise make_error(INPUT, f"{snapshot.path}: has no profile (it has {number} bodies, of mass {total:g}); give one with "
                      f"{LEAST} bodies or more that have mass")
    order = np.argsort(radii)
    inside = np.cumsum(masses[order])
    half = radii[order[min(np.searchsorted(inside, 0.5 * total * (1 - 1e-12)), number - 1)]]
    edges = np.unique(edges_of(radii, bins))
    if len(edges) < 2:
        raise make_error(INPUT, f"{snapshot.path}: has no profile (all bodies are at one distance from the centre); give another")
    del order, inside, radii, masses
    shells = len(edges) - 1
    count, mass, squares, log_radius = (np.zeros(shells) for _ in range(4))
    speed, speed2 = np.zeros((3, shells)), np.zeros(shells)
    for radius, each, velocity in bodies_about(snapshot, centre, group):
        shell = np.searchsorted(edges, radius, side="right") - 1
        shell[radius == edges[-1]] = shells - 1
        is_inside = (shell >= 0) & (shell < shells)
        shell, each, velocity = shell[is_inside], each[is_inside], velocity[is_inside]

        def add(weights):
            return np.bincount(shell, weights, minlength=shells)

        count += add(None)
        mass += add(each)
        squares += add(each ** 2)
        log_radius += add(each * np.log(np.maximum(radius[is_inside], 1e-300)))
        speed += [add(each * velocity[:, axis]) for axis in range(3)]
        speed2 += add(each * (velocity ** 2).sum(axis=1))
    full = (count > 1) & (mass > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (speed2 / mass - ((speed / mass) ** 2).sum(axis=0)) / 3
        profile = SimpleNamespace(
            radius=np.exp(log_radius / mass)[full], bodies=count[full].astype(int),
            effective_count=(mass ** 2 / squares)[full],
            density=(mass / (4 / 3 * np.pi * (edges[1:] ** 3 - edges[:-1] ** 3)))[full],
            dispersion=np.sqrt(np.maximum(variance, 0.0))[full])
    profile.low, profile.high = edges[:-1][full], edges[1:][full]
    profile.centre, profile.how, profile.number, profile.total = centre, how, number, total
    profile.half_mass_radius = half
    profile.total_dispersion = np.sqrt(max(0.0, square / total - ((moment / total) ** 2).sum()) / 3)
    profile.snapshot, profile.group = snapshot, group
    profile.model = model_of(group.bodies, total, snapshot.G) if isinstance(group.bodies, dict) else None
    return profile


def expected(profile, model):
    """Returns the model's mean density in each shell and its dispersion at the shell's radius, arrays of (shells,)."""
    mass = np.interp([profile.low, profile.high], np.concatenate([[0], model.radius]), np.concatenate([[0], model.mass]))
    density = (mass[1] - mass[0]) / (4 / 3 * np.pi * (profile.high ** 3 - profile.low ** 3))
    return density, np.interp(profile.radius, model.radius, model.dispersion)


def describe(profile):
    snapshot, model = profile.snapshot, profile.model
    length, velocity = units.spoken(snapshot.units.length), units.spoken(snapshot.units.velocity)
    name = f"{profile.group.name}: " if profile.group.ids else ""
    yield (f"{snapshot.path}: {name}t = {shown(snapshot.time)}{units.spoken(snapshot.units.time)}, {profile.number} bodies, "
           f"{len(profile.radius)} shells about {' '.join(shown(x) for x in profile.centre)}{length} (from {profile.how})")
    yield f"  half-mass radius     {shown(profile.half_mass_radius)}{length}"
    yield f"  velocity dispersion  {shown(profile.total_dispersion)}{velocity}"
    if model is not None:
        density, dispersion = expected(profile, model)
        good = density > 0
        off = np.median(np.abs(profile.density[good] / density[good] - 1))
        yield f"  density off the model by {off:.3g} in the median shell; counting alone makes {counting(profile):.3g}"
        moving = dispersion > 0
        if moving.any():
            off = np.median(np.abs(profile.dispersion[moving] / dispersion[moving] - 1))
            yield f"  dispersion off the model by {off:.3g}"


def counting(profile):
    """Returns the median error due to the number of bodies: 0.67 standard deviations. With unequal masses the heavy bodies
    dominate, and the error is that of fewer bodies."""
    return 0.6745 * np.median(1 / np.sqrt(profile.effective_count))


def why_none(deck, species):
    if species:
        return f"no model is drawn: it is of all bodies, not of {species}"
    name = deck.get("bodies", {}).get("generator") if isinstance(deck.get("bodies"), dict) else None
    return f"no model is drawn: the bodies' {f'generator {name}' if name else 'list or file'} has no curve"


def look_of(profile, profiles):
    """Returns the style of a profile: a colour for each group of bodies, pale and hollow at the first of two times."""
    names = list(dict.fromkeys(each.group.name for each in profiles))
    times = list(dict.fromkeys(each.snapshot.time for each in profiles))
    first = len(times) > 1 and profile.snapshot.time == times[0]
    if len(names) == 1:
        colour = (style.SKY if first else style.VERMILION)
    else:
        colour = style.colour(names.index(profile.group.name))
    words = f"t = {profile.snapshot.time:.6g}{units.spoken(profile.snapshot.units.time)}"
    return dict(color=colour, marker="o" if first else "s", markersize=4, linestyle="", zorder=3, alpha=0.75 if first else 1,
                markerfacecolor="white" if first and len(names) > 1 else colour,
                label=f"{profile.group.name}, {words}" if len(names) > 1 else words)


def draw_models(density, dispersion, profiles):
    """Draws the curves of the models, once for each group."""
    models = {profile.group.name: profile.model for profile in profiles if profile.model is not None}
    several = len({profile.group.name for profile in profiles}) > 1
    low, high = min(f.radius.min() for f in profiles), max(f.radius.max() for f in profiles)
    for k, (name, model) in enumerate(models.items()):
        visible = (model.radius > 0.7 * low) & (model.radius < 1.4 * high) & (model.density > 0)
        for axes, values in ((density, model.density), (dispersion, model.dispersion)):
            axes.plot(model.radius[visible], values[visible], color=style.BLACK, linewidth=1.3, linestyle=style.LINES[k % 4],
                      label=f"{name}: {model.source}" if several else model.source)


def draw(profiles, title):
    figure, ((density, dispersion),) = style.figure_with(1, 2, figsize=(11, 5))
    for profile in profiles:
        look = look_of(profile, profiles)
        density.errorbar(profile.radius, profile.density, profile.density / np.sqrt(profile.effective_count), elinewidth=1, **look)
        scatter = profile.dispersion / np.sqrt(6 * profile.effective_count)
        dispersion.errorbar(profile.radius, profile.dispersion, scatter, elinewidth=1, **look)
    draw_models(density, dispersion, profiles)
    unit, system = profiles[0].snapshot.units, profiles[0].snapshot.system
    mass = f"{unit.mass} {unit.length}^-3" if unit.mass else "mass length^-3"
    speed = unit.velocity or "length time^-1"
    for axes, words, unit_name in ((density, "density", mass), (dispersion, "velocity dispersion in one dimension", speed)):
        axes.set(xscale="log", xlabel=units.label("distance from the density centre", unit.length or "length", system),
                 ylabel=units.label(words, unit_name, system))
    density.set_yscale("log")
    dispersion.set_ylim(bottom=0)
    densities = np.concatenate([profile.density for profile in profiles])
    density.set_ylim(0.3 * densities.min(), 3 * densities.max())
    for axis in (density.xaxis, dispersion.xaxis, density.yaxis):
        style.plain_logarithm(axis)
    density.legend(loc="lower left")
    figure.suptitle(title, fontsize=11)
    return figure


def profiles_of(name, bins=None, species=None, each=None):
    """Returns the profiles of a snapshot, or of a run's first and last, of each group of bodies; the model of the first or None;
    the reason if there is none."""
    path = Path(name)
    if path.is_dir():
        available = load_run(path).snapshot_paths()
        if not available:
            raise make_error(INPUT, f"{path}: holds no snapshots; set output.snapshot_interval in the deck")
        paths = available[:1] + available[-1:] if len(available) > 1 else available
    else:
        paths = [path]
    snapshots = [open_snapshot(each_path) for each_path in paths]
    groups = groups_of(snapshots[-1], each, species)
    profiles = [measure(snapshot, bins, group) for group in groups for snapshot in snapshots]
    return profiles, profiles[0].model, why_none(snapshots[0].deck, species)


def run(options):
    profiles, model, reason = profiles_of(options.name, options.bins, options.species, options.each)
    for profile in profiles:
        yield from describe(profile)
    yield reason if model is None else f"model: {model.source}"
    title = f"Profile of {style.plain(Path(options.name).resolve().name)}" + (f", {options.species}" if options.species else "")
    yield style.save(draw(profiles, title), options.output)
