# SPDX-License-Identifier: Apache-2.0
"""The extension `_apsis`, with the exceptions and types of this package."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import _apsis

from ..attributes import Strict
from ..bodies import index_of
from ..errors import Collision, NotFinite, Problem, class_of
from ..messages import python_voice

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


class State(Strict):
    """The present state of a simulation."""

    _core: _apsis.Simulation

    @property
    def step(self) -> int:
        """Steps of the deck so far."""
        return self._core.step

    @property
    def time(self) -> float:
        """Present time [time]."""
        return self._core.time

    @property
    def count(self) -> int:
        """Number of bodies."""
        return self._core.count

    @property
    def G(self) -> float:
        """Gravitational constant [length^3 / (mass time^2)]."""
        return self._core.G

    @property
    def kernel(self) -> str:
        """Force kernel, or 'fmm'."""
        return self._core.kernel

    @property
    def threads(self) -> int:
        """Host threads in use."""
        return self._core.threads

    @property
    def interactions(self) -> float:
        """Interactions so far; all forces once count N^2."""
        return self._core.interactions

    @property
    def position(self) -> NDArray[Any]:
        """Positions (N, 3) [length], a read-only view."""
        return self._core.position

    @property
    def velocity(self) -> NDArray[Any]:
        """Velocities (N, 3) [length / time], a read-only view."""
        return self._core.velocity

    @property
    def acceleration(self) -> NDArray[Any]:
        """Accelerations of the last force evaluation (N, 3) [length / time^2], a read-only view."""
        return self._core.acceleration

    @property
    def mass(self) -> NDArray[Any]:
        """Masses (N,) [mass], a read-only view."""
        return self._core.mass

    @property
    def id(self) -> NDArray[np.uint64]:
        """Unique numbers of the bodies (N,), a read-only view."""
        return self._core.id

    @property
    def species(self) -> NDArray[np.uint8]:
        """Species (N,), indices in apsis.SPECIES, a copy."""
        return self._core.species

    @property
    def radius(self) -> NDArray[np.float64] | None:
        """Radii (N,) [length], a copy; None if all bodies are points."""
        return self._core.radius

    @property
    def name(self) -> list[str] | None:
        """Names of the bodies, "" for one without; None if no body has a name."""
        return self._core.names or None

    def index(self, body: int | str) -> int:
        """Row of the body with an id or a name, in position, velocity, mass ...: sim.position[sim.index("Venus")]."""
        return index_of(body, np.asarray(self._core.id), self._core.names)

    @property
    def potential(self) -> NDArray[np.float64]:
        """Potentials (N,) [length^2 / time^2] in double precision, as the solver computes them."""
        return self._core.potential
