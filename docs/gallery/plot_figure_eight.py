# SPDX-License-Identifier: Apache-2.0
"""
Three bodies on a figure of eight
=================================

Three equal masses chase each other on one closed curve (Chenciner & Montgomery 2000). The generator
``figure_eight`` has the orbit, with a period of 6.3259. The table ``trajectories`` has the positions.
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
# The deck is a dictionary, written to a file. It has a row of the table for each step.
deck = {
    "bodies": {"generator": "figure_eight"},
    "integrator": {"name": "blanes_moan4", "time_step": 0.02},
    "run": {"steps": 316},
    "diagnostics": {"trajectories": {"interval": 0.02}},
    "conservation": {"max_relative_energy_error": 1e-6, "max_momentum_error": 1e-13},
}
with open(f"{directory}/eight.json", "w", encoding="utf-8") as file:
    json.dump(deck, file)
words = [apsis, "run", f"{directory}/eight.json", "--output", f"{directory}/run", "--threads", "1"]
process = subprocess.run(words, capture_output=True, text=True, check=True)
print(process.stdout)

# %%
# Draw the paths, and the bodies at the last time.
rows = np.genfromtxt(f"{directory}/run/trajectories.csv", delimiter=",", names=True)
figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
for body in range(3):
    path = rows[rows["id"] == body]
    (line,) = axes.plot(path["x"], path["y"], linewidth=1)
    axes.plot(path["x"][-1], path["y"][-1], "o", color=line.get_color(), markersize=10)
axes.set(xlabel="x", ylabel="y", aspect="equal")
plt.show()
