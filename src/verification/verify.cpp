// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <cmath>

namespace apsis::verification {

bool Row::passed() const {
  return std::abs(measured - expected.value_or(0.0)) <= limit;
}

Registry<KnownAnswer> const& known_answers() {
  static Registry<KnownAnswer> const table{
      "known answer",
      {{"convergence_order", "every integrator's order, on a Kepler orbit with e = 0.5",
        convergence_order},
       {"time_reversal", "every time-reversible integrator runs back to its start", time_reversal},
       {"two_body_orbit", "the elements of a Kepler orbit stay for a thousand orbits",
        two_body_orbit},
       {"figure_eight",
        "three bodies take each other's places after T / 3 and return after T (Chenciner & "
        "Montgomery 2000)",
        figure_eight},
       {"lagrange_triangle", "three equal masses turn as a rigid triangle (Lagrange 1772)",
        lagrange_triangle},
       {"pythagorean",
        "three bodies of mass 3, 4 and 5 from rest at a right triangle, to their last encounters "
        "(Burrau 1913; Szebehely & Peters 1967)",
        pythagorean},
       {"block_steps",
        "block time steps keep the energy of shared steps with a fraction of the interactions "
        "(Makino 1991)",
        block_steps},
       {"plummer_equilibrium", "a Plummer sphere keeps its Lagrangian radii (Plummer 1911)",
        plummer_equilibrium},
       {"cold_collapse", "a uniform sphere at rest collapses after (pi / 2) sqrt(R^3 / (2 G M))",
        cold_collapse},
       {"king_tables", "concentration and radii of King models", king_tables},
       {"solar_system", "the energy of the Sun and its planets stays for a thousand years",
        solar_system}}};
  return table;
}

}  // namespace apsis::verification
