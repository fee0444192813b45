// SPDX-License-Identifier: Apache-2.0
#include "additions.hpp"
#include <apsis/forces/extra_formula.hpp>

namespace {

/// The force of a spring to the origin: acceleration -k x, potential k x^2 / 2.
struct Spring {
  double k;  ///< [1 / time^2]

  template <class Number>
  KOKKOS_FUNCTION apsis::forces::Push<Number> operator()(
      apsis::forces::Particle<Number> const& body) const {
    auto const& x = body.position;
    return {{-k * x[0], -k * x[1], -k * x[2]}, 0.5 * k * body.squared_distance()};
  }
};

}  // namespace

void add_spring() {
  using namespace apsis;
  forces::add_extra_force(
      {.name = "spring",
       .doc = "a spring to the origin",
       .parameters = {number("k", "force over distance and mass [1 / time^2]").above(0.0).needed()},
       .make = [](Values const& values, forces::ExtraForceSetting const&,
                  std::string const& where) -> std::unique_ptr<forces::ExtraForce> {
         forces::ForceSelection selection{where};
         selection.conserved = [](bool, bool) {
           return forces::ConservedSums{.momentum = false, .internal_energy = false};
         };
         return forces::make_force(Spring{values.number("k")}, selection);
       }});
}
