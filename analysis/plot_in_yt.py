#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a snapshot in yt with the units that it names, and draws its mass from above.

    analysis/plot_in_yt.py FILE [-o FILE]

yt reads the layout by itself, but neither /Units nor how far the bodies reach.
"""
import argparse
import sys


def fail(status, message):
    print(f"plot_in_yt: error: {message}", file=sys.stderr)
    sys.exit(status)


try:
    import h5py
    import numpy as np
    import yt
except ImportError as error:
    fail(69, f"{error.name} is missing; install it (Debian: python3-h5py, python3-yt)")

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("snapshot", metavar="FILE", help="snapshot_NNNNNN.h5")
parser.add_argument("-o", "--output", metavar="FILE", default="yt.png", help="picture to write (yt.png)")
options = parser.parse_args()

try:
    with h5py.File(options.snapshot) as file:
        units = dict(file["Units"].attrs)
        reach = 1.01 * np.abs(file["PartType1/Coordinates"][...]).max()
except (OSError, KeyError, ValueError) as error:
    fail(65, f"{options.snapshot}: is no snapshot with bodies ({error})")
yt.set_log_level("error")
snapshot = yt.load(options.snapshot, unit_base=units, bounding_box=[[-reach, reach]] * 3)
plot = yt.ParticlePlot(snapshot, ("all", "particle_position_x"), ("all", "particle_position_y"),
                       ("all", "particle_mass"))
plot.save(options.output)
print(options.output)
