// SPDX-License-Identifier: Apache-2.0
#include "support/executable/process.hpp"
#include "support/json_schema.hpp"
#include "support/relative.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <sstream>

using namespace apsis::testing;
using nlohmann::json;

namespace {

using Row = std::map<std::string, double>;

/// A finished run of a validation deck, and its files.
struct Validation {
  Scratch scratch;
  Result result;
  json summary;
  std::vector<Row> log;

  explicit Validation(std::string const& name) {
    auto const deck = std::filesystem::absolute(inputs() / "validation" / (name + ".json"));
    result = run_apsis("run '" + deck.string() + "' --output out", scratch);
    summary = json::parse(content(scratch / "out/summary.json"));
    log = table("conservation");
  }

  std::vector<Row> table(std::string const& name) const {
    std::istringstream lines(content(scratch / ("out/" + name + ".csv")));
    std::vector<Row> rows;
    std::string line;
    std::vector<std::string> names;
    std::getline(lines, line);
    std::istringstream header(line);
    for (std::string field; std::getline(header, field, ',');) names.push_back(field);
    while (std::getline(lines, line)) {
      std::istringstream fields(line);
      Row row;
      for (auto const& name_of : names) {
        std::string field;
        std::getline(fields, field, ',');
        row[name_of] = std::stod(field);
      }
      rows.push_back(row);
    }
    return rows;
  }

  Row const& at_step(double step) const {
    for (auto const& row : log) {
      if (row.at("step") == step) return row;
    }
    throw std::runtime_error("no such step in the log");
  }
};

}  // namespace

TEST_CASE("Kepler, e = 0: analytic energy and angular momentum, constant for ten periods") {
  Validation const run("kepler_circular");
  CHECK(run.result.status == 0);
  CHECK(run.log.front().at("total") == approximately(-0.125, 1e-15));
  for (auto const& row : run.log) {
    CHECK(std::abs(row.at("angular_momentum_z") - 0.25) < 1e-13);
    CHECK(std::abs(row.at("virial_ratio") - 0.5) < 1e-5);  // v^2 r = G M on a circle
  }
}

TEST_CASE("Kepler, e = 0.9: analytic constants, and return to apocentre after a period") {
  Validation const run("kepler_eccentric");
  CHECK(run.result.status == 0);
  double const momentum = 0.25 * std::sqrt(1.0 - 0.81);
  CHECK(run.log.front().at("total") == approximately(-0.125, 1e-15));
  for (auto const& row : run.log) {
    CHECK(std::abs(row.at("angular_momentum_z") - momentum) < 1e-12);
  }
  // Kinetic energy at apocentre v^2 / 8 = (1 - e) / (1 + e) / 8; at pericentre 1 / 8 times the
  // inverse ratio.
  CHECK(run.at_step(20000).at("kinetic") == approximately(0.1 / 1.9 / 8.0, 1e-3));
  CHECK(run.at_step(10000).at("kinetic") == approximately(1.9 / 0.1 / 8.0, 1e-3));
  // The error is largest at pericentre, where it is of order dt^2, and returns to zero.
  CHECK(run.at_step(20000).at("relative_energy_error") < 1e-6);
  CHECK(run.at_step(10000).at("relative_energy_error") > 1e-5);
}

TEST_CASE(
    "figure-eight: energy from the literature, and the same shape after each third of a period") {
  Validation const run("figure_eight");
  CHECK(run.result.status == 0);
  CHECK(run.log.front().at("total") == approximately(-1.287141995631858, 1e-14));
  CHECK(run.log.front().at("potential") == approximately(-2.5, 1e-14));
  for (auto const& row : run.log) CHECK(std::abs(row.at("angular_momentum_z")) < 1e-12);
  // The bodies are permuted every T/3, so all sums repeat at that time.
  for (double const step : {1000.0, 3000.0, 9000.0}) {
    CHECK(run.at_step(step).at("potential") == approximately(-2.5, 1e-5));
  }
  CHECK(std::abs(run.at_step(300).at("potential") + 2.5) > 0.01);
}

TEST_CASE("Plummer sphere: Henon units and equilibrium, in both precisions") {
  for (auto const* precision : {"double", "single"}) {
    CAPTURE(precision);
    Validation const run(std::string("plummer_") + precision);
    CHECK(run.result.status == 0);
    CHECK(run.summary["precision"] == precision);
    double const rounding = std::string(precision) == "double" ? 1e-14 : 1e-8;
    CHECK(std::abs(run.log.front().at("total") + 0.25) < rounding);
    CHECK(std::abs(run.log.front().at("virial_ratio") - 0.5) < 4 * rounding);
    for (auto const& row : run.log) CHECK(std::abs(row.at("virial_ratio") - 0.5) < 0.03);
  }
}

TEST_CASE("spheres in equilibrium: Henon units and a constant virial ratio") {
  for (auto const* sphere : {"king", "hernquist", "jaffe", "nfw"}) {
    CAPTURE(sphere);
    Validation const run(sphere);
    CHECK(run.result.status == 0);
    CHECK(std::abs(run.log.front().at("total") + 0.25) < 1e-14);
    CHECK(std::abs(run.log.front().at("virial_ratio") - 0.5) < 4e-14);
    for (auto const& row : run.log) CHECK(std::abs(row.at("virial_ratio") - 0.5) < 0.03);
  }
}

TEST_CASE("softening kernels of finite extent: Henon units and a constant virial ratio") {
  for (auto const* kernel : {"spline", "wendland_c2"}) {
    CAPTURE(kernel);
    Validation const run(std::string("softening_") + kernel);
    CHECK(run.result.status == 0);
    CHECK(std::abs(run.log.front().at("total") + 0.25) < 1e-14);
    for (auto const& row : run.log) CHECK(std::abs(row.at("virial_ratio") - 0.5) < 0.03);
  }
}

TEST_CASE("two spheres of a composite orbit like two point masses") {
  Validation const run("composite");
  CHECK(run.result.status == 0);
  // 2 M d v = 2 * 10 * sqrt(1 / 40), plus the random part of the spheres' own bodies. The energies
  // are those of two Plummer spheres, -1/4 each, of their orbit K = 1/40 and of W = -1/20.
  for (auto const& row : run.log) {
    CHECK(std::abs(row.at("angular_momentum_z") - 20.0 * std::sqrt(1.0 / 40.0)) < 0.02);
    CHECK(std::abs(row.at("total") + 0.525) < 0.04);
    CHECK(std::abs(row.at("center_of_mass_x") - run.log.front().at("center_of_mass_x")) < 1e-14);
  }
}

TEST_CASE("a disk galaxy starts close to equilibrium and remains there") {
  Validation const run("disk_galaxy");
  CHECK(run.result.status == 0);
  for (auto const& row : run.log) CHECK(std::abs(row.at("virial_ratio") - 0.5) < 0.03);
  double const spin = run.log.front().at("angular_momentum_z");
  CHECK(run.log.back().at("angular_momentum_z") == approximately(spin, 1e-10));
}

TEST_CASE("a sphere with too little kinetic energy collapses") {
  Validation const run("uniform_sphere");
  CHECK(run.result.status == 0);
  // W = -3/5 except for the softening; K / |W| = 0.1 as requested, within the scatter of 2048
  // bodies.
  CHECK(run.log.front().at("potential") == approximately(-0.6, 0.02));
  CHECK(run.log.front().at("virial_ratio") == approximately(0.1, 0.05));
  CHECK(run.log.back().at("virial_ratio") > 0.5);
}

TEST_CASE("a uniform cube has the energy and the mean distance of the literature, and collapses") {
  Validation const run("uniform_cube");
  CHECK(run.result.status == 0);
  CHECK(run.log.front().at("potential") == approximately(-0.9411563221948303, 0.02));
  CHECK(run.log.front().at("virial_ratio") == approximately(0.1, 1e-12));
  CHECK(run.log.back().at("virial_ratio") > 0.5);
  // The constant of Robbins 1978.
  CHECK(run.table("pair_distances").front().at("mean") == approximately(0.6617071822671763, 0.015));
}

TEST_CASE("a fractal of dimension 3 has the energy and the mean distance of a uniform sphere") {
  Validation const run("fractal");
  CHECK(run.result.status == 0);
  CHECK(run.log.front().at("potential") == approximately(-0.6, 0.03));
  CHECK(run.log.front().at("virial_ratio") == approximately(0.3, 1e-12));
  CHECK(run.table("pair_distances").front().at("mean") == approximately(36.0 / 35.0, 0.03));
}

TEST_CASE("a segregated Plummer sphere has the mass profile of Plummer, and is in equilibrium") {
  Validation const run("segregation");
  CHECK(run.result.status == 0);
  CHECK(std::abs(run.log.front().at("total") + 0.25) < 1e-14);
  for (auto const& row : run.log) CHECK(std::abs(row.at("virial_ratio") - 0.5) < 0.03);
  auto const radii = run.table("lagrangian_radii");
  for (double const fraction : {0.25, 0.5, 0.75}) {
    CAPTURE(fraction);
    // r = a / sqrt(fraction^(-2/3) - 1) with a = 3 pi / 16 in Henon units.
    double const radius =
        3.0 * std::numbers::pi / 16.0 / std::sqrt(std::pow(fraction, -2.0 / 3.0) - 1.0);
    auto const name = "r_" + std::string(fraction == 0.5  ? "0.5"
                                         : fraction < 0.5 ? "0.25"
                                                          : "0.75");
    CHECK(radii.front().at(name) == approximately(radius, 0.05));
    for (auto const& row : radii) CHECK(row.at(name) == approximately(radius, 0.15));
  }
}

TEST_CASE("Lagrange triangles rotate rigidly: constant energies, whether stable or not") {
  for (auto const* name : {"lagrange_triangle", "lagrange_stable"}) {
    CAPTURE(name);
    Validation const run(name);
    CHECK(run.result.status == 0);
    double const potential = run.log.front().at("potential");
    for (auto const& row : run.log) {
      CHECK(row.at("potential") == approximately(potential, 3e-5));
      CHECK(std::abs(row.at("virial_ratio") - 0.5) < 3e-5);
    }
  }
}

TEST_CASE("the Pythagorean problem fails with a fixed step, and the run reports it") {
  Validation const run("pythagorean_must_fail");
  CHECK(run.result.status == 1);
  CHECK(run.result.err.find("conservation.max_relative_energy_error") != std::string::npos);
  CHECK(run.summary["status"] == "not_conserved");
  CHECK(run.log.front().at("total") == approximately(-769.0 / 60.0, 1e-15));
  // The failure is caused by the closest approach at t = 15.83, not by the earlier approaches.
  CHECK(run.at_step(1800).at("relative_energy_error") < 1e-4);
}

TEST_CASE("Pythagorean problem: stopped at the first violation, or after two retries") {
  Scratch const scratch;
  auto const deck =
      std::filesystem::absolute(inputs() / "validation/pythagorean_must_fail.json").string();
  auto const run_with_policy = [&](std::string const& policy) {
    auto const run = run_apsis(
        "run '" + deck + "' --force --output out --set conservation.on_violation=" + policy,
        scratch);
    CHECK(run.status == 1);
    CHECK(run.err.find("conservation.max_relative_energy_error") != std::string::npos);
    return run.out;
  };
  auto const summary = [&] { return json::parse(content(scratch / "out/summary.json")); };
  auto const lines = [&] {
    auto const log = content(scratch / "out/conservation.csv");
    return std::count(log.begin(), log.end(), '\n');
  };
  run_with_policy("stop");
  CHECK(summary()["stop_reason"] == "violation");
  CHECK(summary()["status"] == "not_conserved");
  CHECK(summary()["retries"] == 0);
  // The approach at t = 1.88 is too close for the step, for half of it and for a quarter.
  CHECK(summary()["steps"] == 1900);
  double const error = summary()["max_relative_energy_error"];
  // The header, then a line every 100 steps from the start to the one that exceeded the limit.
  CHECK(lines() == 21);

  auto const output = run_with_policy("retry");
  CHECK(output.find("retry 1 of 2: relative energy error") != std::string::npos);
  CHECK(output.find("retry 2 of 2: relative energy error") != std::string::npos);
  CHECK(output.find("retries          2, each with half the step") != std::string::npos);
  CHECK(summary()["stop_reason"] == "violation");
  CHECK(summary()["retries"] == 2);
  CHECK(summary()["steps"] == 1900);
  CHECK(summary()["max_relative_energy_error"] < error / 16.0);
  CHECK(lines() == 21);
}

TEST_CASE("Pythagorean problem: without a step to choose, energy and momentum to rounding") {
  Scratch const scratch;
  auto const deck = std::filesystem::absolute(inputs() / "pythagorean.json").string();
  auto const run = run_apsis("run '" + deck + "' --quiet --output out", scratch);
  CHECK(run.status == 0);
  auto const summary = json::parse(content(scratch / "out/summary.json"));
  CHECK(summary["status"] == "conserved");
  CHECK(summary["max_relative_energy_error"] < 1e-11);
}

TEST_CASE("the decks of the CUDA sample run within their limits") {
  Scratch const scratch;
  int decks = 0;
  for (auto const& entry : std::filesystem::directory_iterator(inputs())) {
    if (entry.path().filename().string().rfind("cuda_sample_", 0) != 0) continue;
    CAPTURE(entry.path());
    auto const run = run_apsis("run '" + std::filesystem::absolute(entry.path()).string() +
                                   "' --quiet --force --output out",
                               scratch);
    CHECK(run.status == 0);
    ++decks;
  }
  CHECK(decks == 10);
}

TEST_CASE("example decks pass with 1000 bodies and fail with longer steps") {
  Scratch const scratch;
  for (std::string const name : {"plummer", "king_cluster", "cold_collapse", "disk_galaxy",
                                 "galaxy_collision", "galaxy_merger", "nfw_halo"}) {
    auto deck = json::parse(content(inputs() / (name + ".json")));
    auto& bodies = deck["bodies"];
    if (bodies.contains("parts")) {
      for (auto& part : bodies["parts"]) part["bodies"]["count"] = 500;
    } else {
      bodies["count"] = 1000;
    }
    // For few bodies direct summation is as fast, and force errors are not tested here.
    deck["gravity"]["solver"] = "direct";
    deck["gravity"].erase("accuracy");
    for (double const factor : {1.0, 8.0}) {
      CAPTURE(name);
      CAPTURE(factor);
      double const step = factor * deck["integrator"]["time_step"].get<double>();
      double const interval = deck["output"]["conservation_interval"].get<double>();
      auto changed = deck;
      changed["integrator"]["time_step"] = step;
      changed["output"] = {{"conservation_interval", std::max(step, interval)},
                           {"final_state", false},
                           {"checkpoint_wall_interval", 0}};
      scratch.write("deck.json", changed.dump());
      auto const run = run_apsis("run deck.json --force --quiet", scratch);
      INFO(run.err);
      CHECK(run.status == (factor == 1.0 ? 0 : 1));
    }
  }
}
