// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "build.hpp"
#include "chains.hpp"
#include "lists.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/share.hpp>

#include <optional>

namespace apsis::forces::fmm {

/// What is kept from one evaluation for the next, as room: it is as much again.
template <class Number>
struct Kept {
  Cells<Number> cells;
  Boxes<typename Number::Stored> boxes;
  Expansions<typename Number::Real> parents, fields;  ///< of the level before, of this one
  Chains candidates, far, near, split;
  Kokkos::View<std::uint64_t* [2], Kokkos::LayoutRight, MemorySpace> used;  ///< far, near, split
};

/// How a sweep over cells decides.
template <class Number>
struct FmmEvaluation {
  Criterion criterion;
  /// The bodies' accelerations over G [mass / length^2]; nothing: distances alone decide.
  Column<typename Number::Stored> pull;
  Kept<Number>& kept;
  /// The leaves whose bodies are targets; nothing: all, and what is found stands in the bodies' own
  /// rows. Else it stands in rows along the curve, from the first of those leaves on.
  std::optional<Share> leaves{};
};

}  // namespace apsis::forces::fmm
