# SPDX-License-Identifier: Apache-2.0
"""Attributes that an object does not have: refused, with the word that is meant. Imports no library."""
from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

# Words of other codes and of similar classes, and what to write instead, by the class.
WORDS: dict[str, dict[str, str]] = {
    "Simulation": {
        "dt": "sim.time_step", "t": "sim.time", "N": "sim.count, or len(sim)", "n": "sim.count, or len(sim)",
        "particles": "sim.position[i], sim.velocity[i] and sim.mass[i], or sim.bodies(); change them by sim.edit()",
        "integrate": "sim.advance(until=time)", "evolve": "sim.advance(until=time)", "run": "sim.advance(until=time)",
        "step_forward": "sim.advance()", "move_to_com": 'with sim.edit() as bodies: bodies.move_to_centre(); in a deck "centre": True',
        "move_to_hel": "with sim.edit() as bodies: bodies.move_to(bodies[0])", "energy": "sim.measure().total",
        "angular_momentum": "sim.measure().angular_momentum", "calculate_energy": "sim.measure().total",
        "integrator": "Simulation(..., integrator=...): it is chosen when a simulation is made, and is sim.deck['integrator']",
        "softening": "Simulation(..., softening=...): it is chosen when a simulation is made, and is sim.deck['gravity']",
        "gravity": "Simulation(..., solver=..., softening=...): they are chosen when a simulation is made",
        "collision": 'Deck(collisions={"on_collision": "merge"})', "collision_resolve": 'Deck(collisions={"on_collision": "merge"})',
        "exit_min_distance": 'Deck(run={"encounter_distance": ...})', "exit_max_distance": 'Deck(run={"escape_radius": ...})',
        "heartbeat": "for _ in sim.steps(n, every=k)", "additional_forces": "sections `forces` of a deck (docs/forces.md)",
        "calculate_orbits": "sim.orbits()", "save_to_file": "sim.save(path)", "status": "print(sim)", "widget": "sim.show()",
        "masses": "sim.mass", "positions": "sim.position", "velocities": "sim.velocity",
        "x": "sim.position[:, 0]", "y": "sim.position[:, 1]", "z": "sim.position[:, 2]", "vx": "sim.velocity[:, 0]",
        "vy": "sim.velocity[:, 1]", "vz": "sim.velocity[:, 2]", "m": "sim.mass"},
    "Bodies": {
        "N": "len(bodies)", "count": "len(bodies)", "m": "bodies.mass", "masses": "bodies.mass", "positions": "bodies.position",
        "velocities": "bodies.velocity", "ids": "bodies.id", "names": "bodies.name", "radii": "bodies.radius", "r": "bodies.radius",
        "x": "bodies.position[:, 0]", "y": "bodies.position[:, 1]", "z": "bodies.position[:, 2]", "vx": "bodies.velocity[:, 0]",
        "vy": "bodies.velocity[:, 1]", "vz": "bodies.velocity[:, 2]", "move_to_com": "bodies.move_to_centre(), or bodies.centred()",
        "particles": "bodies[i]", "a": "Simulation(bodies, ...).orbits()"},
    "Run": {"t": 'run.conservation["time"]', "time": 'run.summary["time"], or run.conservation["time"]', "status": 'run.summary["status"]',
            "steps": 'run.summary["steps"]', "log": "run.conservation", "directory": "run.path", "outcome": "run.summary"},
    "Deck": {"dt": 'deck.set("integrator.time_step", ...)', "time_step": 'deck.set("integrator.time_step", ...)',
             "t": 'deck.set("run.start_time", ...)', "softening": 'deck.set("gravity.softening", ...)', "advance": "apsis.Simulation(deck).advance()", "integrate": "apsis.run(deck)"},
    "Units": {"l": "units.length", "m": "units.mass", "t": "units.time", "G": "sim.G of a simulation with these units"},
}


def kind_of(owner: object) -> str:
    """Returns the name of the class of this package that an object has."""
    return next((each.__name__ for each in type(owner).__mro__ if each.__name__ in WORDS), type(owner).__name__)


def no_attribute(owner: object, name: str) -> AttributeError:
    """Returns the exception for an attribute that an object does not have. It says which word is meant."""
    kind = kind_of(owner)
    if name.startswith("__"):  # of protocols, such as __array__
        return AttributeError(f"{kind!r} object has no attribute {name!r}")
    word = WORDS.get(kind, {}).get(name)
    if word is None and kind == "Deck" and name in SECTIONS:
        word = f'deck["{name}"] = ...'
    if word is None:
        known = [each for each in {*dir(type(owner)), *vars(owner)} if not each.startswith("_")]
        near = get_close_matches(name, known, 1)
        word = f"{near[0]} (did you mean that?)" if near else f"one of {', '.join(sorted(known))}"
    return AttributeError(f"apsis.{kind}: has no attribute '{name}'; write {word}")


SECTIONS = ("bodies", "collisions", "conservation", "diagnostics", "encounters", "forces", "gravity", "integrator", "output", "reference",
            "removal", "run", "title", "units")


class Strict:
    """A class that refuses attributes which it does not have: a misspelt name would do nothing, silently."""

    _own: tuple[str, ...] = ()  # public attributes that its instances set

    if not TYPE_CHECKING:  # type checkers know the attributes

        def __setattr__(self, name: str, value: Any) -> None:
            if not name.startswith("_") and name not in type(self)._own:
                kind = kind_of(self)
                place = next((vars(each)[name] for each in type(self).__mro__ if name in vars(each)), None)
                # A class that a program derives may have attributes of its own, but none that REBOUND's users mean otherwise.
                if place is None and (type(self).__name__ == kind or name in WORDS.get(kind, {})):
                    raise no_attribute(self, name)
                if place is not None and (not hasattr(place, "__set__") or isinstance(place, property) and place.fset is None):
                    raise AttributeError(f"apsis.{kind}: '{name}' cannot be set; "
                                         + SETTERS.get((kind, name), "it follows from the others"))
            super().__setattr__(name, value)

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name)


SETTERS = {
    **{("Simulation", name): f"write with sim.edit() as bodies: bodies.{name} = ..." for name in ("position", "velocity", "mass", "id",
                                                                                              "species", "radius", "name")},
    ("Simulation", "time"): "advance to it by sim.advance(until=...), or begin there with the key run.start_time of a deck",
    ("Simulation", "G"): "give Simulation(..., units=...) or Simulation(..., G=...)",
    ("Simulation", "units"): "give Simulation(..., units=...)",
    ("Simulation", "step"): "sim.advance() makes steps",
    ("Simulation", "steps"): "it makes steps: for _ in sim.steps(10)",
    ("Simulation", "count"): "use sim.add(...) and sim.remove(...)",
    ("Simulation", "deck"): "make another simulation of the changed deck",
    ("Simulation", "threads"): "give Simulation(..., threads=...) to the first simulation of a process",
}
