# SPDX-License-Identifier: Apache-2.0
"""apsis.Simulation: steps, views, changes, measurements, saved states, errors. Run by apsis-python."""
import copy
import gc
import math
import pickle
import sys
import tempfile
import threading
import unittest
import warnings
from pathlib import Path

import numpy as np

import apsis


from apsis.simulations.extension import _apsis

ON_HOST = _apsis.build()["backend"] in ("serial", "openmp")


def host(sim):
    """The bodies on the host, of any backend."""
    return sim.bodies()


def circle(mass=1.0):
    """Two bodies at a distance of 1 on circles, with the period 2 pi / sqrt(2 mass)."""
    v = math.sqrt(mass / 2)
    return apsis.Bodies([mass, mass], [[0.5, 0, 0], [-0.5, 0, 0]], [[0, v, 0], [0, -v, 0]])


def sphere(count=200, **options):
    return apsis.Simulation({"generator": "plummer", "count": count, "seed": 1}, softening=0.01, time_step=1 / 64, **options)


class Steps(unittest.TestCase):
    def test_lands_exactly_and_follows_the_orbit(self):
        sim = apsis.Simulation(circle(), time_step=1e-3, integrator="blanes_moan6")
        for time in (0.1, 0.12345, 1.0):
            sim.advance(until=time)
            self.assertAlmostEqual(sim.time, time, delta=1e-15)
            angle = math.sqrt(2) * time
            np.testing.assert_allclose(host(sim).position[0], [0.5 * math.cos(angle), 0.5 * math.sin(angle), 0], atol=1e-12)

    def test_calls_have_the_bits_of_one_call(self):
        single, many = sphere(), sphere()
        single.advance(20)
        for part in many.steps(20, every=7):
            self.assertIs(part, many)
        np.testing.assert_array_equal(host(single).position, host(many).position)
        self.assertEqual(single.step, 20)

    def test_turning_back_returns(self):
        sim = apsis.Simulation(circle(), time_step=1e-2)
        sim.advance(until=0.5)
        sim.turn_back()
        sim.advance(until=0.0)
        np.testing.assert_allclose(host(sim).position[0], [0.5, 0, 0], atol=1e-13)

    def test_wrong_calls(self):
        sim = apsis.Simulation(circle(), time_step=1e-2)
        sim.advance(until=0.5)
        with self.assertRaises(apsis.UsageError) as caught:
            sim.advance(until=0.1)
        self.assertIn("cannot be reached", str(caught.exception))
        with self.assertRaises(apsis.UsageError):
            sim.advance(3, until=1.0)
        with self.assertRaises(apsis.BadInput):
            sim.time_step = 0.0
        for call in (lambda: sim.advance(-1), lambda: sim.advance(1.5), lambda: sim.advance("3"), lambda: sim.advance(until="late"),
                     lambda: sim.steps(10, every=0), lambda: sim.orbits(-1), lambda: sim.orbits("Sun"), lambda: sim.remove("Venus"),
                     lambda: sim.add({"mass": 1}, mass=2), lambda: sim.add([3]), lambda: sim.field([1, 2]),
                     lambda: apsis.Simulation(np.zeros((3, 3)), time_step=0.1)):
            with self.assertRaises(apsis.Error) as caught:
                call()
            self.assertNotIn("incompatible function arguments", str(caught.exception))
        self.assertEqual(sim.time, 0.5)

    def test_a_loop_has_a_length(self):
        steps = sphere().steps(10, every=4)
        self.assertEqual(len(steps), 3)
        self.assertEqual([sim.step for sim in steps], [4, 8, 10])

    def test_starts_at_a_time(self):
        sim = apsis.Simulation(circle(), time_step=0.25, start_time=3.0)
        sim.advance()
        self.assertEqual(sim.time, 3.25)
        deck = apsis.Deck(bodies=apsis.figure_eight(), integrator=apsis.rk4(0.25))
        self.assertEqual(apsis.Simulation(deck, set={"run.start_time": -1.0}).time, -1.0)

    def test_collision_and_not_finite_are_exceptions(self):
        bodies = apsis.Bodies([1, 1], [[1, 0, 0], [-1, 0, 0]], [[0, 0, 0], [0, 0, 0]])
        sim = apsis.Simulation(bodies, time_step=0.1, integrator={"name": "hermite4", "stepping": {"mode": "adaptive"}})
        with self.assertRaises(apsis.Collision) as caught:
            sim.advance(until=10.0)
        self.assertEqual(sorted(caught.exception.ids), [0, 1])
        self.assertEqual(caught.exception.exit_status, 70)
        sim = apsis.Simulation(circle(1e200), time_step=1e100)
        with self.assertRaises(apsis.NotFinite):
            sim.advance(10)


class Attributes(unittest.TestCase):
    def test_unknown_attributes_are_refused_with_the_right_word(self):
        sim = sphere()
        for name, word in (("dt", "sim.time_step"), ("t", "sim.time"), ("N", "sim.count"), ("particles", "sim.position[i]"),
                           ("integrator", "Simulation(..., integrator=...)"), ("softening", "Simulation(..., softening=...)"),
                           ("integrate", "sim.advance(until=time)"), ("move_to_com", "bodies.move_to_centre()"),
                           ("positon", "position"), ("events_", "events")):
            with self.assertRaises(AttributeError) as caught:
                getattr(sim, name)
            self.assertIn(word, str(caught.exception))
            with self.assertRaises(AttributeError) as caught:
                setattr(sim, name, 0.5)
            self.assertIn(word, str(caught.exception))
            self.assertFalse(hasattr(sim, name))
        for name, word in (("time", "sim.advance(until=...)"), ("position", "sim.edit()"), ("G", "units"), ("steps", "sim.steps(10)")):
            with self.assertRaises(AttributeError) as caught:
                setattr(sim, name, 0.5)
            self.assertIn(word, str(caught.exception))
        sim.time_step = 1 / 32  # what can be set

        class Mine(apsis.Simulation):
            pass

        mine = Mine(circle(), time_step=0.1)
        mine.label = "my own"
        self.assertEqual(mine.label, "my own")
        with self.assertRaises(AttributeError):
            mine.dt = 0.1


class DeviceArrays(unittest.TestCase):
    """Arrays that the host cannot read; on a host they are made as if it could not."""

    def setUp(self):
        _apsis._pretend_device(True)
        self.addCleanup(_apsis._pretend_device, False)

    def test_they_behave_as_arrays(self):
        sim = sphere()
        bodies = sim.bodies()
        position = sim.position
        self.assertIsInstance(position, apsis.DeviceArray)
        self.assertEqual((position.shape, position.dtype, len(position)), ((200, 3), np.float64, 200))
        np.testing.assert_array_equal(np.asarray(position), bodies.position)
        np.testing.assert_array_equal(np.asarray(position.T), bodies.position.T)
        np.testing.assert_array_equal(position[3:5, 1], bodies.position[3:5, 1])
        x, y, z = position.T
        self.assertAlmostEqual((x**2 + y**2 + z**2).max(), (bodies.position**2).sum(axis=1).max(), delta=1e-15)
        np.testing.assert_array_equal(2 * sim.mass - sim.mass, bodies.mass)
        self.assertEqual(np.sqrt(sim.mass).sum(), np.sqrt(bodies.mass).sum())
        np.testing.assert_array_equal(np.linalg.norm(position, axis=1), np.linalg.norm(bodies.position, axis=1))
        self.assertEqual(sim.id[2], 2)
        self.assertEqual(sphere(precision="single").position.dtype, np.float32)
        sim.remove(sim.id[2])
        self.assertEqual(sim.count, 199)
        self.assertEqual(position.shape, (200, 3))  # the memory lives
        with self.assertRaises(TypeError):
            position[0] = 1.0
        with self.assertRaises(ValueError):
            np.asarray(position)[0] = 1.0
        self.assertIn("DeviceArray", repr(position))
        if ON_HOST:
            self.assertEqual(position.__dlpack_device__(), (1, 0))
        for array in (sim.position, sim.position.T):
            self.assertEqual(type(array.__dlpack__()).__name__, "PyCapsule")

    def test_observers_and_bodies_have_them_too(self):
        sim = sphere()
        self.assertEqual(type(sim.bodies().mass), np.ndarray)
        self.assertEqual(sim.index(5), 5)
        sim.advance(2)
        np.testing.assert_array_equal(np.asarray(sim.velocity), sim.bodies().velocity)


@unittest.skipUnless(ON_HOST, "the arrays stay on the device")
class Arrays(unittest.TestCase):
    def test_views_are_live_read_only_and_survive_the_simulation(self):
        sim = sphere()
        position, mass = sim.position, sim.mass
        self.assertEqual(position.shape, (200, 3))
        self.assertEqual(position.strides, (8, 8 * 200))
        self.assertFalse(position.flags.writeable)
        self.assertTrue(position.T[0].flags.c_contiguous)
        before = position.copy()
        sim.advance(3)
        self.assertTrue((position != before).any())
        self.assertEqual(np.asarray(sim.position).__array_interface__["data"], position.__array_interface__["data"])
        after = position.copy()
        del sim
        gc.collect()
        np.testing.assert_array_equal(position, after)
        self.assertAlmostEqual(mass.sum(), 1.0, delta=1e-12)

    def test_precision_is_that_of_the_simulation(self):
        self.assertEqual(sphere(precision="single").position.dtype, np.float32)
        self.assertEqual(sphere(precision="mixed").position.dtype, np.float64)
        self.assertEqual(sphere().id.dtype, np.uint64)

    def test_bodies_in_any_layout_come_back(self):
        rng = np.random.default_rng(1)
        position = np.asfortranarray(rng.normal(size=(50, 3)))
        velocity = rng.normal(size=(50, 6))[:, ::2]
        bodies = apsis.Bodies(rng.uniform(size=50), position, velocity, id=np.arange(50)[::-1] + 7,
                              species=np.arange(50) % 6)
        copied = apsis.Simulation(bodies, time_step=1.0).bodies()
        for name in ("mass", "position", "velocity", "id", "species"):
            np.testing.assert_array_equal(getattr(copied, name), getattr(bodies, name))

    def test_two_simulations_do_not_disturb_each_other(self):
        first, second, alone = sphere(), sphere(precision="single"), sphere()
        for _ in range(5):
            first.advance()
            second.advance()
        alone.advance(5)
        np.testing.assert_array_equal(first.position, alone.position)


class Changes(unittest.TestCase):
    def test_edit_add_and_remove(self):
        sim = apsis.Simulation(circle(), time_step=1e-2)
        sim.advance(until=0.3)
        old = sim.position if ON_HOST else host(sim).position
        with sim.edit() as bodies:
            bodies.velocity *= 0.5
        self.assertEqual(sim.time, 0.3)
        self.assertAlmostEqual(np.linalg.norm(host(sim).velocity[0]), 0.5 * math.sqrt(0.5), delta=1e-4)
        np.testing.assert_array_equal(old, host(sim).position)  # an older view keeps its own memory
        sim.add(apsis.Bodies([0.0], [[2, 0, 0]], [[0, 1, 0]]))
        self.assertEqual(sim.count, 3)
        self.assertEqual(len(set(host(sim).id)), 3)
        sim.advance(until=0.5)
        sim.remove(host(sim).id[2])
        self.assertEqual(len(sim), 2)
        with self.assertRaises(apsis.UsageError):
            sim.remove([77])

    def test_an_exception_in_an_edit_changes_nothing(self):
        sim = apsis.Simulation(circle(), time_step=1e-2)
        with self.assertRaises(ZeroDivisionError):
            with sim.edit() as bodies:
                bodies.mass *= 2
                1 / 0
        self.assertEqual(host(sim).mass[0], 1.0)
        with self.assertRaises(apsis.BadInput):
            with sim.edit() as bodies:
                bodies.mass[0] = math.nan
        self.assertEqual(host(sim).mass[0], 1.0)

    def test_mergers_change_the_count(self):
        bodies = apsis.Bodies([1, 1], [[1, 0, 0], [-1, 0, 0]], [[-1, 0, 0], [1, 0, 0]])
        sim = apsis.Simulation(apsis.Deck({"bodies": {"list": [
            {"mass": 1, "position": [1, 0, 0], "velocity": [-1, 0, 0], "radius": 0.1},
            {"mass": 1, "position": [-1, 0, 0], "velocity": [1, 0, 0], "radius": 0.1}]},
            "collisions": {"on_collision": "merge"}, "integrator": {"time_step": 0.01}}))
        sim.advance(until=1.0)
        self.assertEqual(sim.count, 1)
        self.assertEqual([event["kind"] for event in sim.events], ["merge"])
        self.assertEqual(len(bodies), 2)


    def test_bodies_in_the_words_of_a_deck(self):
        sim = apsis.Simulation([{"mass": 1, "position": [0, 0, 0], "name": "Sun", "radius": 0.01}, {"mass": 1e-3, "semi_major_axis": 1}],
                               integrator="gauss_radau15", time_step=0.1, collisions={"on_collision": "merge"})
        sim.advance(until=1)
        sim.add(mass=1e-4, semi_major_axis=3, eccentricity=0.2, inclination=10, mean_anomaly=50, name="b", radius=1e-3)
        sim.add([{"mass": 0, "semi_major_axis": 0.1, "primary": "b"}, {"mass": 0, "semi_major_axis": 9, "primary": "barycentre"}])
        sim.add(apsis.Bodies([0], [[20, 0, 0]]))
        orbits = sim.orbits("Sun", angles="degrees")
        row = orbits.id.tolist().index(2)
        self.assertEqual((sim.count, sim.name[:3], orbits.angles), (6, ["Sun", "", "b"], "degrees"))
        for value, expected in ((orbits.semi_major_axis, 3), (orbits.eccentricity, 0.2), (orbits.inclination, 10), (orbits.mean_anomaly, 50)):
            self.assertAlmostEqual(value[row], expected, delta=1e-11)
        self.assertAlmostEqual(sim.orbits(2).semi_major_axis[2], 0.1, delta=1e-12)
        self.assertAlmostEqual(sim.orbits([0, 1, 2, 3]).semi_major_axis[0], 9, delta=1e-11)
        np.testing.assert_array_equal(sim.radius, [0.01, 0, 1e-3, 0, 0, 0])
        sim.remove(["b", 3])
        self.assertEqual(sim.name, ["Sun", "", "", ""])
        with self.assertRaises(apsis.BadInput) as caught:
            sim.add(mass=1, a=2)
        self.assertIn("semi_major_axis", str(caught.exception))
        with self.assertRaises(apsis.BadInput):
            sim.add(mass=1, position=[0, 0, 5], name="Sun")
        self.assertEqual(sim.count, 4)

    def test_a_simulation_with_collisions_can_be_changed(self):
        sim = apsis.Simulation([{"mass": 1, "position": [x, 0, 0], "velocity": [v, 0, 0], "radius": 0.1, "name": name}
                                for x, v, name in ((1, -1, "a"), (-1, 1, "b"))], time_step=0.01, collisions={"on_collision": "merge"})
        with sim.edit() as bodies:
            bodies.velocity[:] *= 2
        sim.add(mass=1e-9, position=[0, 9, 0], name="c")
        with sim.edit() as bodies:
            self.assertEqual(bodies.name, ["a", "b", "c"])
        sim.advance(until=1.0)
        self.assertEqual(sim.name, ["a", "c"])
        # Bodies of numpy collide as well.
        pair = apsis.Bodies([1, 1], [[1, 0, 0], [-1, 0, 0]], [[-1, 0, 0], [1, 0, 0]], radius=0.1, name=["a", "b"])
        sim = apsis.Simulation(pair, time_step=0.01, collisions={"on_collision": "merge"})
        sim.advance(until=1.0)
        self.assertEqual((sim.count, sim.bodies().name), (1, ["a"]))

    def test_wrong_changes_name_no_file(self):
        sim = apsis.Simulation(circle(), time_step=1e-2)
        for _ in range(2):  # the deck is configured anew at the first change alone
            with self.assertRaises(apsis.BadInput) as caught:
                with sim.edit() as bodies:
                    bodies.mass[0] = -1
            self.assertNotIn(".h5", str(caught.exception))
            with sim.edit() as bodies:
                bodies.mass[0] = 2
        self.assertEqual(sim.bodies().mass[0], 2)
        self.assertNotIn("bodies", sim.deck)

    def test_an_edit_in_place_is_an_edit_anew(self):
        places = []
        for first in (lambda sim: None, lambda sim: sim.add(apsis.Bodies([0], [[5, 0, 0]])) or sim.remove(2)):
            sim = apsis.Simulation({"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 1e-3, "semi_major_axis": 1}]}, time_step=0.01)
            first(sim)
            for _ in range(3):
                sim.advance(10)
                with sim.edit() as bodies:
                    bodies.velocity[1] *= 1.01
            places.append(sim.bodies().position)
        np.testing.assert_array_equal(*places)
        self.assertAlmostEqual(sim.time, 0.3, delta=1e-15)

    def test_threads_take_turns(self):
        sim = sphere(2000)
        bodies, said, ends = sim.bodies(), [], []

        def attempt(call):
            try:
                call()
            except apsis.UsageError as error:
                said.append(str(error))

        def use():
            while not ends:
                for call in (sim.measure, lambda: sim.position, sim.advance, lambda: sim.events, lambda: sim._replace(bodies)):
                    attempt(call)

        thread = threading.Thread(target=use)
        thread.start()
        while not said:
            attempt(lambda: sim.advance(20))
        ends.append(True)
        thread.join()
        self.assertIn("is in use", said[0])
        sim.advance()


class Ends(unittest.TestCase):
    """What ends a run ends a call of advance early."""

    passing = [{"mass": 1e-9, "position": [-3.05, 0.25, 0], "velocity": [1, 0, 0]}, {"mass": 1e-9, "position": [3.05, -0.25, 0], "velocity": [-1, 0, 0]}]

    def simulation(self, **sections):
        return apsis.Simulation(apsis.Deck(bodies={"list": self.passing}, integrator=apsis.leapfrog_kdk(0.125), **sections))

    def same_end(self, sections, reason):
        """Compares a simulation with the run of the same deck."""
        sim = self.simulation(**sections)
        sim.advance(until=50)
        run = {**sections.get("run", {}), "end_time": 50}
        outcome = apsis.run(apsis.Deck(bodies={"list": self.passing}, integrator=apsis.leapfrog_kdk(0.125), **{**sections, "run": run}),
                            by="process")
        self.assertEqual((sim.stop.reason, sim.time), (reason, outcome.time))
        self.assertEqual(outcome.stop_reason, reason)
        return sim

    def test_encounters(self):
        sim = self.same_end({"encounters": {"distance": 0.6, "then": "stop"}}, "encounter")
        self.assertEqual(sim.time, 3.125)
        self.assertEqual(sorted(sim.stop.ids), [0, 1])
        self.assertAlmostEqual(sim.stop.distance, 0.5, delta=1e-6)
        self.assertAlmostEqual(sim.stop.time, 3.05, delta=1e-6)
        sim.advance(until=50)  # goes on
        self.assertIsNone(sim.stop)
        self.assertEqual(sim.time, 50)

    def test_encounter_distance(self):
        sim = self.same_end({"run": {"encounter_distance": 1}}, "encounter")
        self.assertLess(sim.stop.distance, 1)

    def test_escape(self):
        sim = self.same_end({"run": {"escape_radius": 5}}, "escape")
        self.assertEqual(sim.time, 8.125)
        self.assertGreater(sim.stop.distance, 5)

    def test_number_of_collisions(self):
        bodies = [{**body, "radius": 0.3} for body in self.passing]
        sections = {"collisions": {"on_collision": "bounce", "at_most": 1}}
        self.passing = bodies
        sim = self.same_end(sections, "collision")
        self.assertEqual(len(sim.events), 1)
        self.assertEqual([now.step for now in self.simulation(**sections).steps(400, every=10)], [10, 20, 24])

    def test_limits(self):
        sections = {"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 1e-3, "semi_major_axis": 1, "eccentricity": 0.9}]},
                    "integrator": apsis.leapfrog_kdk(1 / 16), "output": {"conservation_interval": 0.25}, "run": {"end_time": 50}}
        limits = {"max_relative_energy_error": 1e-3, "on_violation": "stop"}
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            sim = apsis.Simulation(apsis.Deck(sections, conservation=limits))
            sim.advance(until=50)
            outcome = apsis.run(apsis.Deck(sections, conservation=limits), by="process")
            self.assertEqual((sim.stop.reason, sim.time), ("violation", outcome.time))
            self.assertLess(sim.time, 50)
        said = [str(each.message) for each in said]
        self.assertEqual(sum("output" in each and "no effect on a Simulation" in each for each in said), 1, said)
        del sections["output"]
        for conservation, count in (({"max_relative_energy_error": 1e-3}, 1), ({"max_relative_energy_error": 1e3}, 0)):
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                sim = apsis.Simulation(apsis.Deck(sections, conservation=conservation))
                sim.advance(until=10)
                sim.advance(until=50)
            self.assertEqual(sum("a limit of the deck is exceeded" in str(each.message) for each in said), count)
            self.assertEqual(sim.time, 50)

    def test_parts_without_effect_are_named_once(self):
        deck = apsis.Deck(bodies=apsis.figure_eight(), integrator=apsis.rk4(0.125), output={"snapshot_interval": 1},
                          diagnostics={"trajectories": {"interval": 1}}, run={"max_wall_time": 5, "end_time": 1},
                          conservation={"max_relative_energy_error": 1, "on_violation": "retry"})
        with self.assertWarns(apsis.ApsisWarning) as caught:
            apsis.Simulation(deck)
        text = str(caught.warning)
        self.assertEqual(len(caught.warnings), 1)
        for word in ("output", "diagnostics", "run.max_wall_time", "on_violation 'retry'", "sim.transits", "apsis.run(deck)"):
            self.assertIn(word, text)

    def test_a_saved_simulation_counts_its_collisions(self):
        row = [{"mass": 1e-9, "position": [x, 0, 0], "velocity": [v, 0, 0], "radius": 0.3} for x, v in ((-3, 1), (3, -1), (9, -1))]
        sim = apsis.Simulation(row, time_step=0.125, collisions={"on_collision": "bounce", "at_most": 2})
        sim.advance(until=4)
        self.assertEqual((len(sim.events), sim.stop), (1, None))
        for each in (copy.copy(sim), sim):
            each.advance(until=50)
            self.assertEqual((each.stop.reason, each.time), ("collision", 5.5))


class Measurements(unittest.TestCase):
    def test_conserved_quantities_of_a_circle(self):
        sim = apsis.Simulation(circle(), time_step=1e-3, integrator="blanes_moan6")
        first = sim.measure()
        self.assertAlmostEqual(first.total, -0.5, delta=1e-14)
        self.assertAlmostEqual(first.virial_ratio, 0.5, delta=1e-14)
        self.assertAlmostEqual(first.angular_momentum[2], math.sqrt(0.5), delta=1e-14)
        sim.advance(until=3.0)
        self.assertLess(abs(sim.energy_error), 1e-12)
        np.testing.assert_allclose(sim.potential, [-1, -1], rtol=1e-11)
        pair = sim.closest_pair()
        self.assertEqual((pair.first, pair.second), (0, 1))
        self.assertAlmostEqual(pair.distance, 1.0, delta=1e-11)

    def test_orbits(self):
        e, a, m = 0.3, 2.0, 1e-3
        sim = apsis.Simulation(apsis.Bodies([1, m], [[0, 0, 0], [a * (1 - e), 0, 0]],
                                            [[0, 0, 0], [0, math.sqrt((1 + m) / a * (1 + e) / (1 - e)), 0]]), time_step=0.01)
        orbits = sim.orbits()
        self.assertEqual(orbits.id.tolist(), [1])
        self.assertAlmostEqual(orbits.semi_major_axis[0], a, delta=1e-14)
        self.assertAlmostEqual(orbits.eccentricity[0], e, delta=1e-14)
        self.assertAlmostEqual(orbits.period[0], 2 * math.pi * math.sqrt(a**3 / (1 + m)), delta=1e-13)
        with self.assertRaises(apsis.UsageError):
            sim.orbits(5)
        np.testing.assert_array_equal(sim.orbits(about="jacobi").semi_major_axis, orbits.semi_major_axis)
        self.assertAlmostEqual(sim.orbits(angles="degrees").inclination[0], math.degrees(orbits.inclination[0]))

    def test_orbits_in_jacobi_coordinates_are_those_of_the_table(self):
        deck = apsis.Deck(bodies=apsis.solar_system(), units="solar", integrator=apsis.wisdom_holman(0.02), run={"steps": 1})
        outcome = apsis.run(deck.set("diagnostics", {"orbital_elements": {"about": "jacobi", "interval": 0.02}}), by="process")
        table = outcome.run.table("orbital_elements")
        sim = apsis.Simulation(deck)
        sim.advance()
        orbits = sim.orbits(about="jacobi", angles="degrees")
        last = table["step"] == 1
        self.assertEqual(orbits.id.tolist(), table["id"][last].tolist())
        for name in ("semi_major_axis", "eccentricity", "inclination", "mean_anomaly"):
            np.testing.assert_array_equal(getattr(orbits, name), table[name][last])

    def test_tables_are_methods(self):
        deck = apsis.Deck(bodies={"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 1e-3, "semi_major_axis": 1, "name": "b"},
                                           {"mass": 1e-3, "semi_major_axis": 1.7}]},
                          integrator=apsis.gauss_radau15(0.25), run={"end_time": 30})
        tables = {"megno": {"interval": 0.25}, "transits": {"bodies": [1, 2], "observer": [1, 0, 0]}}
        run = apsis.run(deck.set("diagnostics", tables), by="process").run
        with self.assertWarns(apsis.ApsisWarning):
            sim = apsis.Simulation(deck.set("diagnostics", tables))
        same = apsis.Simulation(deck["bodies"], integrator="gauss_radau15", time_step=0.25, diagnostics={**tables, "megno": {}})
        for each in (sim, same):
            each.advance(until=30)
            self.assertEqual(each.megno(), (run.table("megno")["megno"][-1], run.table("megno")["mean_megno"][-1],
                                            run.table("megno")["lyapunov_exponent"][-1]))
            for name in ("time", "id", "transit", "impact"):
                np.testing.assert_array_equal(each.transits[name], run.table("transits")[name])
            self.assertEqual(each.transits["name"][:1], ["b"])
        self.assertGreater(len(sim.transits["time"]), 5)
        with self.assertRaises(apsis.UsageError) as caught:
            sphere().megno()
        self.assertIn("diagnostics", str(caught.exception))

    def test_field_is_that_of_a_sum(self):
        sim = sphere()
        points = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.1]])
        acceleration, potential = sim.field(points)
        d = host(sim).position[None] - points[:, None]
        r = np.sqrt((d**2).sum(-1) + 0.01**2)
        np.testing.assert_allclose(acceleration, (host(sim).mass[None, :, None] * d / r[..., None] ** 3).sum(1), rtol=1e-12)
        np.testing.assert_allclose(potential, -(host(sim).mass / r).sum(1), rtol=1e-12)
        self.assertEqual(sim.field([1, 0, 0])[1].shape, (1,))

    def test_density_centre_and_force_errors(self):
        sim = sphere()
        centre, radius = sim.density_centre()
        self.assertLess(np.linalg.norm(centre), 0.5)
        self.assertGreater(radius, 0)
        self.assertLess(max(sim.force_errors()), 1e-12)
        self.assertIsNone(apsis.Simulation(circle(), time_step=1.0).density_centre())


class Saved(unittest.TestCase):
    def test_file_pickle_and_copy_continue_with_the_same_bits(self):
        sim = apsis.Simulation(circle(), time_step=1e-2, integrator="gauss_radau15")
        sim.advance(until=0.333)
        with tempfile.TemporaryDirectory() as folder:
            sim.save(Path(folder) / "state")
            states = [apsis.Simulation.restore(Path(folder) / "state"), pickle.loads(pickle.dumps(sim)), copy.copy(sim),
                      copy.deepcopy(sim)]
            damaged = (Path(folder) / "state").read_bytes()
            (Path(folder) / "state").write_bytes(damaged[:-3])
            with self.assertRaises(apsis.BadInput):
                apsis.Simulation.restore(Path(folder) / "state")
            with self.assertRaises(apsis.FileError):
                apsis.Simulation.restore(Path(folder) / "nothing")
        sim.advance(until=2.0)
        for state in states:
            state.advance(until=2.0)
            np.testing.assert_array_equal(host(state).position, host(sim).position)

    def test_picture(self):
        sim = sphere()
        picture = sim.picture(width=160, height=120, colour="speed", label=False)
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual((int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")), (160, 120))
        self.assertEqual(picture._repr_png_(), bytes(picture))
        sim.advance(20)
        self.assertNotEqual(sim.picture(width=160, height=120, colour="speed", label=False), picture)
        with self.assertRaises(apsis.BadInput) as caught:
            sim.picture(colour="pink")
        self.assertIn("colour", str(caught.exception))

    def test_snapshot(self):
        sim = sphere()
        sim.advance(4)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "end.h5"
            sim.snapshot(path)
            snapshot = apsis.load_snapshot(path)
            self.assertEqual(snapshot.time, sim.time)
            np.testing.assert_array_equal(snapshot.position[np.argsort(snapshot.id)],
                                          np.asarray(host(sim).position)[np.argsort(host(sim).id)])
            with self.assertRaises(apsis.FileError):
                sim.snapshot(Path(folder) / "nowhere" / "end.h5")


class Decks(unittest.TestCase):
    def test_problems_of_decks_come_all_at_once(self):
        with self.assertRaises(apsis.BadInput) as caught:
            apsis.Simulation({"generator": "plummer", "count": -1}, softening=-1.0, time_step=0.1)
        self.assertEqual(len(caught.exception.problems), 2)
        self.assertNotIn("--", str(caught.exception))
        with self.assertRaises(apsis.UsageError) as caught:
            apsis.Simulation(apsis.Deck({"bodies": {"generator": "plummer", "count": 10}}), time_step=0.1)
        self.assertIn("set={'integrator.time_step': ...}", str(caught.exception))

    def test_deck_units_and_set(self):
        sim = apsis.Simulation({"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 0, "position": [1, 0, 0], "velocity": [0, 6.28, 0]}]},
                               units="solar", time_step=0.01, set={"integrator.name": "hermite4"})
        self.assertEqual(sim.units.length, "au")
        days = apsis.Units(length="au", mass="Msun", time="day")
        pair = apsis.Bodies([1, 3e-6], [[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 0.0172021, 0]], units=days)
        for each in (apsis.Simulation(pair, time_step=10), apsis.Simulation(apsis.Deck(bodies=pair, integrator=apsis.rk4(10))),
                     apsis.Simulation(apsis.Bodies(pair.mass, pair.position, pair.velocity), units=days, time_step=10)):
            self.assertAlmostEqual(each.G / 0.01720209895**2, 1, delta=1e-5)
            self.assertAlmostEqual(each.orbits().period[0], 365.25, delta=0.02)
            self.assertTrue(each.units.are_same(days))
        with self.assertRaises(apsis.BadInput):
            apsis.Simulation(pair, units="solar", time_step=1)
        self.assertAlmostEqual(sim.G, 4 * math.pi**2, delta=1e-2)
        self.assertEqual(sim.deck["integrator"]["name"], "hermite4")

    def test_closed_and_shown(self):
        sim = sphere()
        self.assertIn("200 bodies", repr(sim))
        self.assertIn("<table>", sim._repr_html_())
        with sim:
            sim.advance()
        with self.assertRaises(apsis.UsageError):
            sim.advance()
        self.assertIn("closed", repr(sim))


if __name__ == "__main__":
    unittest.main()
