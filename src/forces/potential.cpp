// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"

namespace apsis::forces {

namespace {

template <class Stored, class Softenings>
void sweep_potential(Evaluation<Widened<Stored>> const& evaluation,
                     Workspace<Widened<Stored>>& workspace) {
  using Number = Widened<Stored>;
  using S = Shapes<ExecutionSpace, Number>;
  if constexpr (lane_exchange::width > 1) {
    auto const chunks = split_chunks<typename S::split>(evaluation.targets.count,
                                                        evaluation.bodies.size(), S::split_teams);
    sweep_chunks<Number, typename S::split, Softenings, Wanted::potential>(evaluation, workspace,
                                                                           chunks);
  } else {
    sweep_chunks<Number, typename S::register_tile, Softenings, Wanted::potential>(evaluation,
                                                                                   workspace, 1);
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
