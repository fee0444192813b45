// SPDX-License-Identifier: Apache-2.0
#include "tuning.hpp"

#include "calibration.hpp"
#include "cells.hpp"
#include <apsis/core/backend.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::forces::fmm {

namespace {

/// Upper bound on the length of lists, relative to their length at an accuracy of 1e-3 or an
/// opening angle of 0.6. For an accuracy: measured between 1e-3 and 1e-5 at the start of a run. For
/// an opening angle: in proportion to the near volume.
double list_growth(FmmOptions const& options) {
  double const angle = options.opening_angle.value_or(0.6);
  double const error =
      options.opening_error.value_or(Calibration::default_fraction * options.accuracy);
  double const growth = options.opening_angle
                            ? std::pow(0.6 / angle, 3.0)
                            : std::pow(Calibration::default_fraction * 1e-3 / error, 0.4);
  return std::max(1.0, growth);
}

template <class Number>
double memory_bytes(std::size_t bodies, int order, double growth, bool has_subset_requests) {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  auto const tree = CellTree::make(bodies, leaf_size<Real>);
  // Position and mass: unsorted, sorted, and in internal units. Acceleration: sorted, and stored.
  double const body = 13.0 * sizeof(Stored) + sizeof(Real);
  // Keys and order, and the buffers for sorting.
  constexpr double sorting = 2.0 * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
  auto const field = static_cast<double>(column_count<Real>(order) * sizeof(Real));
  // Sphere, mass, box, arrivals, node, moments.
  double const cell =
      10.0 * sizeof(Stored) + sizeof(double) + sizeof(std::uint32_t) + sizeof(Node<Number>) + field;
  // Rows of the bodies; list and index of the target cells.
  double const subset = has_subset_requests ? sizeof(std::uint32_t) : 0.0;
  double const subset_cells = has_subset_requests ? 2.0 * sizeof(CellId) : 0.0;
  auto const leaves = static_cast<double>(tree.leaves);
  auto const batch = static_cast<double>(std::min(tree.leaves, leaves_per_batch(tree.leaves)));
  // Two buffers of local expansions: for the parents of the leaves, and for the level above them or
  // a batch of leaves.
  double const fields = 0.5 * leaves + std::max(0.5 * leaves, batch);
  // Upper bound on the bytes of lists per leaf: with longer lists the sweep is abandoned.
  double const max_list = 16.0 * sizeof(CellId) * leaves;
  double const tree_memory = (cell + subset_cells) * static_cast<double>(tree.rows()) +
                             field * fields +
                             leaves * std::min(growth * upper_list_bytes_per_leaf, max_list) +
                             batch * std::min(growth * list_bytes_per_leaf, max_list);
  auto const count = static_cast<double>(bodies);
  return count * (body + subset + sorting) + tree_memory;
}

}  // namespace

double workspace_bytes(Precision precision, FmmOptions const& options, std::uint64_t bodies,
                       bool has_subset_requests) {
  if (bodies == 0 || bodies >= max_bodies) return 0.0;
  return in_precision(precision, [&]<class Number>(Number) {
    return memory_bytes<Number>(static_cast<std::size_t>(bodies), expansion_order(options),
                                list_growth(options), has_subset_requests);
  });
}

std::size_t min_bodies(double accuracy) {
  constexpr double reference = by_backend(10000.0, 80000.0);
  return static_cast<std::size_t>(reference * std::pow(1e-3 / accuracy, 0.4));
}

double smallest_accuracy(Precision precision) {
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
