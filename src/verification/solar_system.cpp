// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "problems.hpp"

namespace apsis::verification {

namespace {

constexpr int steps_a_year = 400;

void verify(Extent extent, Tell const& tell) {
  int const years = extent == Extent::quick ? 20 : 1000;
  auto const planets = experiment(R"({"bodies": {"generator": "solar_system"},
                                "units": {"system": "solar"},
                                "integrator": {"name": "yoshida8", "time_step": 1},
                                "run": {"steps": 1}})",
                                  {override_with("integrator.time_step", 1.0 / steps_a_year)});
  auto const start = planets->measure();
  double const start_energy = start.total();
  double worst = 0.0;
  // Not once a year: the Earth would always be at the same place.
  for (int sample = 0; sample < 40 * years; ++sample) {
    planets->advance(steps_a_year / 40);
    worst = worse(worst, relative_energy_error(*planets, start_energy));
  }
  auto const name = "Sun and planets, " + std::to_string(years) + " years: ";
  tell({name + "energy error", "yoshida8", worst, std::nullopt, 1e-11});
  double const turned = norm(planets->measure().angular_momentum - start.angular_momentum);
  tell({name + "angular momentum error", "yoshida8", turned / norm(start.angular_momentum),
        std::nullopt, 1e-12});
}

}  // namespace

KnownAnswer solar_system() {
  return {"solar_system", "the energy of the Sun and its planets stays for a thousand years",
          verify};
}

}  // namespace apsis::verification
