// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "forces/fmm/tree/build.hpp"
#include "forces/fmm/tree/key_sort.hpp"
#include "forces/fmm/tree/leaf_shares.hpp"
#include "forces/fmm/tree/sorted_bodies.hpp"
#include "forces/fmm/tree/target_cells.hpp"
#include "interaction_lists.hpp"
#include "list_construction.hpp"
#include <apsis/bodies/bodies.hpp>

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

}  // namespace apsis::forces::fmm
