# SPDX-License-Identifier: Apache-2.0
"""apsis.Simulation: sources, units, and the numbers of measurements, orbits, events and files. Run by apsis-python."""
import math
import os
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import apsis


def ellipse(e=0.3, a=2.0, m=1e-3, **options):
    """A body of mass 1 with the id 9, and one with the id 4 at the pericentre of an inclined orbit about it, both in motion."""
    inclination, node, argument = 0.5, 0.7, 1.1
    speed = math.sqrt((1 + m) / a * (1 + e) / (1 - e))
    pair = apsis.Bodies([1, m], [[0, 0, 0], [a * (1 - e), 0, 0]], [[0, 0, 0], [0, speed, 0]], id=[9, 4])
    turned = pair.turned(*np.degrees([inclination, node, argument])).moved([1, 2, 3], [0.1, 0.2, 0.3])
    return apsis.Simulation(turned, time_step=0.01, integrator="gauss_radau15", **options)


class Sources(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        self.addCleanup(self._folder.cleanup)

    def test_units_of_bodies_names_and_mappings(self):
        pair = [1, 1], [[0.5, 0, 0], [-0.5, 0, 0]], [[0, 1, 0], [0, -1, 0]]
        solar = apsis.Simulation(apsis.Bodies(*pair, units="solar"), time_step=0.01)
        self.assertEqual((solar.units.system, solar.bodies().units.length), ("solar", "au"))
        custom = apsis.Units.of_names("kpc", "1e10 Msun", "Gyr")
        for units in (custom, {"length": "kpc", "mass": "1e10 Msun", "time": "Gyr"}):
            sim = apsis.Simulation(apsis.Bodies(*pair), time_step=0.01, units=units)
            self.assertEqual((sim.units.length, sim.units.time), ("kpc", "Gyr"))
            self.assertAlmostEqual(sim.G, 44985.0, delta=10)
            self.assertIn("kpc", sim.bodies().units.words())

    def test_solvers_without_softening(self):
        bodies = {"generator": "plummer", "count": 50}
        sim = apsis.Simulation(bodies, time_step=0.01, solver="auto")
        self.assertEqual(sim.deck["gravity"]["solver"], "direct")
        self.assertEqual(apsis.Simulation(bodies, time_step=0.01, solver="fmm").deck["gravity"]["solver"], "fmm")

    def test_files_of_bodies_are_beside_the_deck(self):
        apsis.Bodies([1, 2], [[0, 0, 0], [1, 0, 0]]).save(self.folder / "two.txt")
        deck = apsis.Deck(bodies={"file": "two.txt"}, integrator=apsis.leapfrog_kdk(0.1), run={"steps": 2})
        deck.save(self.folder / "deck.json")
        folder = os.getcwd()
        self.addCleanup(os.chdir, folder)
        os.chdir("/")
        loaded = apsis.Simulation(self.folder / "deck.json", set={"gravity.softening": 0.25})
        self.assertEqual((loaded.bodies().mass.sum(), loaded.deck["gravity"]["softening"]), (3, 0.25))
        outcome = apsis.run(apsis.Deck.load(self.folder / "deck.json"), self.folder / "run", by="process")
        self.assertEqual((outcome.steps, outcome.summary["bodies"]), (2, 2))


class Numbers(unittest.TestCase):
    def test_state_and_steps(self):
        sim = apsis.Simulation({"generator": "plummer", "count": 40, "seed": 2}, softening=0.1, time_step=0.25)
        self.assertEqual([part.step for part in sim.steps(5, every=2)], [2, 4, 5])
        sim.time_step = 0.5
        sim.advance()
        self.assertEqual((sim.time, sim.time_step), (1.75, 0.5))
        self.assertEqual(sim.interactions % 1600, 0)
        self.assertGreater(sim.interactions, 5 * 1600)
        self.assertTrue(sim.kernel)
        self.assertGreaterEqual(sim.threads, 1)
        self.assertEqual(set(sim.species), {1})

    def test_measurements_in_a_moving_frame(self):
        sim = ellipse()
        now, m = sim.measure(), 1 + 1e-3
        self.assertAlmostEqual(now.mass, m, delta=1e-15)
        bodies = sim.bodies()
        np.testing.assert_allclose(now.momentum, bodies.mass @ bodies.velocity, rtol=1e-13)
        np.testing.assert_allclose(now.angular_momentum, (bodies.mass[:, None] * np.cross(bodies.position, bodies.velocity)).sum(0),
                                   rtol=1e-13)
        np.testing.assert_allclose(now.center_of_mass, bodies.mass @ bodies.position / m, rtol=1e-13)
        self.assertAlmostEqual(now.internal, -1e-3 / 4, delta=1e-16)
        moving = 0.5 * sum(now.momentum[k] ** 2 for k in range(3)) / m
        self.assertAlmostEqual(now.total - now.internal, moving, delta=1e-15)

    def test_energy_error_is_that_since_the_first_measurement(self):
        sim = apsis.Simulation({"generator": "plummer", "count": 40, "seed": 2}, softening=0.1, time_step=0.5)
        first = sim.measure().internal
        self.assertEqual(sim.energy_error, 0)
        sim.advance(4)
        now = sim.measure().internal
        self.assertNotEqual(now, first)
        self.assertAlmostEqual(sim.energy_error, (now - first) / abs(first), delta=1e-15)
        with sim.edit() as bodies:
            bodies.velocity *= 0.5
        self.assertEqual(sim.energy_error, 0)

    def test_elements_of_an_inclined_orbit(self):
        sim = ellipse()
        orbits = sim.orbits(9)
        self.assertEqual((orbits.id.tolist(), orbits.id.dtype), ([4], np.uint64))
        elements = [float(column[0]) for column in orbits[1:]]
        wanted = [2.0, 0.3, 0.5, 0.7, 1.1, 0.0, 0.0, 2 * math.pi * math.sqrt(8 / 1.001)]
        np.testing.assert_allclose([math.remainder(value, 2 * math.pi) if 2 <= k < 7 else value for k, value in enumerate(elements)],
                                   wanted, atol=1e-7)
        sim.advance(until=elements[7] / 4)  # Kepler's equation: M = E - e sin E
        later = sim.orbits(9)
        mean = math.pi / 2
        eccentric = mean
        for _ in range(50):
            eccentric = mean + 0.3 * math.sin(eccentric)
        true = 2 * math.atan2(math.sqrt(1.3) * math.sin(eccentric / 2), math.sqrt(0.7) * math.cos(eccentric / 2))
        self.assertAlmostEqual(math.remainder(float(later.mean_anomaly[0]) - mean, 2 * math.pi), 0, delta=1e-7)
        self.assertAlmostEqual(math.remainder(float(later.true_anomaly[0]) - true, 2 * math.pi), 0, delta=1e-7)
        pair = sim.closest_pair()
        self.assertEqual({pair.first, pair.second}, {4, 9})

    def test_density_centre_and_core_radius_follow_the_bodies(self):
        bodies = apsis.plummer(300, seed=1).make()
        near = apsis.Simulation(bodies, time_step=0.1, softening=0.1).density_centre()
        wide = apsis.Bodies(bodies.mass, 2 * bodies.position + [10, 20, 30], bodies.velocity)
        far = apsis.Simulation(wide, time_step=0.1, softening=0.1).density_centre()
        np.testing.assert_allclose(far[0], 2 * np.array(near[0]) + [10, 20, 30], rtol=1e-10)
        self.assertAlmostEqual(far[1], 2 * near[1], delta=1e-10)

    def test_force_errors_are_ordered_percentiles_of_a_sample(self):
        sim = apsis.Simulation({"generator": "plummer", "count": 2000}, time_step=0.1, softening=0.1, precision="single")
        median, most, largest = sim.force_errors(seed=1, sample=300)
        self.assertTrue(0 < median < most <= largest < 1e-3)
        errors = sim.force_errors(seed=1, sample=1)
        self.assertEqual(len(set(errors)), 1)
        self.assertNotEqual(errors, sim.force_errors(seed=2, sample=1))

    def test_events_and_collisions_say_which_where_and_when(self):
        sim = apsis.Simulation(apsis.Deck({"bodies": {"list": [
            {"mass": 1e-9, "position": [1, 0, 0], "velocity": [-1, 0, 0], "radius": 0.1},
            {"mass": 1e-9, "position": [-1, 0, 0], "velocity": [1, 0, 0], "radius": 0.1}]},
            "collisions": {"on_collision": "bounce"}, "integrator": {"time_step": 0.01}}))
        sim.advance(until=1.0)
        event, = sim.events
        self.assertEqual((event["kind"], {event["first"], event["second"]}), ("bounce", {0, 1}))
        self.assertAlmostEqual(event["time"], 0.9, delta=1e-3)
        self.assertAlmostEqual(event["distance"], 0.2, delta=1e-3)
        self.assertAlmostEqual(event["speed"], 2.0, delta=1e-6)
        falling = apsis.Bodies([1, 1], [[0.5, 0, 0], [-0.5, 0, 0]], [[0, 0, 0], [0, 0, 0]])
        with self.assertRaises(apsis.Collision) as caught:
            apsis.Simulation(falling, time_step=0.125, integrator="gauss_radau15").advance(until=4.0)
        self.assertAlmostEqual(caught.exception.time, math.pi / 4, delta=1e-8)
        self.assertTrue(0 < caught.exception.distance < 1e-3)

    def test_states_that_are_not_finite_end_both_calls(self):
        wild = apsis.Bodies([1e200, 1e200], [[0.5, 0, 0], [-0.5, 0, 0]], [[0, 1e100, 0], [0, -1e100, 0]])
        for words in ({"steps": 10}, {"until": 1e101}):
            with self.assertRaises(apsis.NotFinite):
                apsis.Simulation(wild, time_step=1e100).advance(**words)

    def test_snapshots_with_accelerations_and_potentials_and_pictures(self):
        sim = apsis.Simulation({"generator": "plummer", "count": 40}, softening=0.1, time_step=0.1)
        with tempfile.TemporaryDirectory() as folder:
            picture = sim.picture(width=64, height=64)
            picture.save(Path(folder) / "a.png")
            self.assertEqual((Path(folder) / "a.png").read_bytes(), bytes(picture))
            sizes = []
            for number, words in enumerate(({}, {"accelerations": True}, {"potentials": True})):
                path = Path(folder) / f"{number}.h5"
                sim.snapshot(path, **words)
                sizes.append((b"Accelerations" in path.read_bytes(), b"Potential" in path.read_bytes()))
            self.assertEqual(sizes, [(False, False), (True, False), (False, True)])


if __name__ == "__main__":
    unittest.main()
