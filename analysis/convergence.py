# SPDX-License-Identifier: Apache-2.0
"""Runs a deck at dt, dt/2, ...: errors against dt and against cost for several integrators, and their slopes.

The error of the final state is the largest distance of a body from its position in the reference: another integrator
at the shortest step. Points within ten times the reference's own error, or that have lost the orbit, do not count for
the slope.
"""
import json
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from . import style
from .. import units
from .digits import shown
from ..executable import DONE, ERRORS, call, find_executable, orders
from ..kinds import is_number
from ..runs.loading import load_run, read_json
from ..errors import INPUT, USAGE, Error, make_error
from ..messages import raise_errors, unchanged
from ..snapshots import load_snapshot

LOGGED = 64  # approximate number of times at which the energy is logged
# Keys that a study does not need; null removes a key.
QUIET = ["output.snapshot_interval=null", "output.checkpoint_interval=null", "output.checkpoint_wall_interval=0",
         "output.final_state=true", "diagnostics=null", "conservation=null", "run.end_time=null"]


def value_of(deck, overrides, *path):
    """Returns a value of the deck after --set; None if it has none."""
    for override in reversed(overrides):
        name, _, text = override.partition("=")
        if name == ".".join(path):
            try:
                return json.loads(text)
            except ValueError:
                return text
    for name in path:
        deck = deck.get(name) if isinstance(deck, dict) else None
    return deck


def plan(deck, overrides, step):
    """Returns the longest step and the number of such steps to the end of the deck."""
    deck_step = value_of(deck, overrides, "integrator", "time_step")
    end, steps = (value_of(deck, overrides, "run", key) for key in ("end_time", "steps"))
    if not isinstance(deck_step, (int, float)) and step is None:
        raise make_error(USAGE, "convergence: the deck has no integrator.time_step; give --time-step")
    for name, value in (("integrator.time_step", deck_step), ("run.end_time", end), ("run.steps", steps)):
        if isinstance(value, (int, float)) and not (is_number(value) and value > 0):
            raise make_error(INPUT, f"convergence: {name} is {value!r}; give a deck that 'apsis check' finds good")
    step = step or float(deck_step)
    if not isinstance(end, (int, float)):
        if not (isinstance(steps, int) and isinstance(deck_step, (int, float))):
            raise make_error(INPUT, "convergence: the deck has no end (neither run.end_time nor run.steps); give --set run.end_time=T")
        end = steps * deck_step
    number = round(end / step)
    if number < 1 or abs(number * step / end - 1) > 1e-9:
        near = end / max(1, number)
        raise make_error(USAGE, f"convergence: --time-step {step:g} does not divide the run's length {end:g}; the nearest that "
                      f"does is {near!r}")
    return step, number


def end_state(directory):
    """Returns a run and the positions (N, 3) of its last snapshot, sorted by id."""
    run = load_run(directory)
    bodies = load_snapshot(run.snapshot_paths()[-1])
    return run, bodies.position[np.argsort(bodies.id, kind="stable")]


def run_deck(executable, deck, overrides, directory, threads=None):
    """Runs a deck to its end; its error message is raised with its own status."""
    words = [executable, "run", *ERRORS, deck, "--quiet", "--output", directory]
    for override in overrides:
        words += ["--set", override]
    if threads:
        words += ["--threads", threads]
    process = call(words)
    if process.returncode not in DONE:
        raise_errors(process.returncode, process.stderr, voice=unchanged)


def one_run(study, name, halving, place="run"):
    """Runs the deck with dt / 2^halving; returns final state, energy error and cost in force evaluations."""
    steps = study.steps << halving
    step = study.step / (1 << halving)
    every = max(1, study.steps // LOGGED) * study.step
    directory = study.work / f"{place}.{name}.{halving}"
    # Other parameters of the integrator in the deck may not exist for this integrator.
    section = study.integrator if study.integrator.get("name") == name else {"name": name}
    run_deck(study.executable, study.deck, [f"integrator={json.dumps({**section, 'time_step': step})}"] + study.overrides + QUIET + [
        f"integrator.name={name}", f"integrator.time_step={step!r}", 'integrator.stepping={"mode":"fixed"}', f"run.steps={steps}",
        f"output.conservation_interval={every!r}"], directory, study.threads)
    run, place = end_state(directory)
    summary = run.summary
    if summary["steps"] != steps:
        raise make_error(INPUT, f"{study.deck}: {name} with dt = {step:g} ends after {summary['steps']} of {steps} steps "
                      f"({summary.get('stop_reason')}); give --set run.end_time=T an earlier one")
    return SimpleNamespace(name=name, step=step, place=place, energy=summary["max_relative_energy_error"],
                           cost=summary["interactions"] / max(1, summary["bodies"]) ** 2, seconds=summary["wall_seconds"],
                           units=run.table("conservation").units, system=run.table("conservation").system)


def distance(place, truth):
    """Returns the largest position error of a body [length]."""
    return float(np.linalg.norm(place - truth, axis=1).max())


def fitted_slope(steps, errors, floor, ceiling):
    """Returns the slope of log(error) against log(dt) of the points between floor and ceiling: the three with the shortest
    steps, where the leading term of the error dominates. NaN for fewer than two points."""
    steps, errors = np.array(steps), np.array(errors)
    good = (errors > floor) & (errors < ceiling)
    if good.sum() < 2:
        return float("nan"), good
    return float(np.polyfit(np.log(steps[good][-3:]), np.log(errors[good][-3:]), 1)[0]), good


def study_of(options):
    """Runs everything; returns a namespace with `series`, {integrator: [run]}, the `reference` and its own error."""
    deck = read_json(options.deck, "give a deck")
    executable = find_executable(options.apsis)
    known = orders(executable)
    names = list(known) if options.integrator == ["all"] else list(dict.fromkeys(options.integrator))
    for name in [*names, options.reference]:
        if name not in known:
            raise make_error(USAGE, f"convergence: there is no integrator {name!r}; choose among {', '.join(known)}")
    step, steps = plan(deck, options.set, options.time_step)
    section = deck.get("integrator")
    study = SimpleNamespace(executable=executable, deck=Path(options.deck), overrides=options.set, step=step, steps=steps,
                            threads=options.threads, integrator=section if isinstance(section, dict) else {},
                            orders=known, skipped={}, series={})
    with tempfile.TemporaryDirectory(prefix="apsis-analysis-") as work:
        study.work = Path(work)
        truth, before = (one_run(study, options.reference, halving, "reference") for halving in
                         (options.halvings + 1, options.halvings))
        for name in names:
            try:
                runs = [one_run(study, name, halving) for halving in range(options.halvings + 1)]
            except Error as problem:
                if options.integrator != ["all"]:
                    raise
                study.skipped[name] = problem
                continue
            for run in runs:
                run.error = distance(run.place, truth.place)
            study.series[name] = runs
    study.truth = truth
    study.size = float(np.linalg.norm(truth.place - truth.place.mean(axis=0), axis=1).max()) or 1.0
    study.doubt = max(distance(before.place, truth.place), 1e-15 * study.size)
    for name, runs in study.series.items():
        steps = [run.step for run in runs]
        error, energy = (fitted_slope(steps, [getattr(run, what) for run in runs], floor, ceiling) for what, floor, ceiling in
                         (("error", 10 * study.doubt, 0.1 * study.size), ("energy", 1e-13, 0.1)))
        runs[0].slopes = {"error": error, "energy": energy}
    return study


def slope_words(slope):
    """Returns a slope as text; without two points between rounding and the size of the orbit there is none."""
    return f"{slope:.3f}" if np.isfinite(slope) else "no slope"


def describe(study):
    truth = study.truth
    clock, length = units.spoken(truth.units["time"]), units.spoken(truth.units["center_of_mass_x"])
    yield (f"{study.deck}: t = {study.step * study.steps:g}{clock}; reference {truth.name} at dt = {shown(truth.step)}{clock}, known to "
           f"{study.doubt:.2g}{length}")
    yield "  integrator           dt            force evaluations   seconds   end state     energy"
    for name, runs in study.series.items():
        for run in runs:
            yield (f"  {name:<20} {run.step:<13.6g} {run.cost:<19.6g} {run.seconds:<9.3g} {run.error:<13.4g} {run.energy:.4g}")
    for name, runs in study.series.items():
        slopes = runs[0].slopes
        yield (f"  slope of {name:<20} end state {slope_words(slopes['error'][0])}, energy {slope_words(slopes['energy'][0])}, "
               f"order {study.orders[name]}")
    for name, problem in study.skipped.items():
        yield f"  left out {name}: {problem}"


def draw(study):
    figure, grid = style.figure_with(2, 2, figsize=(11, 8.6), sharex="col", sharey="row")
    truth = study.truth
    for row, (what, words) in enumerate((("error", units.label("worst body off by", truth.units["center_of_mass_x"], truth.system)),
                                         ("energy", "max |E − E$_0$| / |E$_0$|"))):
        for k, (name, runs) in enumerate(study.series.items()):
            slope, good = runs[0].slopes[what]
            errors = np.array([getattr(run, what) for run in runs])
            visible = errors > 0
            label = f"{name}: slope {slope:.2f}" if np.isfinite(slope) else f"{name}: {slope_words(slope)}"
            look = dict(color=style.colour(k), linestyle=style.line_style(k))
            mark = dict(color=style.colour(k), marker=style.MARKERS[k % len(style.MARKERS)], linestyle="", markersize=5.5)
            for axes, x in zip(grid[row], (np.array([run.step for run in runs]), np.array([run.cost for run in runs]))):
                axes.plot(x[visible], errors[visible], linewidth=1.3, **look)
                axes.plot(x[visible & good], errors[visible & good], **mark)
                axes.plot(x[visible & ~good], errors[visible & ~good], markerfacecolor="white", **mark)
            grid[row, 1].plot([], [], label=label, **{**mark, **look})
        if what == "error":
            for axes in grid[row]:
                axes.axhline(study.doubt, color=style.GREY, linestyle=":", linewidth=1)
        grid[row, 0].set_ylabel(words)
        grid[row, 1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    for axes in grid.flat:
        axes.set(xscale="log", yscale="log")
    style.plain_logarithm(grid[1, 0].xaxis)
    grid[1, 0].set_xlabel(units.label("time step dt", truth.units["time"], truth.system))
    grid[1, 1].set_xlabel("force evaluations")
    figure.suptitle(f"{style.plain(study.deck.stem)}: errors against {truth.name} at dt/{round(study.step / truth.step)}"
                    " (dotted: its own error; hollow: not in the slope)", fontsize=11)
    return figure


def run(options):
    study = study_of(options)
    yield from describe(study)
    if not study.series:
        raise make_error(INPUT, f"{options.deck}: no integrator runs it; see the lines above")
    yield style.save(draw(study), options.output)
