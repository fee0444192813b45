// SPDX-License-Identifier: Apache-2.0
#include "planetary_system.hpp"

#include <cmath>
#include <utility>

namespace apsis::integrators {

namespace {

/// Coefficients of D^(2k) in (D / 2) / sinh(D / 2), k = 0 ... terms: 1, -1/24, 7/5760 ...
std::vector<long double> inverse_sinh_series(int terms) {
  std::vector<long double> sinh_series{1.0L}, result{1.0L};
  for (int k = 1; k <= terms; ++k) {
    sinh_series.push_back(sinh_series.back() / (4.0L * (2 * k) * (2 * k + 1)));
    long double sum = 0.0L;
    for (int j = 1; j <= k; ++j) {
      sum -= sinh_series[static_cast<std::size_t>(j)] * result[static_cast<std::size_t>(k - j)];
    }
    result.push_back(sum);
  }
  return result;
}

/// Solves a linear system; the last column of `rows` is the right side. Gauss-Jordan with pivots.
std::vector<double> solved(std::vector<std::vector<long double>> rows) {
  std::size_t const count = rows.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i; r < count; ++r) {
      if (std::abs(rows[r][i]) > std::abs(rows[pivot][i])) pivot = r;
    }
    std::swap(rows[i], rows[pivot]);
    for (std::size_t r = 0; r < count; ++r) {
      if (r == i) continue;
      long double const factor = rows[r][i] / rows[i][i];
      for (std::size_t c = i; c <= count; ++c) rows[r][c] -= factor * rows[i][c];
    }
  }
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(static_cast<double>(rows[i][count] / rows[i][i]));
  }
  return result;
}

/// X(a, b) X(-a, -b), where X(a, b) is a drift a, a kick b and a drift -a.
void apply_factor(PlanetarySystem& system, double drift, double kick) {
  system.drift(drift);
  system.kick(kick);
  system.drift(-2.0 * drift);
  system.kick(-kick);
  system.drift(drift);
}

}  // namespace

/// With D = dt times the Lie derivative of the Kepler motion, the terms of first order in the
/// perturbation cancel if 2 sum_i b_i a_i^(2k-1) / (2k-1)! is the coefficient of D^(2k-1) in
/// 1 / (2 sinh(D / 2)), k = 1 ... n. The a_i = -i sqrt(7/40) are those of Wisdom 2006; the linear
/// system for the b_i is solved here.
Corrector::Corrector(int order) {
  int const factors = order < 3 ? 0 : (order - 1) / 2;
  auto const series = inverse_sinh_series(factors);
  std::vector<std::vector<long double>> rows;
  for (int i = 1; i <= factors; ++i) drift_.push_back(-i * std::sqrt(7.0 / 40.0));
  for (int k = 1; k <= factors; ++k) {
    long double factorial = 1.0L;
    for (int j = 2; j < 2 * k; ++j) factorial *= j;
    std::vector<long double> row;
    for (double const a : drift_) {
      row.push_back(2.0L * std::pow(static_cast<long double>(a), 2 * k - 1) / factorial);
    }
    row.push_back(series[static_cast<std::size_t>(k)]);
    rows.push_back(std::move(row));
  }
  kick_ = solved(std::move(rows));
}

/// The product of the factors with b / 2 and its mirror image. With A the Kepler motion and B the
/// perturbation, the factors alone would also have the terms a b^2 [B, [A, B]] (Baker, Campbell &
/// Hausdorff): errors of second order in the perturbation and third in dt. A product that is its
/// own mirror image has no terms of even order in the perturbation; its inverse has the kicks -b.
void Corrector::multiply(PlanetarySystem& system, double dt, double sign) const {
  for (std::size_t i = 0; i < drift_.size(); ++i) {
    apply_factor(system, drift_[i] * dt, 0.5 * sign * kick_[i] * dt);
  }
  for (std::size_t i = drift_.size(); i-- > 0;) {
    apply_factor(system, -drift_[i] * dt, -0.5 * sign * kick_[i] * dt);
  }
}

}  // namespace apsis::integrators
