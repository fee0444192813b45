# SPDX-License-Identifier: Apache-2.0
"""Binary snapshots in GADGET's format 2, with which bodies pass between numpy and the executable: it keeps all digits, ids and
species, and needs no HDF5."""
from __future__ import annotations

from pathlib import Path

import numpy as np

from .errors import INPUT, make_error

TYPES = 6
HEADER_BYTES = 256


def read_gadget(path: Path) -> dict[str, np.ndarray]:
    """Returns mass (N,), position (N, 3), velocity (N, 3), id (N,) and species (N,) of a file that `convert` wrote."""
    data = path.read_bytes()
    blocks, place = {}, 0
    while place < len(data):
        name = data[place + 4:place + 8].decode().strip()
        size = int(np.frombuffer(data, "<u4", 1, place + 16)[0])
        blocks[name] = memoryview(data)[place + 20:place + 20 + size]
        place += 16 + 8 + size
    header = blocks["HEAD"]
    counts = np.frombuffer(header, "<i4", TYPES)
    table = np.frombuffer(header, "<f8", TYPES, 4 * TYPES)
    total = int(counts.sum())

    def column(name, width, kind):
        block = blocks[name]
        each = len(block) // (total * width)
        return np.frombuffer(block, f"<{kind}{each}").reshape((total, width) if width > 1 else (total,))

    species = np.repeat(np.arange(TYPES, dtype=np.int8), counts)
    has_masses = np.repeat((table == 0.0) & (counts > 0), counts)
    mass = table[species]
    if has_masses.any() and "MASS" in blocks:
        block = blocks["MASS"]
        mass[has_masses] = np.frombuffer(block, f"<f{len(block) // int(has_masses.sum())}")
    return {"mass": mass, "position": column("POS", 3, "f"), "velocity": column("VEL", 3, "f"), "id": column("ID", 1, "u"),
            "species": species}


def write_gadget(path: Path, bodies) -> None:
    """Writes `Bodies`, species by species, those without a species as dark bodies, with numbers of 64 bits."""
    count = len(bodies)
    if count >= 2 ** 26:
        raise make_error(INPUT, f"bodies: {count} are too many for a block of 4 GiB; save them in parts")
    species = np.ones(count, dtype=np.int8) if bodies.species is None else bodies.species
    order = np.argsort(species, kind="stable")
    counts = np.bincount(species, minlength=TYPES).astype("<i4")
    header = bytearray(HEADER_BYTES)
    header[0:24] = counts.tobytes()
    header[96:120] = counts.tobytes()   # totals
    header[124:128] = np.array(1, "<i4").tobytes()  # number of files
    with open(path, "wb") as file:
        for name, data in (("HEAD", bytes(header)), ("POS ", bodies.position[order].astype("<f8").tobytes()),
                           ("VEL ", bodies.velocity[order].astype("<f8").tobytes()), ("ID  ", bodies.id[order].astype("<u8").tobytes()),
                           ("MASS", bodies.mass[order].astype("<f8").tobytes())):
            size = np.array(len(data), "<u4").tobytes()
            length = np.array(8, "<u4").tobytes()
            file.write(length + name.encode() + np.array(len(data) + 8, "<u4").tobytes() + length + size + data + size)
