// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/measured.hpp"
#include "support/scratch.hpp"
#include "support/suites.hpp"
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/initial_conditions/model.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace apsis;
using apsis::testing::contains;

namespace {

constexpr double softening = 0.05;

deck::ConfiguredDeck configured_bodies(std::string const& bodies,
                                       std::string const& source = "deck.json",
                                       std::vector<std::string> const& overrides = {}) {
  return deck::configure(R"({"bodies": )" + bodies + R"(, "gravity": {"softening": )" +
                             shortest(softening) +
                             R"(}, "integrator": {"time_step": 0.1}, "run": {"steps": 1}})",
                         source, overrides);
}

HostBodies bodies_of(std::string const& bodies, std::string const& source = "deck.json") {
  return simulation::make_bodies(configured_bodies(bodies, source).configuration);
}

std::string refusal_of_deck(std::string const& bodies, std::string const& source = "deck.json") {
  try {
    bodies_of(bodies, source);
  } catch (Error const& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "";
}

bool has_key(initial_conditions::ModelEntry const& model) {
  for (auto const& parameter : model.parameters) {
    if (parameter.name == "virial_ratio") return true;
  }
  return false;
}

double ratio_of(HostBodies const& bodies) {
  return testing::measured<double>(bodies, {1.0, softening}).virial_ratio();
}

constexpr auto two_moving = "# mass x y z vx vy vz\n1 0 0 0 5 1 0\n3 1 0 0 5 0 2\n0 0 2 0 4 0 0\n";
constexpr auto two_resting = "# mass x y z vx vy vz\n1 0 0 0 5 1 0\n3 1 0 0 5 1 0\n0 0 2 0 4 0 0\n";

}  // namespace

TEST_CASE("every sphere has the requested virial ratio with the softening of the run" *
          testing::thread_counts) {
  int spheres = 0;
  for (auto const& model : initial_conditions::models()) {
    if (!has_key(model) || model.parts != nullptr) continue;
    CAPTURE(model.name);
    ++spheres;
    std::string const start = R"({"generator": ")" + model.name + R"(", "count": 300)";
    for (double const ratio : {0.1, 0.5, 1.7}) {
      auto const bodies = bodies_of(start + R"(, "virial_ratio": )" + shortest(ratio) + "}");
      CHECK(std::abs(ratio_of(bodies) / ratio - 1.0) < 1e-14);
      auto const henon = start + R"(, "henon_units": true, "virial_ratio": )";
      if (ratio > 1.0) {
        CHECK(contains(refusal_of_deck(henon + shortest(ratio) + "}"),
                       "bodies.virial_ratio: contradicts bodies.henon_units"));
        continue;
      }
      auto const scaled =
          testing::measured<double>(bodies_of(henon + shortest(ratio) + "}"), {1.0, softening});
      CHECK(std::abs(scaled.virial_ratio() / ratio - 1.0) < 1e-14);
      CHECK(std::abs(scaled.total() + 0.25) < 1e-14);
    }
  }
  CHECK(spheres == 11);
  // Positions do not change; velocities are multiplied by one factor.
  auto const before = bodies_of(R"({"generator": "king", "count": 300})");
  auto const after = bodies_of(R"({"generator": "king", "count": 300, "virial_ratio": 0.2})");
  CHECK((before.position == after.position));
  double const factor = std::sqrt(0.2 / ratio_of(before));
  for (std::size_t i = 0; i < 300; ++i) {
    CHECK_UNARY(norm(after.velocity[i] - factor * before.velocity[i]) < 1e-14);
  }
}

TEST_CASE("bodies of files and of parts have the requested virial ratio and keep their momentum") {
  testing::Scratch const scratch;
  scratch.write("two.txt", two_moving);
  auto const source = (scratch / "deck.json").string();
  auto const bodies = bodies_of(R"({"file": "two.txt", "virial_ratio": 0.3})", source);
  auto const system = testing::measured<double>(bodies, {1.0, softening});
  CHECK(std::abs(system.virial_ratio() / 0.3 - 1.0) < 1e-14);
  CHECK(norm(system.momentum - Vec3<double>{20.0, 1.0, 6.0}) < 1e-13);
  // K is 3/8 (1^2 + 2^2) of the relative motion, W is -3 / sqrt(1 + eps^2). The massless body is
  // scaled alike.
  double const factor =
      std::sqrt(0.3 * 3.0 / std::sqrt(1.0 + softening * softening) / (0.375 * 5.0));
  CHECK(norm(bodies.velocity[2] -
             Vec3<double>{5.0 - factor, 0.25 - 0.25 * factor, 1.5 - 1.5 * factor}) < 1e-14);
  auto const parts = bodies_of(R"({"generator": "composite", "parts": [
    {"bodies": {"generator": "plummer", "count": 50, "virial_ratio": 0.25}, "velocity": [0, 9, 0]},
    {"bodies": {"file": "two.txt", "virial_ratio": 0.125}}]})",
                               source);
  HostBodies first(50), second(2);
  for (std::size_t i = 0; i < 52; ++i) {
    auto& part = i < 50 ? first : second;
    std::size_t const row = i < 50 ? i : i - 50;
    part.mass[row] = parts.mass[i];
    part.position[row] = parts.position[i];
    part.velocity[row] = parts.velocity[i];
  }
  CHECK(std::abs(ratio_of(first) / 0.25 - 1.0) < 1e-13);
  CHECK(std::abs(ratio_of(second) / 0.125 - 1.0) < 1e-13);
  auto const whole = bodies_of(R"({"generator": "composite", "virial_ratio": 0.4, "parts": [
    {"bodies": {"generator": "plummer", "count": 50}, "velocity": [0, 9, 0]},
    {"bodies": {"file": "two.txt"}}]})",
                               source);
  CHECK(std::abs(ratio_of(whole) / 0.4 - 1.0) < 1e-14);
}

TEST_CASE("a virial ratio that velocities cannot have is refused") {
  testing::Scratch const scratch;
  scratch.write("resting.txt", two_resting);
  scratch.write("massless.txt", "# mass x y z vx vy vz\n0 0 0 0 0 1 0\n0 1 0 0 0 0 0\n");
  scratch.write("one.txt", "# mass x y z vx vy vz\n1 0 0 0 0 1 0\n0 1 0 0 0 0 0\n");
  auto const source = (scratch / "deck.json").string();
  auto const of_file = [&](std::string const& name, std::string const& rest = "") {
    return refusal_of_deck(R"({"file": ")" + name + R"(", "virial_ratio": 0.5)" + rest + "}",
                           source);
  };
  CHECK(contains(of_file("resting.txt"),
                 "bodies.virial_ratio: cannot be reached (the kinetic energy about the centre of "
                 "mass is 0: all bodies have one velocity)"));
  CHECK(contains(of_file("resting.txt", R"(, "henon_units": true)"),
                 "bodies.virial_ratio: cannot be reached"));
  CHECK(contains(of_file("massless.txt"), "cannot be reached (no body has a mass)"));
  CHECK(contains(of_file("one.txt"), "bodies.virial_ratio: cannot be reached"));
  CHECK(contains(refusal_of_deck(R"({"generator": "composite", "parts": [{"bodies":
      {"file": "resting.txt", "virial_ratio": 0.5}}]})",
                                 source),
                 "bodies.parts[0].bodies.virial_ratio: cannot be reached"));
  CHECK(contains(refusal_of_deck(R"({"generator": "plummer", "count": 1, "virial_ratio": 0.5})"),
                 "bodies.virial_ratio: needs two bodies or more"));
  CHECK(contains(refusal_of_deck(R"({"generator": "king", "count": 9, "virial_ratio": 0})"),
                 "must be a finite number > 0"));
  CHECK(
      contains(refusal_of_deck(R"({"generator": "kepler", "virial_ratio": 0.5})"), "unknown key"));
  // Bodies at rest need no energy.
  CHECK(
      refusal_of_deck(R"({"generator": "uniform_sphere", "count": 1, "virial_ratio": 0})").empty());
}
