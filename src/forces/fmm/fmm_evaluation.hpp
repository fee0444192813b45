// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bodies_along.hpp"
#include "build.hpp"
#include "chains.hpp"
#include "leaf_shares.hpp"
#include "lists.hpp"
#include "target_bodies.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/share.hpp>

#include <optional>

namespace apsis::forces::fmm {

/// What is kept from one evaluation for the next, as room: it is as much again.
template <class Number>
struct Kept {
  BodiesAlong<typename Number::Stored> along;
  Cells<Number> cells;
  BuildRoom<typename Number::Stored> build;
  Expansions<typename Number::Real> parents, fields;  ///< of the level before, of this one
  Chains candidates, far, near, split;
  TargetCellsOf targets;
  Column<typename Number::Stored> least_pull;  ///< that counts
  RowOfBody own_rows, rows;                    ///< of the bodies that are here, of all
  /// What far, near and split of each look took.
  Kokkos::View<std::uint64_t* [2], Kokkos::LayoutRight, MemorySpace> used;
  /// Whether lists had the room that they have now at the last sweep, so that they are likely to
  /// have it again: the host does not look at each.
  bool has_room = false;
  LeafShares shares;
  /// What the last sweep over a process' own leaves took [s]; 0: it had no room at first.
  double seconds = 0.0;
};

/// How a sweep over cells decides.
template <class Number>
struct FmmEvaluation {
  Criterion criterion;
  /// The bodies' accelerations over G [mass / length^2]; nothing: distances alone decide.
  Column<typename Number::Stored> pull;
  Kept<Number>& kept;
  RowOfBody row_of_body{};  ///< who is a target; nothing: all are
  /// The leaves of those with targets that this process of several sweeps over, whose bodies have
  /// rows in the order of these leaves. Else all do, and have the rows that row_of_body says or
  /// their own.
  std::optional<Share> own{};
};

}  // namespace apsis::forces::fmm
