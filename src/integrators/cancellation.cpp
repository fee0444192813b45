// SPDX-License-Identifier: Apache-2.0
#include "cancellation.hpp"

#include <apsis/core/reductions.hpp>
#include <apsis/core/views.hpp>

#include <string>
#include <vector>

namespace apsis::integrators {

namespace {

struct SquaredAcceleration {
  ReadColumns acceleration;
  KOKKOS_FUNCTION double operator()(std::size_t i) const {
    auto const a = row(acceleration, i);
    return dot(a, a);
  }
};

struct SourceOfBody {
  ReadBodies bodies;
  double G;
  KOKKOS_FUNCTION Cancellation::Source operator()(std::size_t i) const {
    return {G * bodies.mass(i), bodies.position(i, 0), bodies.position(i, 1), bodies.position(i, 2),
            bodies.first + i};
  }
};

}  // namespace

Cancellation find_cancellation(Context const& context, ReadBodies const& bodies,
                               forces::Gravity const& gravity, double part) {
  // A body between two others of mass M has 8 times their acceleration in its terms.
  constexpr double most_terms = 50.0;
  Cancellation test;
  SquaredAcceleration const squared{bodies.acceleration};
  auto const label = [](char const* name) {
    return std::string("apsis::integrators::cancellation::") + name;
  };
  double const largest_squared = largest<double>(context, label("largest"), bodies.size(), squared);
  test.suspicious_squared = most_terms * part * most_terms * part * largest_squared;
  bool const is_possible = smallest<double>(context, label("smallest"), bodies.size(), squared) <
                           test.suspicious_squared;
  if (!is_possible) return test;
  auto sources = gather_values(
      context, tabulate<Cancellation::Source>(context, label("sources"), bodies.size(),
                                              SourceOfBody{bodies, gravity.G}));
  std::erase_if(sources, [](auto const& source) { return source.strength == 0.0; });
  test.sources = copy_to_device(context, sources, label("sources"));
  context.space.fence("apsis::integrators::cancellation: the copied sources are freed");
  test.part_squared = part * part;
  test.softening_squared = gravity.softening * gravity.softening;
  test.first = bodies.first;
  return test;
}

}  // namespace apsis::integrators
