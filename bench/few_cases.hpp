// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <string>
#include <vector>

namespace apsis::benchmark {

/// Initial state of a few bodies with G = 1, and their exact positions at a later time.
struct FewBodyCase {
  std::string name;
  std::string title;
  HostBodies start;
  double end;                          ///< [time]
  std::vector<Vec3<double>> at_end{};  ///< positions; empty if they are not known
};

/// Cases with known positions at the end. These come from Taylor series of order 34 in arithmetic
/// of 113 bits; two tolerances agree in all digits given.
std::vector<FewBodyCase> const& few_body_cases();

/// A star of mass 1 and `bodies` - 1 planets of mass 1e-4 at distances 1, 1.4, 1.96 ..., for
/// measurements of a step.
FewBodyCase planets_case(std::size_t bodies);

/// Returns the largest distance of a body from its exact position [length]; NaN if one is NaN.
double error_at_end(FewBodyCase const& problem, std::vector<Vec3<double>> const& position);

}  // namespace apsis::benchmark
