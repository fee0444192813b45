// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/fmm/tree/build.hpp"
#include "forces/fmm/tree/key_sort.hpp"
#include "forces/fmm/tree/leaf_shares.hpp"
#include "forces/fmm/tree/sorted_bodies.hpp"
#include "forces/fmm/tree/target_cells.hpp"
#include "forces/sweep.hpp"
#include "interaction_lists.hpp"
#include "list_construction.hpp"
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

/// Declares the sweep over cells, compiled for each expansion order. Each precision and order has
/// its own file, sweep_PRECISION_ORDER.cpp, since compiling one of them takes half a minute: so
/// they compile in parallel, and no build is silent for longer than that.
namespace apsis::forces::fmm {

/// Evaluates the targets of `input` with expansions of this order. Precondition: the bodies are
/// sorted in the workspace.
template <class Number, int order>
SweepOutcome sweep_with_order(Evaluation<Number> const& evaluation,
                              SweepInput<Number> const& input);

}  // namespace apsis::forces::fmm
