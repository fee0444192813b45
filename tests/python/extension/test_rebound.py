# SPDX-License-Identifier: Apache-2.0
"""Well-known tasks of users of REBOUND, with the numbers of REBOUND 5.0.0 (docs/python/from-rebound.md). Run by apsis-python."""
import math
import unittest

import numpy as np

import apsis

THREE = {"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 1e-3, "semi_major_axis": 1, "eccentricity": 0.1},
                  {"mass": 1e-3, "semi_major_axis": 1.7, "eccentricity": 0.05, "inclination": math.degrees(0.02)}],
         "orbits_about": "jacobi", "centre": True}


class Tasks(unittest.TestCase):
    def test_bodies_by_elements(self):
        sim = apsis.Simulation(THREE, integrator="gauss_radau15", time_step=1)
        sim.advance(until=100)
        position = sim.bodies().position
        np.testing.assert_allclose(position[1, :2], [0.80333, -0.45496], atol=5e-6)
        np.testing.assert_allclose(sim.bodies().mass @ position, 0, atol=1e-13)

    def test_orbits_of_elements_are_these_elements(self):
        orbits = apsis.Simulation(THREE, integrator="gauss_radau15", time_step=1).orbits(about="jacobi", angles="degrees")
        np.testing.assert_allclose(orbits.semi_major_axis, [1, 1.7], rtol=1e-13)
        np.testing.assert_allclose(orbits.eccentricity, [0.1, 0.05], rtol=1e-12)
        self.assertAlmostEqual(orbits.inclination[1], math.degrees(0.02), delta=1e-12)

    def test_test_particles_about_the_barycentre(self):
        # A distant massless body outside of a planet: its orbit about the star oscillates, its Jacobi orbit does not.
        sim = apsis.Simulation({**THREE, "list": [*THREE["list"][:2], {"mass": 0, "semi_major_axis": 20, "eccentricity": 0.1}]},
                               integrator="wisdom_holman", time_step=0.05)
        changes = {"jacobi": [], "primary": []}
        for _ in sim.steps(4000, every=10):
            for about, values in changes.items():
                values.append(abs(sim.orbits(about=about).semi_major_axis[1] / 20 - 1))
        self.assertLess(max(changes["jacobi"]), 3e-5)
        self.assertGreater(max(changes["primary"]), 20 * max(changes["jacobi"]))

    def test_transit_times(self):
        # REBOUND's example of transit timing variations: extremes -0.65865 and 0.74280 h.
        sim = apsis.Simulation({"list": [{"mass": 1, "position": [0, 0, 0]},
                                         {"mass": 1e-5, "semi_major_axis": 1, "eccentricity": 0.1, "argument": math.degrees(0.25)},
                                         {"mass": 1e-5, "semi_major_axis": 1.757}], "orbits_about": "jacobi", "centre": True},
                               integrator="gauss_radau15", time_step=0.25,
                               diagnostics={"transits": {"bodies": [1], "observer": [1, 0, 0]}})
        sim.advance(until=174 * 2 * math.pi + 20)
        times = sim.transits["time"][:174]
        number = np.arange(174)
        variation = (times - np.polyval(np.polyfit(number, times, 1), number)) * 24 * 365 / (2 * math.pi)
        self.assertAlmostEqual(variation.min(), -0.65865, delta=2e-4)
        self.assertAlmostEqual(variation.max(), 0.74280, delta=2e-4)

    def test_encounter(self):
        sim = apsis.Simulation(apsis.Deck(
            bodies={**THREE, "list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 1e-3, "semi_major_axis": 1},
                                      {"mass": 5e-3, "semi_major_axis": 1.25}]},
            run={"encounter_distance": 0.15, "escape_radius": 50}, integrator=apsis.gauss_radau15(0.1)))
        sim.advance(until=1000)
        self.assertEqual(sim.stop.reason, "encounter")
        self.assertLess(sim.stop.distance, 0.15)
        self.assertLess(sim.time, 100)

    def test_words_of_rebound_name_those_of_apsis(self):
        with self.assertRaises(apsis.BadInput) as caught:
            apsis.Simulation({"list": [{"m": 1, "position": [0, 0, 0]}, {"mass": 0, "a": 1, "e": 0.1, "inc": 0.1}]}, integrator="ias15",
                             time_step=1)
        for word in ("mass", "semi_major_axis", "eccentricity", "inclination", "gauss_radau15"):
            self.assertIn(word, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
