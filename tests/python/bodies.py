# SPDX-License-Identifier: Apache-2.0
"""Bodies: shapes, files in every format, species, ids, units, rotations."""
import numpy as np

import apsis
from harness import check, make_deck, raises, work

random = np.random.default_rng(1)
mass, position, velocity = random.random(6) + 0.5, random.random((6, 3)), random.random((6, 3))
some = apsis.Bodies(mass, position, velocity, id=[9, 8, 7, 3, 2, 1], units="solar")
mixed = apsis.Bodies(mass, position, velocity, species=["disk", "dark", "disk", "gas", "stars", "dark"])
for words in (dict(mass=mass, position=position[:5]), dict(mass=mass, position=position, id=[1]),
              dict(mass=mass, position=position, species="none"), dict(mass=mass, position=position, units="imperial")):
    raises(apsis.BadInput, f"bodies with {list(words)}", apsis.Bodies, **words)

# Files keep all digits, ids, order and units.
for name in ("bodies.txt", "bodies.csv", "bodies.h5"):
    lost = some.save(name)
    read = apsis.Bodies.load(name)
    check(lost == [] and np.array_equal(read.position, position) and np.array_equal(read.mass, mass) and
          np.array_equal(read.velocity, velocity) and np.array_equal(read.id, some.id), f"{name} keeps the numbers; lost {lost}")
    check(read.units == some.units, f"{name} keeps the units: {read.units}")
odd = apsis.Units.of_names("kpc", "1.2345678901234567e+40 kg", "Gyr")
apsis.Bodies(mass, position, units=odd).save("odd.h5")
units = apsis.Bodies.load("odd.h5").units
check((units.length, units.time) == ("kpc", "Gyr") and abs(float(units.mass.split()[0]) / 1.2345678901234567e40 - 1) < 1e-15,
      f"a unit without a name keeps its digits: {units}")
lost = some.save("bodies.bin")
check("32 bits" in " ".join(lost) and np.allclose(apsis.Bodies.load("bodies.bin").position, position, rtol=1e-6), f"tipsy: {lost}")
mixed.save("mixed.h5")
read = apsis.Bodies.load("mixed.h5")
order = np.argsort(mixed.species, kind="stable")
check(np.array_equal(read.id, mixed.id[order]) and np.array_equal(read.species, mixed.species[order]), "HDF5 keeps species")
check(mixed.save("mixed.txt") == ["species are left out"], "what a format cannot store is returned")
error = raises(apsis.FileError, "an existing file", some.save, "bodies.txt")
check("replace=True" in str(error), f"advice on an existing file: {error}")
check(some.save("bodies.txt", replace=True) == [], "a file is replaced on request")
raises(apsis.FileError, "a missing file", apsis.Bodies.load, "nowhere.txt")
(work / "words.txt").write_text("these are words\n")
raises(apsis.BadInput, "a file of words", apsis.Bodies.load, "words.txt")

# Parts and sums.
check(np.array_equal(mixed["disk"].mass, mass[[0, 2]]) and len(mixed["bulge"]) == 0 and len(mixed[mass > 0]) == 6 and len(mixed[2]) == 1,
      "species, masks and indices")
raises(apsis.BadInput, "a species that does not exist", lambda: mixed["comets"])
both = some + some
check(len(both) == 12 and len(set(both.id)) == 12 and np.array_equal(both.id[:6], some.id), f"ids that meet: {both.id}")
raises(apsis.BadInput, "bodies of different units", lambda: some + mixed)
centred = some.moved(position=(1, 2, 3), velocity=(4, 5, 6)).centred()
check(np.allclose(centred.mass @ centred.position, 0, atol=1e-14) and np.allclose(centred.mass @ centred.velocity, 0, atol=1e-14),
      "the centre of mass is at rest at the origin")

# Rotations are those of the parts of a composite.
angles = {"inclination": 30.0, "node": 50.0, "argument": 70.0}
rotated = some.centred().turned(**angles)
deck = make_deck(bodies=apsis.composite(apsis.part(apsis.Bodies(mass, position, velocity).centred(), **angles)), run={"steps": 0},
                 integrator=apsis.leapfrog_kdk(0.5), diagnostics={"trajectories": {"bodies": [0, 5], "interval": 0.5}})
table = apsis.run(deck, threads=1).run.table("trajectories")
there = np.array([[table[axis][row] for axis in "xyz"] for row in (0, 1)])
check(np.allclose(there, rotated.position[[0, 5]], atol=1e-14), f"rotated as in a composite: {there} {rotated.position[[0, 5]]}")
raises(apsis.BadInput, "too many bodies for a deck", apsis.Deck, bodies=apsis.Bodies(np.ones(20000), np.zeros((20000, 3))))

# Bodies of a model.
galaxy = apsis.disk_galaxy(40, seed=3).make(softening=0.1)
check(len(galaxy) == 40 and len(galaxy["disk"]) == 10 and np.isclose(galaxy["disk"].mass.sum(), 1) and
      np.isclose(galaxy["dark"].mass.sum(), 5), f"bodies of a model: {galaxy}")
planets = apsis.solar_system().make(units="solar")
check(planets.units.length == "au" and np.isclose(planets.mass.max(), 1), f"bodies with units: {planets}")
