// SPDX-License-Identifier: Apache-2.0
#include "workspace.hpp"

#include "calibration.hpp"
#include "cells.hpp"
#include "curve_order.hpp"
#include "lots.hpp"

#include <algorithm>
#include <cmath>

namespace apsis::forces::fmm {

namespace {

/// How much longer lists are, at the most: as measured between 1e-3 and 1e-5, at the start of a
/// run; with an angle in proportion to the volume of who is near.
double longer_lists(FmmOptions const& options) {
  double const angle = options.opening_angle.value_or(0.6);
  double const error = options.opening_error.value_or(Calibration::usual_part * options.accuracy);
  double const longer = options.opening_angle
                            ? std::pow(0.6 / angle, 3.0)
                            : std::pow(Calibration::usual_part * 1e-3 / error, 0.4);
  return std::max(1.0, longer);
}

template <class Number, int order>
double bytes_of(std::size_t bodies, double longer, bool of_some) {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  auto const division = Division::of(bodies, leaf_size<Real>);
  // Position and mass as given, along the curve and in units; pull along the curve, pull kept.
  double const body = 13.0 * sizeof(Stored) + sizeof(Real);
  // Keys and places along the curve, and what sorts them.
  constexpr double sorting = 2.0 * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
  constexpr double field = columns_to<Real>(order) * sizeof(Real);
  // Place, mass, box, arrivals, node, moments.
  double const cell =
      10.0 * sizeof(Stored) + sizeof(double) + sizeof(std::uint32_t) + sizeof(Node<Number>) + field;
  // Whose row is where; which cells are targets.
  double const some = of_some ? sizeof(std::uint32_t) : 0.0;
  double const some_cells = of_some ? 2.0 * sizeof(CellId) : 0.0;
  auto const leaves = static_cast<double>(division.leaves);
  auto const lot = static_cast<double>(std::min(division.leaves, leaves_of_lot(division.leaves)));
  // Fields of parents and of theirs.
  double const fields = 0.5 * leaves + std::max(0.5 * leaves, lot);
  // Nobody has more on its lists than all cells a few times, else they are given up.
  double const most = 16.0 * sizeof(CellId) * leaves;
  double const at_work = (cell + some_cells) * static_cast<double>(division.rows()) +
                         field * fields + leaves * std::min(longer * list_bytes_above, most) +
                         lot * std::min(longer * list_bytes_of_leaf, most);
  auto const count = static_cast<double>(bodies);
  return count * (body + some + sorting) + at_work;
}

}  // namespace

double workspace_bytes(Precision precision, FmmOptions const& options, std::uint64_t bodies,
                       bool of_some) {
  if (bodies == 0 || bodies >= most_bodies) return 0.0;
  return in_precision(precision, [&]<class Number>(Number) {
    return with_order(options, [&](auto order) {
      return bytes_of<Number, order()>(static_cast<std::size_t>(bodies), longer_lists(options),
                                       of_some);
    });
  });
}

std::size_t fewest_bodies(double accuracy) {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  constexpr double at_usual_accuracy = 80000.0;
#else
  constexpr double at_usual_accuracy = 10000.0;
#endif
  return static_cast<std::size_t>(at_usual_accuracy * std::pow(1e-3 / accuracy, 0.4));
}

double least_accuracy(Precision precision) {
  switch (precision) {
    case Precision::double_precision:
      return 1e-10;
    case Precision::mixed:
      return 1e-5;
    default:
      return 3e-5;
  }
}

}  // namespace apsis::forces::fmm
