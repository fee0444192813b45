// SPDX-License-Identifier: Apache-2.0
#include "fmm_run.hpp"
#include "forces/fmm/calibration.hpp"
#include "support/expensive.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace apsis;
using namespace apsis::testing;

TEST_CASE("the part that cells may add is found for any errors that fall with it") {
  // Errors that fall with the part that a cell may add, as they do or faster, and have any size.
  for (double const size : {1e-6, 1e-3, 0.05}) {
    for (double const power : {0.5, 0.63, 1.0}) {
      CAPTURE(size);
      CAPTURE(power);
      forces::fmm::Calibration calibration(1e-3);
      int looks = 0, rejected = 0, evaluations = 0;
      double error = 0.0;
      for (; evaluations < 64; ++evaluations) {
        if (!calibration.is_due()) continue;
        ++looks;
        error = size * std::pow(calibration.part(), power);
        while (!calibration.accepts(error)) {
          ++rejected;
          error = size * std::pow(calibration.part(), power);
        }
        CHECK(error <= 1e-3);
      }
      CHECK((error > 4e-4 || calibration.part() >= 1e3));
      CHECK(looks + rejected < 12);
      CHECK(calibration.turn() == 1);
    }
  }
}

TEST_CASE("looks come to an end where nothing is between too much and too little") {
  forces::fmm::Calibration calibration(1e-3);
  int looks = 0, rejected = 0;
  for (int evaluations = 0; evaluations < 640; ++evaluations) {
    if (!calibration.is_due()) continue;
    auto const error = [&] { return calibration.part() > 0.05 ? 1.2e-3 : 0.3e-3; };
    ++looks;
    double const part = calibration.part();
    while (!calibration.accepts(error())) ++rejected;
    CHECK(calibration.part() <= part);  // what was accepted is what is in force
    CHECK(error() < 1e-3);
  }
  CHECK(looks <= 11);
  CHECK(rejected <= 5 * looks);
  CHECK(calibration.turn() > 8);
}

TEST_CASE("the worst look counts what the run used: what was in force, not what was rejected") {
  forces::fmm::Calibration calibration(1e-3);
  double size = 0.05;
  auto const error = [&] { return size * std::pow(calibration.part(), 0.63); };
  auto const evaluate = [&] {
    if (!calibration.is_due()) return;
    while (!calibration.accepts(error())) {
    }
  };
  // At first several are rejected, which no step used.
  CHECK(error() > 1e-3);
  for (int k = 0; k < 100; ++k) evaluate();
  CHECK(calibration.worst() <= 1e-3);
  CHECK(calibration.worst() == *calibration.found());
  // Bodies change between two looks: the second finds what the steps before it had.
  size *= 3.0;
  double const in_force = error();
  for (int k = 0; k < 100; ++k) evaluate();
  CHECK(in_force > 1e-3);
  CHECK(*calibration.found() <= 1e-3);
  CHECK(calibration.worst() == in_force);
  SavedState saved;
  calibration.exchange(saved);
  forces::fmm::Calibration restored(1e-3);
  SavedState state(saved.blocks());
  restored.exchange(state);
  CHECK(restored.worst() == in_force);
}

TEST_CASE("the first look is at more bodies, where that does not take long") {
  CHECK(forces::fmm::size_of_sample(10, 0) == 10);
  CHECK(forces::fmm::size_of_sample(100000, 0) == 16000);
  CHECK(forces::fmm::size_of_sample(100000, 1) == 4000);
  CHECK(forces::fmm::size_of_sample(1000000, 0) == 4000);
}

TEST_CASE("rows with a pattern are no sample's pattern" * expensive) {
  auto rows = plummer(32000);
  std::mt19937_64 draw(3);
  for (std::size_t i = 0; i < rows.size(); i += 2) {
    rows.position[i] = 30.0 * in_plummer(draw);
    rows.mass[i] *= 1e-3;
  }
  rows = rounded_to_single(rows);
  forces::Gravity const soft{1.0, 0.01};
  Run<forces::Single> run(rows, soft);
  for (int turn = 0; turn < 3; ++turn) run.evaluate(false);
  auto const found = run.evaluate(false);
  forces::FmmOptions all_pairs;
  all_pairs.fewest = 100000;
  auto const exact = Run<forces::Double>(rows, soft, all_pairs).evaluate(false);
  std::vector<double> errors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const& pull = exact.acceleration[i];
    errors.push_back(norm(found.acceleration[i] - pull) / norm(pull));
  }
  std::sort(errors.begin(), errors.end());
  double const most = percentile(errors, 0.99);
  CHECK(most <= 1e-3);
  CHECK(run.solver.errors()->found == approximately(most, 0.3));
}

TEST_CASE("fmm works no harder than its accuracy asks for" * expensive) {
  // What is right for nine configurations is too strict for this.
  auto const bodies = plummer(20000);
  forces::Gravity const gravity{1.0, 0.01};
  Run<forces::Single> run(rounded_to_single(bodies), gravity);
  for (int i = 0; i < 5; ++i) run.evaluate();
  auto const errors = errors_of(run.evaluate(), rounded_to_single(bodies), gravity);
  CHECK(errors.most > 3e-4);
  CHECK(errors.most <= 1e-3);
}
