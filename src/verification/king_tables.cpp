// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "problems.hpp"
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/lagrangian_radii.hpp>
#include <apsis/initial_conditions/king_profile.hpp>

namespace apsis::verification {

namespace {

/// King 1966, AJ 71, 64, in Henon units; integrated independently, in long double.
struct Model {
  double W0, concentration, half_mass_radius, tidal_radius;
};
constexpr Model models[]{
    {1, 0.295507, 0.857390, 2.565726},  {3, 0.672043, 0.838793, 3.131075},
    {5, 1.029264, 0.813742, 4.357611},  {6, 1.255070, 0.803833, 5.463914},
    {7, 1.527740, 0.811333, 6.975221},  {9, 2.118532, 0.979870, 8.353449},
    {12, 2.738938, 0.978624, 6.208634},
};

/// Two units of the table's last digit.
constexpr double limit = 2e-6;

void verify(Extent, Tell const& tell) {
  for (auto const& model : models) {
    auto const profile = initial_conditions::king_profile(model.W0);
    auto const method = formatted("W0 = %.0f", model.W0);
    tell({"King model: concentration", method, profile.concentration, model.concentration, limit});
    tell({"King model: half-mass radius", method, profile.half_mass_radius, model.half_mass_radius,
          limit});
    tell({"King model: tidal radius", method, profile.tidal_radius, model.tidal_radius, limit});
    auto const bodies = bodies_of(R"({"bodies": {"generator": "king", "count": 16384, "seed": 1},
                                      "integrator": {"time_step": 1}, "run": {"steps": 1}})",
                                  {override_with("bodies.W0", model.W0)});
    // Four times the scatter of so many bodies.
    tell({"King model of 16384 bodies: half-mass radius", method,
          diagnostics::lagrangian_radii(bodies, {}, {0.5}).front(), model.half_mass_radius,
          0.03 * model.half_mass_radius});
  }
}

}  // namespace

KnownAnswer king_tables() {
  return {"king_tables", "concentration and radii of King models", verify};
}

}  // namespace apsis::verification
