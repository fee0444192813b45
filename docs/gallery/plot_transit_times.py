# SPDX-License-Identifier: Apache-2.0
"""
Transit timing variations of two planets
========================================

Two planets near the 3:2 resonance transit their star early or late. The tutorial on planets explains the deck.
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
# The deck is a dictionary, written to a file.
deck = {
    "units": {"system": "solar"},
    "bodies": {"centre": True, "list": [
        {"name": "star", "mass": 1, "position": [0, 0, 0]},
        {"name": "b", "mass": "8 Mearth", "period": "10 day", "eccentricity": 0.02,
         "inclination": 90, "mean_anomaly": 40},
        {"name": "c", "mass": "12 Mearth", "period": "15.15 day", "eccentricity": 0.01,
         "inclination": 90, "mean_anomaly": 200},
    ]},
    "integrator": {"name": "gauss_radau15", "time_step": 0.002},
    "run": {"end_time": 5},
    "diagnostics": {"transits": {"bodies": [1, 2], "observer": [1, 0, 0]}},
    "conservation": {"max_relative_energy_error": 1e-12},
}
with open(f"{directory}/pair.json", "w", encoding="utf-8") as file:
    json.dump(deck, file)
words = [apsis, "run", f"{directory}/pair.json", "--output", f"{directory}/run", "--threads", "1"]
process = subprocess.run(words, capture_output=True, text=True, check=True)
print(process.stdout)

# %%
# Deviations of the transit times from a straight line.
table = f"{directory}/run/transits.csv"
rows = np.genfromtxt(table, delimiter=",", names=True, dtype=None, encoding="utf-8")
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
for planet in ("b", "c"):
    time = rows["time"][rows["name"] == planet] * 365.25
    number = np.arange(time.size)
    period, start = np.polyfit(number, time, 1)
    deviation = (time - start - period * number) * 24 * 60
    axes.plot(time, deviation, ".", label=f"planet {planet}, P = {period:.4f} days")
axes.set(xlabel="time [days]", ylabel="early or late [min]")
axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
plt.show()
