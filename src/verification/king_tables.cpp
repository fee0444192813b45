// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "problems.hpp"
#include <apsis/core/text.hpp>
#include <apsis/initial_conditions/king_profile.hpp>

namespace apsis::verification {

namespace {

/// King 1966, AJ 71, 64, in Henon units; integrated independently.
struct Model {
  double W0, concentration, core_radius, half_mass_radius, tidal_radius;
};
constexpr Model models[]{
    {1, 0.296, 1.2997, 0.8575, 2.5666},  {3, 0.672, 0.6672, 0.8393, 3.1353},
    {5, 1.029, 0.4077, 0.8140, 4.3611},  {6, 1.255, 0.3039, 0.8040, 5.4674},
    {7, 1.528, 0.2071, 0.8115, 6.9797},  {9, 2.119, 0.0636, 0.9799, 8.3535},
    {12, 2.739, 0.0113, 0.9787, 6.2108},
};

void verify(Extent, Tell const& tell) {
  for (auto const& model : models) {
    auto const profile = initial_conditions::king_profile(model.W0);
    auto const method = formatted("W0 = %.0f", model.W0);
    // Limits: one unit of the table's last digit.
    tell({"King: concentration", method, profile.concentration, model.concentration, 1e-3});
    tell({"King: core radius", method, profile.core_radius, model.core_radius, 1e-4});
    tell(
        {"King: half-mass radius", method, profile.half_mass_radius, model.half_mass_radius, 1e-4});
    tell({"King: tidal radius", method, profile.tidal_radius, model.tidal_radius, 1e-4});
  }
}

}  // namespace

KnownAnswer king_tables() {
  return {"king_tables", "concentration and radii of King models", verify};
}

}  // namespace apsis::verification
