# SPDX-License-Identifier: Apache-2.0
"""A snapshot in yt, which reads the layout but neither /Units nor the extent of the bodies."""
import h5py
import numpy as np

from . import style
from ..snapshots import open_snapshot


def run(options):
    snapshot = open_snapshot(options.snapshot)
    reach = 1.01 * max(np.abs(piece.position).max() for piece in snapshot.pieces("position")) or 1.0
    with h5py.File(options.snapshot) as file:
        units = dict(file["Units"].attrs) if "Units" in file else None
    import yt  # after the snapshot: a bad file is refused at once, even if yt is not installed or takes seconds to load

    yt.set_log_level("error")
    loaded = yt.load(options.snapshot, unit_base=units, bounding_box=[[-reach, reach]] * 3)
    plot = yt.ParticlePlot(loaded, ("all", "particle_position_x"), ("all", "particle_position_y"), ("all", "particle_mass"))
    plot.render()
    figure = plot.plots[("all", "particle_mass")].figure
    yield f"{options.snapshot}: {snapshot.count} bodies in yt {yt.__version__}"
    yield style.save(figure, options.output)
