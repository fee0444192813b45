// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "chains.hpp"
#include "lists.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/share.hpp>

#include <optional>

namespace apsis::forces::fmm {

/// Lists, kept from one evaluation for the next: they are as long again.
struct ChainsOfLevels {
  Chains candidates, far, near, split;
};

/// How a sweep over cells decides.
template <class Stored>
struct FmmEvaluation {
  Criterion criterion;
  /// The bodies' accelerations over G [mass / length^2]; nothing: distances alone decide.
  Column<Stored> pull;
  ChainsOfLevels& chains;
  /// The leaves whose bodies are targets; nothing: all, and what is found stands in the bodies' own
  /// rows. Else it stands in rows along the curve, from the first of those leaves on.
  std::optional<Share> leaves{};
};

}  // namespace apsis::forces::fmm
