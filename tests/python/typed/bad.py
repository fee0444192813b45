# SPDX-License-Identifier: Apache-2.0
"""Mistakes that mypy finds; it is not run. Each line with a mistake ends with the word for it."""
import apsis

apsis.Deck(gravity={"softning": 0.05})  # mistake
apsis.Deck(gravty={"softening": 0.05})  # mistake
apsis.Deck(integrator={"name": "hermite5", "time_step": 0.5})  # mistake
apsis.Deck(run={"end_time": "late"})  # mistake
apsis.Deck(bodies=apsis.plummer("many"))  # mistake
apsis.run(apsis.Deck(), resume="maybe")  # mistake
apsis.Deck(run={"end_time": 1}, units={"system": "solar"})
