// SPDX-License-Identifier: Apache-2.0
#include "fmm_run.hpp"
#include "forces/fmm/calibration.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace apsis;
using namespace apsis::testing;

TEST_CASE("calibration finds the fraction for any errors that fall with it") {
  // Errors of any size that fall with the fraction at the measured rate or faster.
  for (double const size : {1e-6, 1e-3, 0.05}) {
    for (double const power : {0.5, 0.63, 1.0}) {
      CAPTURE(size);
      CAPTURE(power);
      forces::fmm::Calibration calibration(1e-3);
      int measurements = 0, rejected = 0, evaluations = 0;
      double error = 0.0;
      for (; evaluations < 64; ++evaluations) {
        if (!calibration.begin_evaluation()) continue;
        ++measurements;
        error = size * std::pow(calibration.fraction(), power);
        while (!calibration.process_measurement(error)) {
          ++rejected;
          error = size * std::pow(calibration.fraction(), power);
        }
        CHECK(error <= 1e-3);
      }
      CHECK((error > 4e-4 || calibration.fraction() >= 1e3));
      CHECK(measurements + rejected < 12);
      CHECK(calibration.round() == 1);
    }
  }
}

TEST_CASE("calibration ends if errors jump between too large and too small") {
  forces::fmm::Calibration calibration(1e-3);
  int measurements = 0, rejected = 0;
  for (int evaluations = 0; evaluations < 640; ++evaluations) {
    if (!calibration.begin_evaluation()) continue;
    auto const error = [&] { return calibration.fraction() > 0.05 ? 1.2e-3 : 0.3e-3; };
    ++measurements;
    double const fraction = calibration.fraction();
    while (!calibration.process_measurement(error())) ++rejected;
    CHECK(calibration.fraction() <= fraction);  // the accepted fraction is in force
    CHECK(error() < 1e-3);
  }
  CHECK(measurements <= 11);
  CHECK(rejected <= 5 * measurements);
  CHECK(calibration.round() > 8);
}

TEST_CASE("the worst error covers the fractions that the run used, not the rejected ones") {
  forces::fmm::Calibration calibration(1e-3);
  double size = 0.05;
  auto const error = [&] { return size * std::pow(calibration.fraction(), 0.63); };
  auto const evaluate = [&] {
    if (!calibration.begin_evaluation()) return;
    while (!calibration.process_measurement(error())) {
    }
  };
  // At first several fractions are rejected, which no step used.
  CHECK(error() > 1e-3);
  for (int k = 0; k < 100; ++k) evaluate();
  CHECK(calibration.worst_error() <= 1e-3);
  CHECK(calibration.worst_error() == *calibration.last_error());
  // Bodies change between two measurements: the second one measures the error of the steps before
  // it.
  size *= 3.0;
  double const in_force = error();
  for (int k = 0; k < 100; ++k) evaluate();
  CHECK(in_force > 1e-3);
  CHECK(*calibration.last_error() <= 1e-3);
  CHECK(calibration.worst_error() == in_force);
  SavedState saved;
  calibration.exchange(saved);
  forces::fmm::Calibration restored(1e-3);
  SavedState state(saved.blocks());
  restored.exchange(state);
  CHECK(restored.worst_error() == in_force);
}

TEST_CASE("the first sample is larger if that is cheap") {
  CHECK(forces::fmm::sample_size(10, 0) == 10);
  CHECK(forces::fmm::sample_size(100000, 0) == 16000);
  CHECK(forces::fmm::sample_size(100000, 1) == 4000);
  CHECK(forces::fmm::sample_size(1000000, 0) == 4000);
}

TEST_CASE("samples do not follow a pattern of the rows" * expensive) {
  auto rows = plummer(32000);
  std::mt19937_64 draw(3);
  for (std::size_t i = 0; i < rows.size(); i += 2) {
    rows.position[i] = 30.0 * in_plummer(draw);
    rows.mass[i] *= 1e-3;
  }
  rows = rounded_to_single(rows);
  forces::Gravity const soft{1.0, 0.01};
  Run<forces::Single> run(rows, soft);
  for (int round = 0; round < 3; ++round) run.evaluate(false);
  auto const result = run.evaluate(false);
  forces::FmmOptions all_pairs;
  all_pairs.min_bodies = 100000;
  auto const exact = Run<forces::Double>(rows, soft, all_pairs).evaluate(false);
  std::vector<double> errors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const& exact_acceleration = exact.acceleration[i];
    errors.push_back(norm(result.acceleration[i] - exact_acceleration) / norm(exact_acceleration));
  }
  std::sort(errors.begin(), errors.end());
  double const p99 = percentile(errors, 0.99);
  CHECK(p99 <= 1e-3);
  CHECK(run.solver.errors()->measured == approximately(p99, 0.3));
}

TEST_CASE("fmm is not much more accurate than requested" * expensive) {
  // The initial fraction, chosen for nine configurations, is too strict for this one.
  auto const bodies = plummer(20000);
  forces::Gravity const gravity{1.0, 0.01};
  Run<forces::Single> run(rounded_to_single(bodies), gravity);
  for (int i = 0; i < 5; ++i) run.evaluate();
  auto const errors = errors_of(run.evaluate(), rounded_to_single(bodies), gravity);
  CHECK(errors.p99 > 3e-4);
  CHECK(errors.p99 <= 1e-3);
}
