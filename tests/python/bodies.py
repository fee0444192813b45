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

# Units by names are those names, and no others; names that contradict a system are refused.
days = apsis.Units(length="au", mass="Msun", time="day")
check((days.system, days.velocity, days.section()) == ("custom", "au day^-1", {"length": "au", "mass": "Msun", "time": "day"}) and
      apsis.Units("solar") == planets.units and apsis.Units().system == "henon", f"units by names: {days}")
for words in ({"system": "solar", "length": "kpc"}, {"system": "henon", "length": "au"}, {"system": "imperial"}):
    raises(apsis.BadInput, f"units {words}", apsis.Units, **words)

# Units of bodies are those of their deck; a deck with others is refused, whatever the order.
near = apsis.Bodies([1, 3e-6], [[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 0.0172021, 0]], units=days, radius=[0.005, 4e-5],
                    name=["Sun", "Earth"])
deck = apsis.Deck(bodies=near, integrator=apsis.gauss_radau15(10), run={"end_time": 3650})
check(deck["units"] == days.section() and deck["bodies"]["list"][1]["name"] == "Earth" and
      deck["bodies"]["list"][0]["radius"] == 0.005, f"a deck of bodies with units, names and radii: {deck}")
check(abs(deck.check().facts["units"]["G"] / 0.01720209895**2 - 1) < 1e-5, f"G of these units: {deck.check().facts['units']}")
for what, change in {"in one call": lambda: apsis.Deck(bodies=near, units="solar"), "by set": lambda: deck.set("units", "solar"),
                     "by a key": lambda: deck.set("units.time", "yr"), "later": lambda: deck.copy().update(units="solar"),
                     "of a part": lambda: apsis.Deck(units="solar", bodies=apsis.composite(apsis.part(near)))}.items():
    check("contradict those of the Bodies" in str(raises(apsis.BadInput, f"other units {what}", change)), f"other units {what}")
check(apsis.Deck(bodies=near, units={"length": 149597870700.0, "mass": "Msun", "time": 86400})["units"]["time"] == 86400,
      "the same units by size")
planets_deck = apsis.Deck(bodies=apsis.Bodies(planets.mass, planets.position, planets.velocity, units="solar"),
                          integrator=apsis.gauss_radau15(0.25), run={"end_time": 10},
                          diagnostics={"orbital_elements": {"interval": 10}})
table = apsis.run(planets_deck, threads=1).run.table("orbital_elements")
check(np.allclose(table["semi_major_axis"][-4:] > 5, True) and abs(table["semi_major_axis"][-6] - 1.0) < 0.01,
      f"planets of Bodies with units keep their orbits: {table['semi_major_axis']}")

# What a list in a deck cannot hold is refused.
for what, each in {"ids": some[3], "species": mixed}.items():
    check(f"would lose their {what}" in str(raises(apsis.BadInput, f"{what} in a deck", apsis.Deck, bodies=each)), f"{what} in a deck")

# Names and radii stay with their bodies.
both = near + apsis.Bodies([0], [[2, 0, 0]], units=days)
check(both.name == ["Sun", "Earth", ""] and both.radius.tolist() == [0.005, 4e-5, 0] and both["Earth"].id[0] == 1 and
      both.moved().name == both.name and both[1:].name == ["Earth", ""] and both.index("Earth") == 1, f"names and radii: {both.name}")
raises(apsis.BadInput, "one name twice", lambda: near + near)
raises(apsis.UsageError, "a name that is none", both.index, "Venus")
check(near.save("radii.txt") == ["names are left out"] and apsis.Bodies.load("radii.txt").radius.tolist() == [0.005, 4e-5], "radii in a file")

# Ids and numbers that are none.
for words in (dict(id=[-1, 0]), dict(id=[0.5, 1]), dict(radius=[1]), dict(name=["a"])):
    raises(apsis.BadInput, f"bodies with {words}", apsis.Bodies, [1, 1], np.zeros((2, 3)), **words)
raises(apsis.BadInput, "masked masses", apsis.Bodies, np.ma.array([1, 2], mask=[0, 1]), np.zeros((2, 3)))
last = apsis.Bodies([1], [[0, 0, 0]], id=[2**64 - 1])
raises(apsis.BadInput, "no ids are left", lambda: last + last)

# Attributes that do not exist are refused, with the word that is meant.
run = apsis.load_run("cluster")
for owner, name, word in ((near, "N", "len(bodies)"), (near, "velocty", "velocity"), (near, "names", "bodies.name"),
                          (deck, "dt", 'deck.set("integrator.time_step", ...)'), (deck, "gravity", 'deck["gravity"]'),
                          (run, "time", 'run.summary["time"]'), (days, "lenght", "length")):
    check(word in str(raises(AttributeError, f"{name} is read", getattr, owner, name)), f"the word for {name}")
    try:
        setattr(owner, name, 1)
        check(False, f"{name} is set")
    except AttributeError:
        pass
near.mass[1] = 3.1e-6  # what exists can be set
near.velocity = np.zeros((2, 3))
