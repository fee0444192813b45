# SPDX-License-Identifier: Apache-2.0
"""Reads snapshots with h5py, independently of Apsis. Checks every number to the last bit, and the metadata that the
readers of yt, pynbody and SWIFT need.

    read_snapshot.py WRITER DIRECTORY

WRITER is apsis_snapshot_sweep, which writes samples to DIRECTORY. If yt is installed (Debian: python3-yt), it opens a sample as the manual
describes; the metadata that its reader needs are checked with h5py in any case.
"""
import os
import shutil
import subprocess
import sys

import h5py
import numpy as np

failures = 0


def check(condition, *what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", *what)


def bits(values):
    """Numbers as integers, so that -0.0 and 0.0 differ."""
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def compare(file, expected, real):
    """Compares every number to the last bit."""
    bodies = file["PartType1"]
    columns = {"Masses": expected[:, 0], "Potential": expected[:, 1], "Coordinates": expected[:, 2:5],
               "Velocities": expected[:, 5:8], "Acceleration": expected[:, 8:11]}
    for name, values in columns.items():
        if len(values) == 0 and name in ("Potential", "Acceleration"):
            continue  # not written
        dtype = np.dtype("f8") if name == "Potential" else np.dtype(real)
        stored = bodies[name]
        check(stored.dtype == dtype, name, "is", stored.dtype)
        check(stored.shape == values.shape, name, "has shape", stored.shape)
        check(np.array_equal(bits(stored[...]), bits(values.astype(dtype))), name, "differs")


def pynbody_unit(description, key):
    """Power of a unit in VarDescription, parsed as pynbody/snapshot/gadgethdf.py does."""
    start = description.find(key)
    if start < 0:
        return 0
    power = -1 if start > 0 and description[start - 1] == "/" else 1
    rest = description[start + len(key):]
    if rest.startswith("^"):
        power *= int(rest[1:-1].split()[0])
    return power


def check_layout(file, count):
    header = file["Header"].attrs
    # yt/frontends/gadget checks the groups and reads attributes unconverted. With BoxSize 0 it determines the domain
    # itself; it must be a scalar, because an array has no truth value.
    check(not {"FOF", "Group", "Subhalo"} & set(file), "yt would reject these groups")
    check(header["Code"].decode("utf-8") != "SWIFT", "yt would treat it as a SWIFT file")
    check(np.ndim(header["BoxSize"]) == 0 and header["BoxSize"] == 0, "BoxSize")
    for name in "Redshift", "OmegaLambda", "Omega0", "HubbleParam", "Time":
        check(np.ndim(header[name]) == 0, name)
    check(header["OmegaLambda"] == 0 and header["Redshift"] == 0, "a cosmology")
    check(header["NumFilesPerSnapshot"] == 1, "NumFilesPerSnapshot")
    # A seventh type would be an index out of range in yt.
    for name in "NumPart_ThisFile", "NumPart_Total", "TotalNumberOfParticles":
        check(list(header[name]) == [0, count, 0, 0, 0, 0], name)
    check(list(header["MassTable"]) == [0] * 6, "MassTable")
    units = file["Units"].attrs
    for name in "UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s", "UnitTime_in_s":
        check(float(units[name]) > 0, name)
    check(np.isclose(units["UnitLength_in_cm"] / units["UnitTime_in_s"],
                     units["UnitVelocity_in_cm_per_s"], rtol=1e-14), "the unit of velocity")

    # pynbody/snapshot/swift.py accepts files with /Policy. gadgethdf.py uses /Parameters as the header, interprets a
    # HubbleParam there as a cosmology, and uses the lengths of ParticleIDs as the counts.
    check("Policy" not in file, "pynbody would treat it as a SWIFT file")
    check("HubbleParam" not in file["Parameters"].attrs, "pynbody would treat it as cosmological")
    check("Time_GYR" in file["Parameters"].attrs, "pynbody would compute an age")
    check(file["PartType1/ParticleIDs"].size == count, "ParticleIDs")

    # The tools of SWIFT expect arrays of one number, SWIFT itself counts in two words.
    for group in "Units", "InternalCodeUnits":
        for name in "mass in cgs (U_M)", "length in cgs (U_L)", "time in cgs (U_t)", \
                    "current in cgs (U_I)", "temperature in cgs (U_T)":
            check(file[group].attrs["Unit " + name][0] > 0, group, name)
    low, high = header["NumPart_Total"], header["NumPart_Total_HighWord"]
    check(low.dtype == np.uint32 and high.dtype == np.uint32 and len(low) == len(high) == 6, "words")
    check(int(low[1]) + (int(high[1]) << 32) == count, "NumPart_Total")
    check(header["Dimension"] == 3 and header["Scale-factor"] == 1, "Dimension or Scale-factor")
    check(header["Flag_Entropy_ICs"] == 0, "Flag_Entropy_ICs")
    check(file["Cosmology"].attrs["Cosmological run"][0] == 0, "Cosmological run")
    code, scheme = file["Code"].attrs, file["GravityScheme"].attrs
    check(code["Code"] == b"Apsis", "Code")  # yt decides by this attribute whether SWIFT wrote the file
    check(code["Code Version"] == file["Apsis"].attrs["Version"], "Code Version")
    check(code["Git Revision"] == file["Apsis"].attrs["Git"], "Git Revision")
    check((scheme["Solver"], scheme["Softening scheme"]) == (b"fmm", b"spline"), "GravityScheme")
    lengths = scheme["Softening lengths by particle type [internal units]"]
    check(list(lengths) == [0, 0.1, 0.2, 0.3, 0.4, 0.5], "softening lengths", lengths)
    check(scheme["Relative accuracy of accelerations (99th percentile)"] == 1e-4, "accuracy")
    bodies = file["PartType1"]
    check(bodies.attrs["NumberOfFields"][0] == len(bodies), "NumberOfFields")
    if count > 0:
        check(bodies["Potentials"] == bodies["Potential"], "Potentials")
        check(bodies["Accelerations"] == bodies["Acceleration"], "Accelerations")

    length = float(units["UnitLength_in_cm"])
    mass = float(units["UnitMass_in_g"])
    time = float(units["UnitTime_in_s"])
    for name, power in {"Coordinates": (0, 1, 0), "Velocities": (0, 1, -1), "Masses": (1, 0, 0),
                        "Acceleration": (0, 1, -2), "Potential": (0, 2, -2),
                        "ParticleIDs": (0, 0, 0)}.items():
        if name not in bodies:
            check(count == 0, name, "is missing")
            continue
        dataset = bodies[name]
        attributes = dataset.attrs
        factor = mass ** power[0] * length ** power[1] * time ** power[2]
        exponents = tuple(attributes[f"U_{unit} exponent"][0] for unit in "MLt")
        check(exponents == power, name, "has the exponents", exponents)
        for key in ("Conversion factor to CGS (not including cosmological corrections)",
                    "Conversion factor to physical CGS (including cosmological corrections)"):
            check(np.isclose(attributes[key][0], factor, rtol=1e-12), name, key)
        check(attributes["a-scale exponent"][0] == 0 and attributes["h-scale exponent"][0] == 0, name)
        for key in "Description", "Expression for physical CGS units":
            check(len(attributes[key]) > 0, name, key)
        gadget = length ** attributes["length_scaling"] * mass ** attributes["mass_scaling"] * \
            (length / time) ** attributes["velocity_scaling"]
        check(np.isclose(gadget, factor, rtol=1e-12), name, "has GADGET-4's scalings wrong")
        check(np.isclose(attributes["to_cgs"], factor, rtol=1e-12), name, "to_cgs")
        text = attributes["VarDescription"].decode()
        owls = length ** pynbody_unit(text, "U_L") * mass ** pynbody_unit(text, "U_M") * \
            (length / time) ** pynbody_unit(text, "U_V")
        check(np.isclose(owls, factor, rtol=1e-12), name, "means something else to pynbody")
        check(np.isclose(attributes["CGSConversionFactor"], factor, rtol=1e-3), name, "CGS")
        check(dataset.fletcher32 or count == 0, name, "has no checksum")
        # Time stamps would make files of equal snapshots differ.
        check(not dataset.id.get_create_plist().get_obj_track_times(), name, "has a time stamp")


def can_load_yt():
    """Whether yt is installed with its own dependencies (matplotlib, Pillow, ...)."""
    try:
        import yt  # noqa: F401
    except ImportError as missing:
        print(f"not read by yt: {missing}")
        return False
    return True


def check_in_yt(path, expected):
    """Reads a sample with yt, with the units of the file."""
    import yt
    yt.set_log_level(50)
    with h5py.File(path) as file:
        units = dict(file["Units"].attrs)
    ds = yt.load(path, unit_base=units, bounding_box=[[-100, 100]] * 3)
    bodies = ds.all_data()
    for name, columns, unit in (("particle_mass", 0, "code_mass"),
                                ("particle_position", slice(2, 5), "code_length"),
                                ("particle_velocity", slice(5, 8), "code_velocity")):
        read = np.asarray(bodies["PartType1", name].to(unit))
        values = expected[:, columns]
        check(read.shape == values.shape, "yt:", name, "has shape", read.shape)
        # yt multiplies by the unit and divides by it again, hence the tolerance.
        check(np.allclose(read, values, rtol=1e-15, atol=0), "yt:", name, "differs")
    parsec, year = 3.0856775814913673e18, 365.25 * 86400
    check(np.isclose(float(ds.length_unit.to("cm")), parsec, rtol=1e-12), "yt: the unit of length")
    check(np.isclose(float(ds.time_unit.to("s")), 1e6 * year, rtol=1e-12), "yt: the unit of time")
    check(np.isclose(float(ds.mass_unit.to("g")), 1.98841e33, rtol=1e-4), "yt: the unit of mass")
    check(np.isclose(float(ds.current_time.to("code_time")), (2 ** 40 + 3) / 3, rtol=1e-15), "yt: the time")
    plot = yt.ParticlePlot(ds, ("all", "particle_position_x"), ("all", "particle_position_y"),
                           ("all", "particle_mass"))
    plot.save(path + ".png")
    check(os.path.exists(path + ".png"), "yt: no plot")
    print("yt", yt.__version__, "opens", path)


def main(writer, directory):
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    subprocess.run([writer, "-tc=samples"], env={**os.environ, "APSIS_SNAPSHOT_SAMPLES": directory},
                   check=True, stdout=subprocess.DEVNULL)
    for sample, real in {"double": "f8", "single": "f4", "compressed": "f8", "plain": "f8",
                         "empty": "f8"}.items():
        path = os.path.join(directory, sample + ".h5")
        with open(path + ".txt") as text:
            lines = [line.split() for line in text]
        ids = np.array([int(line[0]) for line in lines], dtype=np.uint64)
        expected = np.array([[float.fromhex(x) for x in line[1:]] for line in lines]).reshape(-1, 11)
        with h5py.File(path, "r") as file:
            print(path, len(ids), "bodies")
            check(np.array_equal(file["PartType1/ParticleIDs"][...], ids), "ParticleIDs differ")
            compare(file, expected, real)
            check_layout(file, len(ids))
            run = file["Apsis"].attrs
            check(run["Step"] == 2 ** 40 + 3 and run["Step"].dtype.kind == "u", "Step")
            check(file["Header"].attrs["Time"] == (2 ** 40 + 3) * (1 / 3), "Time")
            check(file["Apsis/Deck"][0].decode().startswith('{"title"'), "Deck")
            check((run["UnitsAreKnown"] == 1) == (run["UnitSystem"] != b"henon"), "UnitsAreKnown")
            check((file["PartType1/Masses"].compression == "gzip") == (sample == "compressed"), "gzip")
        if sample == "plain" and can_load_yt():
            check_in_yt(path, expected)
    print("FAILED" if failures else "all agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
