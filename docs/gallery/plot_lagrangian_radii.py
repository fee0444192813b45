# SPDX-License-Identifier: Apache-2.0
"""
Lagrangian radii of a star cluster
==================================

The core of a cluster stays small while the outer part expands. The tutorial on a star cluster explains the deck.
"""
import json
import os
import subprocess
import tempfile

import matplotlib.pyplot as plt
import numpy as np

apsis = os.environ.get("APSIS_EXECUTABLE", "build/openmp/apsis.openmp")
directory = tempfile.mkdtemp()

# %%
# A Plummer sphere of 400 stars with the masses of Kroupa (2001), for 20 Myr.
deck = {
    "units": {"system": "astrophysical"},
    "bodies": {"generator": "plummer", "count": 400, "seed": 3, "scale_radius": 0.8,
               "masses": {"function": "kroupa", "minimum": 0.1, "maximum": 30}},
    "integrator": {"name": "hermite4", "time_step": 0.125,
                   "stepping": {"mode": "block", "eta": 0.01}},
    "run": {"end_time": 20},
    "output": {"conservation_interval": 1},
    "diagnostics": {"lagrangian_radii": {"interval": 0.5,
                                         "fractions": [0.1, 0.25, 0.5, 0.75, 0.9]}},
    "conservation": {"max_relative_energy_error": 1e-4, "max_momentum_error": 1e-2},
}
with open(f"{directory}/cluster.json", "w", encoding="utf-8") as file:
    json.dump(deck, file)
words = [apsis, "run", f"{directory}/cluster.json", "--output", f"{directory}/run", "--threads", "1"]
process = subprocess.run(words, capture_output=True, text=True, check=True)
print(process.stdout)

# %%
# Radii about the density centre that enclose fractions of the mass.
table = f"{directory}/run/lagrangian_radii.csv"
rows = np.genfromtxt(table, delimiter=",", names=True, deletechars="")
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
for column in (name for name in rows.dtype.names if name.startswith("r_")):
    fraction = float(column.removeprefix("r_"))
    axes.plot(rows["time"], rows[column], label=f"{fraction:.0%} of the mass")
axes.set(xlabel="time [Myr]", ylabel="radius [pc]", yscale="log")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()
