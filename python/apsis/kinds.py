# SPDX-License-Identifier: Apache-2.0
"""Types of the values that this package relies on in files of runs. Imports no library."""
from __future__ import annotations

import json
from collections.abc import Mapping

from .errors import INPUT, make_error


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


# Names of types for errors, and tests. Null means unknown.
KINDS = {"a text": lambda value: isinstance(value, str), "a number": is_number,
         "a whole number": lambda value: is_number(value) and isinstance(value, int),
         "true or false": lambda value: isinstance(value, bool), "an object": lambda value: isinstance(value, dict)}
SUMMARY = {"status": "a text", "exit_code": "a whole number", "steps": "a whole number", "time": "a number", "bodies": "a whole number",
           "stop_reason": "a text", "remark": "a text", "problem": "a text",
           "not_conserved_with_forces": "a text", "units": "an object", "max_relative_energy_error": "a number",
           "max_relative_energy_error_limit": "a number", "max_momentum_error": "a number", "max_momentum_error_limit": "a number",
           "interactions": "a number", "wall_seconds": "a number"}
DECK = {"title": "a text", "reference": "a text", "bodies": "an object", "bodies.generator": "a text", "conservation": "an object",
        "conservation.max_relative_energy_error": "a number", "conservation.max_momentum_error": "a number", "run": "an object",
        "integrator": "an object", "gravity": "an object", "units": "an object", "output": "an object", "diagnostics": "an object",
        "bodies.henon_units": "true or false"}
DECK.update({f"bodies.{name}": "a number" for name in ("scale_radius", "truncation", "radius", "virial_ratio", "W0", "core_radius",
                                                       "half_mass_radius", "virial_radius")})


def check_kinds(content, kinds, path, advice):
    """Refuses values of another type than the table lists."""
    for name, kind in kinds.items():
        section, _, key = name.rpartition(".")
        place = content.get(section) if section else content
        value = place.get(key) if isinstance(place, Mapping) else None
        if value is not None and not KINDS[kind](value):
            raise make_error(INPUT, f"{path}: '{name}' is no {kind.partition(' ')[2] if kind.startswith('a') else kind} (found "
                          f"{json.dumps(value)[:40]}); {advice}")
