// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"

namespace apsis::forces {

namespace {

/// Scattered targets are taken one by one: nobody asks for many of them in a hurry.
template <class Stored, class Softenings>
void sweep_listed(Evaluation<Widened<Stored>> const& evaluation) {
  using Number = Widened<Stored>;
  constexpr bool device = lane_exchange::width > 1;
  using Tile = std::conditional_t<device, Shape<Staging::scratch, 64, 1, 1, 64, 8>,
                                  Shape<Staging::scratch, 1, 1, 1, 512, 1>>;
  Softenings::choose(evaluation.gravity, [&]<template <class> class Softening>() {
    using Law = ListedPotentialLaw<Number, Softening>;
    Law const law{law_of<Number, Softening, Wanted::potential>(evaluation),
                  evaluation.targets.listed};
    TileLoop<Law, Tile>(law, evaluation.sources.size(), {0, evaluation.targets.size()},
                        SourceParts::of(evaluation.sources.size(), 1, Tile::tile))
        .launch(evaluation.space, label_of(Wanted::potential));
  });
}

template <class Stored, class Softenings>
void sweep_potential(Evaluation<Widened<Stored>> const& evaluation,
                     Workspace<Widened<Stored>>& workspace) {
  using Number = Widened<Stored>;
  using S = Shapes<ExecutionSpace, Number>;
  if (evaluation.targets.is_listed()) {
    sweep_listed<Stored, Softenings>(evaluation);
  } else if constexpr (lane_exchange::width > 1) {
    using Shape = typename S::split;
    sweep_parts<Number, Shape, Softenings, Wanted::potential>(
        evaluation, workspace,
        split_parts<Number, Shape>(evaluation.sources, evaluation.targets.total));
  } else {
    using Shape = typename S::register_tile;
    sweep_parts<Number, Shape, Softenings, Wanted::potential>(
        evaluation, workspace, SourceParts::of(evaluation.sources.size(), 1, Shape::tile));
  }
}

}  // namespace

template <class Stored>
void evaluate_potential(Evaluation<Widened<Stored>> const& evaluation,
                        Workspace<Widened<Stored>>& workspace) {
  if (has_size(evaluation.gravity)) {
    sweep_potential<Stored, Compact>(evaluation, workspace);
  } else {
    sweep_potential<Stored, Pointlike>(evaluation, workspace);
  }
}

template void evaluate_potential(Evaluation<Widened<float>> const&, Workspace<Widened<float>>&);
template void evaluate_potential(Evaluation<Widened<double>> const&, Workspace<Widened<double>>&);

}  // namespace apsis::forces
