# SPDX-License-Identifier: Apache-2.0
"""Tests that run in an AMUSE checkout with the installed package amuse-apsis."""

from amuse.datamodel import Particles
from amuse.support.testing.amusetest import TestWithMPI
from amuse.units import constants, nbody_system, units

from amuse_apsis import Apsis


def sun_and_earth() -> Particles:
    """Returns the two bodies on a circle about the Sun, at the aphelion of neither."""
    bodies = Particles(2)
    bodies.mass = [1.0, 3.0e-6] | units.MSun
    bodies.radius = [1.0, 0.01] | units.RSun
    bodies.position = [[0, 0, 0], [1, 0, 0]] | units.AU
    bodies.velocity = [[0, 0, 0], [0, 1, 0]] * (constants.G * bodies.total_mass() / (1 | units.AU)).sqrt()
    return bodies


class TestApsis(TestWithMPI):
    def test_year(self):
        converter = nbody_system.nbody_to_si(1 | units.MSun, 1 | units.AU)
        code = Apsis(converter)
        code.parameters.epsilon_squared = 0 | units.AU**2
        code.particles.add_particles(sun_and_earth())
        year = converter.to_si(2 * 3.141592653589793 | nbody_system.time)
        code.evolve_model(year)
        distance = (code.particles[1].position - code.particles[0].position).x
        self.assertAlmostRelativeEquals(distance, 1 | units.AU, 4)
        self.assertAlmostRelativeEquals(code.model_time, year, 12)
        code.stop()

    def test_delete_and_bridge_field(self):
        code = Apsis()
        stars = Particles(3)
        stars.mass = 1 | nbody_system.mass
        stars.radius = 0 | nbody_system.length
        stars.position = [[0, 0, 0], [1, 0, 0], [0, 2, 0]] | nbody_system.length
        stars.velocity = [[0, 0, 0]] * 3 | nbody_system.speed
        code.particles.add_particles(stars)
        code.particles.remove_particle(stars[2])
        zero = [0.0] | nbody_system.length
        potential = code.get_potential_at_point(zero, [2.0] | nbody_system.length, zero, zero)
        self.assertAlmostEqual(potential[0], -1.5 | nbody_system.potential)
        self.assertEqual(len(code.particles), 2)
        code.stop()
