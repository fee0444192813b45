// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"

namespace apsis::forces {

template <class Stored>
void evaluate_potential(Evaluation<Widened<Stored>> const& evaluation,
                        Workspace<Widened<Stored>>& workspace) {
  using Number = Widened<Stored>;
  using S = Shapes<ExecutionSpace, Number>;
  if constexpr (lane_exchange::width > 1) {
    auto const chunks = split_chunks<typename S::split>(evaluation.targets.count,
                                                        evaluation.bodies.size(), S::split_teams);
    sweep_chunks<Number, typename S::split, Wanted::potential>(evaluation, workspace, chunks);
  } else {
    sweep_chunks<Number, typename S::register_tile, Wanted::potential>(evaluation, workspace, 1);
  }
}

template void evaluate_potential(Evaluation<Widened<float>> const&, Workspace<Widened<float>>&);
template void evaluate_potential(Evaluation<Widened<double>> const&, Workspace<Widened<double>>&);

}  // namespace apsis::forces
