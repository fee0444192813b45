// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/transport.hpp"
#include "forces/fmm/tree/target_cells.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/forces/request.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Copies of the results of a sweep: accelerations for the next sweep, results for the request.
namespace apsis::forces::fmm {

/// Returns |acceleration(row)| times `inverse_G`.
template <class Stored>
KOKKOS_INLINE_FUNCTION Stored acceleration_magnitude(VectorColumns<Stored> const& acceleration,
                                                     std::size_t row, double inverse_G) {
  auto const x = static_cast<double>(acceleration(row, 0));
  auto const y = static_cast<double>(acceleration(row, 1));
  auto const z = static_cast<double>(acceleration(row, 2));
  return static_cast<Stored>(Kokkos::sqrt(x * x + (y * y + z * z)) * inverse_G);
}

/// Returns 1 / G; 0 without gravity.
inline double inverse_or_zero(double G) {
  return G > 0.0 ? 1.0 / G : 0.0;
}

/// Stores the magnitudes of the accelerations, over G, of the targets.
template <class Stored>
void store_accelerations(ExecutionSpace const& space, VectorColumns<Stored> const& acceleration,
                         TargetRows const& targets, double G, Column<Stored> const& magnitude) {
  double const inverse_G = inverse_or_zero(G);
  for_each(
      space, "apsis::forces::fmm::store_accelerations", magnitude.extent(0),
      KOKKOS_LAMBDA(std::size_t body) {
        std::uint32_t const row = targets.row(static_cast<std::uint32_t>(body));
        if (row != no_row) magnitude(body) = acceleration_magnitude(acceleration, row, inverse_G);
      });
}

/// Stores the same magnitudes from results in the order of the leaves.
template <class Stored>
void store_leaf_accelerations(ExecutionSpace const& space,
                              VectorColumns<Stored> const& acceleration, LeafRows const& rows,
                              double G, Column<Stored> const& magnitude) {
  double const inverse_G = inverse_or_zero(G);
  for_each(
      space, "apsis::forces::fmm::store_accelerations", rows.count, KOKKOS_LAMBDA(std::size_t row) {
        auto const body = rows.body(row);
        if (body != no_row) magnitude(body) = acceleration_magnitude(acceleration, row, inverse_G);
      });
}

/// Copies results from the order of the leaves, `leaf_results`, to the target rows of this rank.
template <class Stored>
void copy_rank_rows(ExecutionSpace const& space, Field<Stored> const& leaf_results,
                    LeafRows const& rows, Share const& rank_bodies, Field<Stored> const& output) {
  bool const accelerates = output.has(Wants::acceleration);
  bool const has_potential = output.has(Wants::potential);
  auto const targets = rows.targets;
  for_each(
      space, "apsis::forces::fmm::copy_rank_rows", rows.count, KOKKOS_LAMBDA(std::size_t i) {
        std::uint32_t const body = rows.body(i);
        if (body < rank_bodies.first || body >= rank_bodies.first + rank_bodies.count) return;
        std::size_t const row =
            targets.is_all() ? body - rank_bodies.first : std::size_t{targets.row(body)};
        for (int axis = 0; accelerates && axis < 3; ++axis) {
          output.acceleration(row, axis) = leaf_results.acceleration(i, axis);
        }
        if (has_potential) output.potential(row) = leaf_results.potential(i);
      });
}

/// Returns the result row of each body, in columns that this function resizes: `rank_rows` of the
/// bodies of this rank or, if ranks share the bodies, `all_rows`, gathered from all ranks.
template <class Stored>
RowOfBody find_target_rows(Context const& context, Request<Stored> const& request,
                           RowOfBody& rank_rows, RowOfBody& all_rows) {
  auto const& space = context.space;
  auto const& sources = request.sources;
  fit(space, rank_rows, "apsis::forces::fmm::rank_rows", sources.size());
  Kokkos::deep_copy(space, rank_rows, no_row);
  auto const rows = rank_rows;
  auto const targets = request.targets.rows;
  for_each(
      space, "apsis::forces::fmm::row_of_body", targets.size(),
      KOKKOS_LAMBDA(std::size_t row) { rows(targets[row]) = static_cast<std::uint32_t>(row); });
  if (!is_shared(context)) return rows;
  fit(space, all_rows, "apsis::forces::fmm::rows", sources.total);
  std::vector<std::size_t> first_bodies = gather_values(context, std::vector{sources.first});
  first_bodies.push_back(sources.total);
  std::vector<std::span<std::byte const>> sent;
  std::vector<std::span<std::byte>> received;
  append_bytes(sent, rows, rows.extent(0));
  append_bytes(received, all_rows, all_rows.extent(0));
  context.communicator->transport().gather(space, sent, received, first_bodies);
  return all_rows;
}

}  // namespace apsis::forces::fmm
