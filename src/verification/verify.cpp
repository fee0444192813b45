// SPDX-License-Identifier: Apache-2.0
#include "problems.hpp"

#include <cmath>

namespace apsis::verification {

bool Row::passed() const {
  return std::abs(measured - expected.value_or(0.0)) <= limit;
}

Registry<KnownAnswer> const& known_answers() {
  static Registry<KnownAnswer> const table{
      "known answer",
      {convergence_order(), time_reversal(), two_body_orbit(), figure_eight(), lagrange_triangle(),
       pythagorean(), block_steps(), plummer_equilibrium(), cold_collapse(), king_tables(),
       solar_system()}};
  return table;
}

}  // namespace apsis::verification
