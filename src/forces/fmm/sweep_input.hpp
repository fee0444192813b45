// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "build.hpp"
#include "interaction_lists.hpp"
#include "leaf_shares.hpp"
#include "list_construction.hpp"
#include "sorted_bodies.hpp"
#include "target_cells.hpp"
#include "traversal.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/share.hpp>

#include <cstdint>
#include <optional>

namespace apsis::forces::fmm {

/// Memory that is reused by the next evaluation: allocating it takes about as long as using it.
template <class Number>
struct FmmWorkspace {
  SortedBodies<typename Number::Stored> sorted_bodies;
  Cells<Number> cells;
  BuildWorkspace<typename Number::Stored> build;
  Expansions<typename Number::Real> parents, fields;  ///< of the level above, and of this level
  InteractionLists candidates;  ///< sources that the level above left to its children
  ListConstruction lists;       ///< of this level
  TargetSelection targets;
  Column<typename Number::Stored> acceleration_floor;  ///< one row
  RowOfBody rank_rows, rows;  ///< of the bodies of this rank, and of all bodies
  /// Whether the allocated blocks sufficed in the last sweep. They are then likely to suffice
  /// again, and the host checks them once at the end instead of after each batch.
  bool lists_fit = false;
  LeafShares shares;
};

/// Outcome of a sweep on one rank. Ranks exchange it, so it has no padding.
struct SweepOutcome {
  std::uint64_t succeeded = 0;  ///< 0: an interaction list exceeded its limit; results undefined
  /// Time of the sweep over the leaves of this rank [s]; 0: unknown, blocks were reallocated.
  double seconds = 0.0;
};

/// Parameters of a sweep over cells.
template <class Number>
struct SweepInput {
  AcceptanceParameters acceptance;
  /// Accelerations of the bodies over G [mass / length^2]; empty: the criterion is geometric.
  Column<typename Number::Stored> acceleration;
  FmmWorkspace<Number>& workspace;
  TargetRows targets = TargetRows::all();
  /// Share of the leaves with targets that this rank sweeps over; their results are stored in the
  /// order of the leaves. Without it, all of them; results are stored in the rows of the targets.
  std::optional<Share> leaf_share{};
};

}  // namespace apsis::forces::fmm
