// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"

namespace apsis::forces {

template <class Stored>
void evaluate_potential(Evaluation<Widened<Stored>> const& evaluation,
                        Workspace<Widened<Stored>>& workspace) {
  using Number = Widened<Stored>;
  using S = Shapes<ExecutionSpace, Number>;
  constexpr bool device = lane_exchange::width > 1;
  if (evaluation.targets.rows.is_listed()) {
    // Scattered targets are loaded one by one: such requests are small or rare.
    using OneByOne = std::conditional_t<device, Shape<Staging::scratch, 64, 1, 1, 64, 8>,
                                        Shape<Staging::scratch, 1, 1, 1, 512, 1>>;
    sweep_parts<Number, OneByOne, AnySoftening, Wants::potential>(
        evaluation, workspace, SourceParts::make(evaluation.sources.size(), 1, OneByOne::tile));
  } else if constexpr (device) {
    using Shape = typename S::split;
    sweep_parts<Number, Shape, AnySoftening, Wants::potential>(
        evaluation, workspace,
        split_parts<Number, Shape>(evaluation.sources, evaluation.targets.total));
  } else {
    using Shape = typename S::register_tile;
    sweep_parts<Number, Shape, AnySoftening, Wants::potential>(
        evaluation, workspace, SourceParts::make(evaluation.sources.size(), 1, Shape::tile));
  }
}

template void evaluate_potential(Evaluation<Widened<float>> const&, Workspace<Widened<float>>&);
template void evaluate_potential(Evaluation<Widened<double>> const&, Workspace<Widened<double>>&);

}  // namespace apsis::forces
