# SPDX-License-Identifier: Apache-2.0
"""The extension `_apsis`, with the exceptions of this module."""
from __future__ import annotations

from typing import Any

import _apsis

from .errors import Collision, NotFinite, Problem, class_of
from .messages import python_voice


def _exception(status: int, problems: list[tuple[str, str, str, str]], data: dict[str, Any]) -> Exception:
    """Makes the exception of an error of the library, with its advice in terms of this module."""
    kind = class_of(status)
    if "collision" in data:
        kind = Collision
    elif any(problem.startswith("not finite after step") for _, problem, _, _ in problems):
        kind = NotFinite
    facts = {"ids": data["collision"], "distance": data["distance"], "time": data["time"]} if "collision" in data else {}
    return kind(problems_of(problems), status, **facts)


def problems_of(problems: list[tuple[str, str, str, str]]) -> list[Problem]:
    """Returns problems of the library, with their advice in terms of this module."""
    return [Problem(*map(python_voice, problem)) for problem in problems]


_apsis.set_error_type(_exception)
