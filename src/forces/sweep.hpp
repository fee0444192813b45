// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/direct/panel_exchange.hpp"
#include "forces/direct/shapes.hpp"
#include "forces/direct/sum_of_parts.hpp"
#include "forces/direct/tile_loop.hpp"
#include "gravity_law.hpp"
#include "with_softening.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/views.hpp>
#include <apsis/forces/gravity.hpp>

#include <optional>
#include <string>
#include <vector>

namespace apsis::forces {

/// Arguments of a kernel for one evaluation, by reference where possible (copying Views would
/// dominate an evaluation of few bodies).
template <class Number>
struct Evaluation {
  using Stored = typename Number::Stored;
  ExecutionSpace const& space;
  Gravity const& gravity;
  Sources<Stored> const& sources;
  Targets<Stored> const& targets;
  Field<Stored> output;
  /// Set if ranks share the pairs of all bodies: the targets are then all bodies, and `output` has
  /// rows for `share` of them.
  Context const* shared = nullptr;
  Share share{};
  PanelExchange<Stored>* exchange = nullptr;

  std::size_t rows() const { return shared != nullptr ? share.count : targets.size(); }
};

/// Partial sums per part of the sources, kept between evaluations.
template <class Number>
using Workspace = Field<typename Number::Stored>;

/// A kernel of the ladder, compiled in one shape.
template <class Number>
struct KernelCode {
  std::string kernel;
  std::optional<ShapeNumbers> shape;  ///< empty for kernels that are not tile loops
  void (*evaluate)(Evaluation<Number> const&, Workspace<Number>&);
  bool mutual = false;  ///< evaluates all bodies only
};

/// Compiled kernels of the ladder, in the order of kernels().
template <class Number>
std::vector<KernelCode<Number>> const& kernel_codes();

/// Further shapes, for comparison with the ladder's. The table is empty unless the program fills it
/// (bench/).
template <class Number>
std::vector<KernelCode<Number>>& candidate_codes();

/// Kernel for softenings of finite size; its name is compact_kernel.
template <class Number>
KernelCode<Number> const& compact_code();

/// Evaluates potentials of bodies in any precision, in double.
template <class Stored>
void evaluate_potential(Evaluation<Widened<Stored>> const& evaluation,
                        Workspace<Widened<Stored>>& workspace);

/// Evaluates accelerations and jerks, and snaps if requested, with the kernel that suits the number
/// of targets: each pair once for all of many bodies (`mutual`), else the tile loop with its
/// sources in enough parts to fill the machine.
template <class Number>
void evaluate_motion(Evaluation<Number> const& evaluation, Workspace<Number>& workspace,
                     bool mutual);

/// The same for few targets with low parts of the positions, by the tile loop.
template <class Number>
void evaluate_motion_of_few(Evaluation<Number> const& evaluation, Workspace<Number>& workspace);

/// Returns index / count for an index below columns * count: a GPU needs a hundred instructions for
/// a 64-bit division, and a handful for the comparisons.
template <int columns>
KOKKOS_FORCEINLINE_FUNCTION unsigned column_of(std::size_t index, std::size_t count) {
  unsigned column = 0;
  for (unsigned k = 1; k < columns; ++k) column += index >= k * count ? 1u : 0u;
  return column;
}

/// Small teams, so that few targets use all of a GPU, and registers for the parts being loaded.
using CombinePolicy =
    Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>, Kokkos::LaunchBounds<64>>;

/// Adds up the parts of each target, column after column, so that few targets still yield many
/// threads.
template <class Stored, class Held>
struct SumTargetParts {
  VectorColumns<Stored> partial, acceleration;
  Column<double> partial_potential, potential;
  std::size_t axes;   ///< of accelerations, followed by the potential
  std::size_t count;  ///< targets
  std::size_t first;  ///< row of the first target in a part
  std::size_t step;   ///< rows of a part
  std::size_t parts;
  Held held;

  KOKKOS_FUNCTION void operator()(std::size_t index) const {
    std::size_t const column = column_of<4>(index, count), i = index - column * count;
    auto const has_part = held.parts(first + i);
    if (column < axes) {
      acceleration(i, column) = sum_of_parts(&partial(first + i, column), step, parts, has_part);
    } else {
      potential(i) = sum_of_parts(&partial_potential(first + i), step, parts, has_part);
    }
  }
};

/// Adds up all parts in one launch. `held`: rows of the workspace that hold values, EveryRow or
/// HeldRows.
template <class Number, class Held>
void combine_held(Evaluation<Number> const& evaluation, Workspace<Number> const& workspace,
                  std::size_t parts, Held const& held) {
  std::size_t const axes = evaluation.output.has(Wants::acceleration) ? 3 : 0;
  std::size_t const columns = axes + (evaluation.output.has(Wants::potential) ? 1 : 0);
  Kokkos::parallel_for(
      "apsis::forces::direct::combine",
      CombinePolicy(evaluation.space, 0, columns * evaluation.rows()),
      SumTargetParts<typename Number::Stored, Held>{
          workspace.acceleration, evaluation.output.acceleration, workspace.potential,
          evaluation.output.potential, axes, evaluation.rows(), evaluation.share.first,
          evaluation.targets.size(), parts, held});
}
template <class Number>
void combine(Evaluation<Number> const& evaluation, Workspace<Number> const& workspace,
             std::size_t parts) {
  if (evaluation.shared != nullptr) {
    combine_held(evaluation, workspace, parts, evaluation.exchange->held());
  } else {
    combine_held(evaluation, workspace, parts, EveryRow{});
  }
}

/// The law of an evaluation, and the label of its launch.
template <class Number, template <class> class Softening, Wants wants>
GravityLaw<Number, Softening, wants> make_law(Evaluation<Number> const& evaluation) {
  using Real = typename Number::Real;
  using Stored = typename Number::Stored;
  // Softening and G, rounded to the precision of the bodies.
  auto const eps = static_cast<Real>(static_cast<Stored>(evaluation.gravity.softening));
  auto const G = static_cast<typename Number::Total>(static_cast<Stored>(evaluation.gravity.G));
  auto const& sources = evaluation.sources;
  auto const& targets = evaluation.targets;
  // Targets that are not bodies get an index beyond every source.
  auto const nowhere = static_cast<std::ptrdiff_t>(2 * sources.size());
  auto const first_self = targets.first ? static_cast<std::ptrdiff_t>(*targets.first) -
                                              static_cast<std::ptrdiff_t>(sources.first)
                                        : nowhere;
  LowRows<Number> low;
  if constexpr (Number::has_low_columns) low = {sources.position_low, targets.position_low};
  return {low,
          sources.position,
          sources.mass,
          targets.position,
          evaluation.output.acceleration,
          evaluation.output.potential,
          Softening<Real>::make(eps),
          G,
          first_self,
          targets.rows.list()};
}
inline char const* launch_label(Wants wants) {
  return wants == Wants::potential ? "apsis::forces::direct::potential"
                                   : "apsis::forces::direct::accelerate";
}

/// Returns `evaluation` with `parts` workspace rows per target in place of its output.
template <class Number>
Evaluation<Number> redirect_to_workspace(Evaluation<Number> const& evaluation,
                                         Workspace<Number>& workspace, std::size_t parts) {
  auto partial = evaluation;
  if (parts == 1 && partial.shared == nullptr) return partial;
  auto const redirect = [&](Wants result, auto& column, auto& buffer, char const* label) {
    if (!partial.output.has(result)) return;
    grow(partial.space, buffer, label, parts * partial.targets.size());
    column = buffer;
  };
  auto& output = partial.output;
  redirect(Wants::acceleration, output.acceleration, workspace.acceleration,
           "apsis::forces::direct::partial");
  redirect(Wants::jerk, output.jerk, workspace.jerk, "apsis::forces::direct::partial_jerk");
  redirect(Wants::snap, output.snap, workspace.snap, "apsis::forces::direct::partial_snap");
  redirect(Wants::potential, output.potential, workspace.potential,
           "apsis::forces::direct::partial_potential");
  return partial;
}

/// Calls `run` with the law for an evaluation, out of those compiled for `choices`.
template <class Number, class Softenings, Wants... choices, class Function>
void with_law(Evaluation<Number> const& evaluation, Function const& run) {
  auto const choose = [&]<Wants wants>() {
    if (evaluation.output.wants != wants) return;
    Softenings::choose(evaluation.gravity, [&]<template <class> class Softening>() {
      run(make_law<Number, Softening, wants>(evaluation));
    });
  };
  (choose.template operator()<choices>(), ...);
}

/// Parts of the sources for a shape of `split`. Depends on the numbers of all bodies and targets,
/// so that the bits do not depend on the number of ranks.
template <class Number, class Shape>
SourceParts split_parts(Sources<typename Number::Stored> const& sources, std::size_t all_targets) {
  auto const count = split_part_count<Shape>(all_targets, sources.total,
                                             Shapes<ExecutionSpace, Number>::split_teams);
  return SourceParts::make(sources.total, count > 0 ? count : 1, Shape::tile)
      .covering(sources.size());
}

/// Runs the tile loop in one shape over all sources, in parts.
template <class Number, class Shape, class Softenings, Wants... choices>
void sweep_parts(Evaluation<Number> const& evaluation, Workspace<Number>& workspace,
                 SourceParts parts) {
  auto const partial = redirect_to_workspace(evaluation, workspace, parts.count);
  with_law<Number, Softenings, choices...>(partial, [&](auto const& law) {
    using Law = std::remove_cvref_t<decltype(law)>;
    TileLoop<Law, Shape>(law, partial.sources.size(), partial.targets.rows.bounds(), parts)
        .launch(partial.space, launch_label(partial.output.wants));
  });
  if (parts.count > 1) combine(evaluation, workspace, parts.count);
}

template <class Number, class Shape>
void sweep_whole(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  sweep_parts<Number, Shape, Pointlike, Wants::acceleration, Wants::acceleration_and_potential>(
      evaluation, workspace, SourceParts::make(evaluation.sources.size(), 1, Shape::tile));
}

template <class Number, class Shape, class Softenings = Pointlike>
void sweep_split(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  sweep_parts<Number, Shape, Softenings, Wants::acceleration, Wants::acceleration_and_potential>(
      evaluation, workspace,
      split_parts<Number, Shape>(evaluation.sources, evaluation.targets.total));
}

/// Evaluates this rank's share of the pairs and exchanges the partial sums: the rows of its bodies
/// in `partial` are complete afterwards.
template <class Loop, class Number>
void launch_shared(Loop const& loop, Evaluation<Number> const& partial, char const* label) {
  auto const& context = *partial.shared;
  PanelShares const shares(partial.sources.size(), loop.panels(), loop.length(),
                           context.communicator->size());
  std::size_t const first = shares.first_pair(context.communicator->rank());
  loop.launch(partial.space, label, first,
              shares.first_pair(context.communicator->rank() + 1) - first);
  partial.exchange->exchange(context, shares, partial.output);
}

}  // namespace apsis::forces
