// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/measured.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/henon_units.hpp>
#include <apsis/driver/simulation.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace apsis;
using apsis::testing::contains;

TEST_CASE("Henon units are exact, with the softening of the run") {
  for (double const softening : {0.0, 0.01, 0.2}) {
    CAPTURE(softening);
    auto host = testing::sample_bodies(1000);
    driver::scale_to_henon_units(ExecutionSpace(), host, {1.0, softening}, 0.5);
    auto const system = testing::measured<double>(host, {1.0, softening});
    CHECK(std::abs(system.mass - 1.0) < 1e-14);
    CHECK(std::abs(system.potential + 0.5) < 1e-14);
    CHECK(std::abs(system.kinetic - 0.25) < 1e-14);
    CHECK(norm(system.momentum) < 1e-15);
  }
}

TEST_CASE("Henon units keep the shape of what is not in equilibrium") {
  auto const start = testing::sample_bodies(300);
  for (double const speed : {0.0, 0.01}) {
    CAPTURE(speed);
    auto host = start;
    for (auto& m : host.mass) m = 3.0 * m;
    for (auto& v : host.velocity) v = speed * v;
    initial_conditions::centre(host);
    auto const before = testing::measured<double>(host, {1.0, 0.0});
    driver::scale_to_henon_units(ExecutionSpace(), host, {1.0, 0.0}, std::nullopt);
    auto const system = testing::measured<double>(host, {1.0, 0.0});
    CHECK(std::abs(system.total() + 0.25) < 1e-14);
    CHECK(std::abs(system.virial_ratio() - before.virial_ratio()) < 1e-14);
  }
  auto unbound = start;
  for (auto& v : unbound.velocity) v = 1e3 * v;
  CHECK_THROWS_AS(driver::scale_to_henon_units(ExecutionSpace(), unbound, {1.0, 0.0}, std::nullopt),
                  Error);
}

namespace {

std::string refusal(std::vector<std::string> const& overrides) {
  auto const deck = driver::configure(
      R"({"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 2, "position": [1, 0, 0]}]},
          "gravity": {"softening": 0.1}, "integrator": {"time_step": 0.1}, "run": {"steps": 1}})",
      "deck", overrides);
  try {
    driver::make_bodies(deck.configuration);
  } catch (Error const& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("bodies that the precision cannot hold or square are refused") {
  std::string const single = "gravity.precision=single";
  CHECK(refusal({}) == "");
  CHECK(refusal({single}) == "");
  CHECK(contains(refusal({single, "bodies.list[0].mass=1e39"}), "body 0: mass 1e+39"));
  CHECK(contains(refusal({single, "bodies.list[0].mass=1e-50"}), "body 0: mass 1e-50"));
  CHECK(refusal({"bodies.list[0].mass=1e39"}) == "");
  CHECK(contains(refusal({single, "bodies.list[1].position[1]=1e19"}), "its square overflows"));
  CHECK(refusal({"bodies.list[1].position[1]=1e19"}) == "");
  CHECK(contains(refusal({"bodies.list[1].position[1]=1e160"}), "its square overflows"));
  CHECK(contains(refusal({single, "bodies.list[1].velocity=[0, 1e39, 0]"}), "velocity 1e+39"));
  CHECK(contains(refusal({single, "gravity.softening=1e-12", "bodies.list[1].mass=1e4"}),
                 "mass / softening^3 overflows"));
  CHECK(refusal({"gravity.softening=1e-12", "bodies.list[1].mass=1e4"}) == "");
}
