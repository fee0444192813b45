// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "acceptance.hpp"
#include "forces/fmm/tree/key_sort.hpp"
#include "forces/fmm/tree/leaf_shares.hpp"
#include "forces/fmm/tree/sorted_bodies.hpp"
#include "forces/fmm/tree/target_cells.hpp"
#include "forces/sweep.hpp"
#include "geometry.hpp"
#include "interaction_lists.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/transfer.hpp>

#include <cstdint>
#include <optional>

namespace apsis::forces::fmm {

/// Memory that is kept between evaluations, because allocating it takes about as long as using it.
template <class Number>
struct FmmWorkspace {
  SortedBodies<typename Number::Stored> sorted_bodies;
  Cells<Number> cells;
  BuildWorkspace<typename Number::Stored> build;
  Expansions<typename Number::Real> parents;  ///< local expansions of the level above
  Expansions<typename Number::Real> fields;   ///< local expansions of this level
  InteractionLists candidates;                ///< split lists of the level above
  ListConstruction lists;                     ///< of this level
  TargetSelection targets;
  Column<typename Number::Stored> acceleration_floor;  ///< one row
  RowOfBody rank_rows;                                 ///< of the bodies of this rank
  RowOfBody rows;                                      ///< of the bodies of all ranks
  /// Whether the allocated blocks sufficed in the last sweep. They are then likely to suffice
  /// again, and the host checks them once at the end instead of after each construction.
  bool lists_fit = false;
  LeafShares shares;
};

/// Outcome of a sweep on one rank. Ranks exchange it, so it has no padding.
struct SweepOutcome {
  std::uint64_t succeeded = 0;  ///< 0: an interaction list exceeded its limit; results undefined
  /// Time of the sweep over the leaves of this rank [s]; 0: unknown, the host checked the lists
  /// after each construction.
  double seconds = 0.0;
};

/// Input of a sweep over cells.
template <class Number>
struct SweepInput {
  AcceptanceParameters acceptance;
  /// Accelerations of the bodies over G [mass / length^2]; empty: the criterion is geometric.
  Column<typename Number::Stored> acceleration;
  FmmWorkspace<Number>& workspace;
  TargetRows targets = TargetRows::all();
  /// Share of the leaves with targets that this rank sweeps over; results are then stored in the
  /// order of the leaves. Empty: all leaves; results are stored in the rows of the targets.
  std::optional<Share> leaf_share{};
};

/// Evaluates the targets of `input` with these operators. Precondition: the bodies are sorted, and
/// the targets selected, in the workspace. Each instance has a generated file: on a host
/// sweep_PRECISION.cpp, on a GPU sweep_PRECISION_ORDER.cpp.
template <class Number, class Operators>
SweepOutcome sweep(Evaluation<Number> const& evaluation, SweepInput<Number> const& input,
                   Operators const& operators);

}  // namespace apsis::forces::fmm
