# SPDX-License-Identifier: Apache-2.0
"""A program of a user, whose types mypy checks; it is not run."""
import numpy as np

import apsis

deck = apsis.Deck(title="typed", bodies=apsis.plummer(1000, seed=1), gravity={"solver": "auto", "softening": 0.05},
                  integrator=apsis.leapfrog_kdk(1 / 64), run={"end_time": 1}, forces=[apsis.oblate(1e-3, 2.0), {"name": "schwarzschild"}],
                  diagnostics={"structure": {"interval": 0.5}}, conservation={"max_relative_energy_error": 1e-3})
pair = apsis.Deck(bodies={"list": [{"mass": 1, "position": np.zeros(3)}, {"mass": "earth", "semi_major_axis": 1.0}]}, units={"system": "solar"},
                  integrator={"name": "hermite4", "time_step": 0.5, "stepping": {"mode": "block", "eta": 0.02}}, run={"steps": 4})
galaxies = apsis.Deck(bodies=apsis.composite(apsis.part(apsis.disk_galaxy(4000)), apsis.part(apsis.disk_galaxy(40), node=30)))
outcome = apsis.run(deck, "cluster", resume="if_possible")
steps: int = outcome.check().steps
works: str = apsis.cite(outcome)
seconds: "float | None" = deck.check().seconds
