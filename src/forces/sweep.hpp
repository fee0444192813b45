// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gravity_law.hpp"
#include "panel_exchange.hpp"
#include "sum_of_parts.hpp"
#include <apsis/bodies/share.hpp>
#include <apsis/core/context.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/forces/shapes.hpp>
#include <apsis/forces/tile_loop.hpp>

#include <optional>
#include <string>
#include <vector>

namespace apsis::forces {

/// One evaluation: what is asked of a kernel, as long as the request lives (copies of Views are
/// what an evaluation of a few bodies would consist of).
template <class Number>
struct Evaluation {
  using Stored = typename Number::Stored;
  ExecutionSpace const& space;
  Gravity const& gravity;
  Sources<Stored> const& sources;
  Targets<Stored> const& targets;
  Field<Stored> into;
  /// Where processes share the pairs of all bodies: the targets are all, and `into` has rows for
  /// this share of them.
  Context const* shared = nullptr;
  Share own{};
  PanelExchange<Stored>* exchange = nullptr;

  std::size_t rows() const { return shared != nullptr ? own.count : targets.size(); }

  Wanted wanted() const {
    if (!into.accelerates()) return Wanted::potential;
    return into.has_potential() ? Wanted::both : Wanted::acceleration;
  }
};

/// Sums per part of the sources, kept between evaluations.
template <class Number>
using Workspace = Field<typename Number::Stored>;

/// A kernel of the ladder, compiled in one shape.
template <class Number>
struct KernelCode {
  std::string kernel;
  std::optional<ShapeNumbers> shape;  ///< nothing for kernels that are no tile loop
  void (*evaluate)(Evaluation<Number> const&, Workspace<Number>&);
  bool mutual = false;  ///< evaluates all bodies only
};

/// The ladder's kernels that this executable has, in the order of kernels().
template <class Number>
std::vector<KernelCode<Number>> const& kernel_codes();

/// Further shapes, to compare with the ladder's.
template <class Number>
std::vector<KernelCode<Number>> const& candidate_codes();

/// The kernel for softenings of finite size; its name is compact_kernel.
template <class Number>
KernelCode<Number> const& compact_code();

/// Potentials of bodies in any precision, evaluated in double.
template <class Stored>
void evaluate_potential(Evaluation<Widened<Stored>> const& evaluation,
                        Workspace<Widened<Stored>>& workspace);

/// Finds accelerations and jerks, and snaps if there is room for them, in the form that suits the
/// number of targets: each pair once where all of many bodies are asked for (`mutual`), else the
/// tile loop with its sources in as many parts as fill the machine.
template <class Number>
void evaluate_motion(Evaluation<Number> const& evaluation, Workspace<Number>& workspace,
                     bool mutual);

/// Never smaller again: the number of targets may change from step to step.
template <class View>
void reserve(ExecutionSpace const& space, View& view, std::size_t rows, std::string const& label) {
  if (view.extent(0) >= rows) return;
  view = View();
  view = View(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label), rows);
}

/// place / count for a place below columns * count: a GPU divides 64 bits in a hundred
/// instructions, and comparing them is a handful.
template <int columns>
KOKKOS_FORCEINLINE_FUNCTION unsigned column_of(std::size_t place, std::size_t count) {
  unsigned column = 0;
  for (unsigned k = 1; k < columns; ++k) column += place >= k * count ? 1u : 0u;
  return column;
}

/// Small teams, so that few targets reach all of a GPU, and registers for what is under way.
using CombinePolicy =
    Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>, Kokkos::LaunchBounds<64>>;

/// Adds up the parts of each target: a column after the other, so that few targets still make many
/// threads.
template <class Stored, class Held>
struct SumOfTargets {
  VectorColumns<Stored> partial, acceleration;
  Column<double> partial_potential, potential;
  std::size_t axes;   ///< of accelerations; behind them comes the potential
  std::size_t count;  ///< targets
  std::size_t first;  ///< row of the first of them in a part
  std::size_t step;   ///< rows of a part
  std::size_t parts;
  Held held;

  KOKKOS_FUNCTION void operator()(std::size_t place) const {
    std::size_t const column = column_of<4>(place, count), i = place - column * count;
    auto const of_body = held.of(first + i);
    if (column < axes) {
      acceleration(i, column) = sum_of_parts(&partial(first + i, column), step, parts, of_body);
    } else {
      potential(i) = sum_of_parts(&partial_potential(first + i), step, parts, of_body);
    }
  }
};

/// In one launch. `held`: which rows of the workspace have something, EveryRow or HeldRows.
template <class Number, class Held>
void combine_held(Evaluation<Number> const& to, Workspace<Number> const& from, std::size_t parts,
                  Held const& held) {
  std::size_t const axes = to.into.accelerates() ? 3 : 0;
  std::size_t const columns = axes + (to.into.has_potential() ? 1 : 0);
  Kokkos::parallel_for(
      "apsis::forces::direct::combine", CombinePolicy(to.space, 0, columns * to.rows()),
      SumOfTargets<typename Number::Stored, Held>{
          from.acceleration, to.into.acceleration, from.potential, to.into.potential, axes,
          to.rows(), to.own.first, to.targets.size(), parts, held});
}
template <class Number>
void combine(Evaluation<Number> const& to, Workspace<Number> const& from, std::size_t parts) {
  if (to.shared != nullptr) {
    combine_held(to, from, parts, to.exchange->held());
  } else {
    combine_held(to, from, parts, EveryRow{});
  }
}

/// The law of an evaluation, and the label that its launch goes under.
template <class Number, template <class> class Softening, Wanted wanted>
GravityLaw<Number, Softening, wanted> law_of(Evaluation<Number> const& evaluation) {
  using Real = typename Number::Real;
  using Stored = typename Number::Stored;
  // Softening and G as a force in the bodies' precision sees them.
  auto const eps = static_cast<Real>(static_cast<Stored>(evaluation.gravity.softening));
  auto const G = static_cast<typename Number::Total>(static_cast<Stored>(evaluation.gravity.G));
  auto const& sources = evaluation.sources;
  auto const& targets = evaluation.targets;
  // Places where no body is are beyond every source.
  auto const nowhere = static_cast<std::ptrdiff_t>(2 * sources.size());
  auto const first_self = targets.first ? static_cast<std::ptrdiff_t>(*targets.first) -
                                              static_cast<std::ptrdiff_t>(sources.first)
                                        : nowhere;
  return {sources.position,
          sources.mass,
          targets.position,
          evaluation.into.acceleration,
          evaluation.into.potential,
          Softening<Real>::of(eps),
          G,
          first_self,
          targets.listed};
}
inline char const* label_of(Wanted wanted) {
  return wanted == Wanted::potential ? "apsis::forces::direct::potential"
                                     : "apsis::forces::direct::accelerate";
}

/// `evaluation` with room for `parts` rows of each target instead of its results.
template <class Number>
Evaluation<Number> into_workspace(Evaluation<Number> const& evaluation,
                                  Workspace<Number>& workspace, std::size_t parts) {
  auto part = evaluation;
  if (parts == 1 && part.shared == nullptr) return part;
  auto const take = [&](auto& column, auto& kept, char const* label) {
    if (column.extent(0) == 0) return;
    reserve(part.space, kept, parts * part.targets.size(), label);
    column = kept;
  };
  auto& into = part.into;
  take(into.acceleration, workspace.acceleration, "apsis::forces::direct::partial");
  take(into.jerk, workspace.jerk, "apsis::forces::direct::partial_jerk");
  take(into.snap, workspace.snap, "apsis::forces::direct::partial_snap");
  take(into.potential, workspace.potential, "apsis::forces::direct::partial_potential");
  return part;
}

/// The softenings that a kernel is compiled for: every kernel for those whose law is Newton's with
/// another distance, one kernel for those whose sources have a size.
struct Pointlike {
  template <class Run>
  static void choose(Gravity const& gravity, Run const& run) {
    if (gravity.softening > 0) {
      run.template operator()<PlummerSoftening>();
    } else {
      run.template operator()<NoSoftening>();
    }
  }
};
struct Compact {
  template <class Run>
  static void choose(Gravity const& gravity, Run const& run) {
    if (gravity.softening_kernel == SofteningKernel::spline) {
      run.template operator()<SplineSoftening>();
    } else {
      run.template operator()<WendlandSoftening>();
    }
  }
};

/// Calls `run` with the law that an evaluation asks for, out of those compiled for `choices`.
template <class Number, class Softenings, Wanted... choices, class Run>
void with_law(Evaluation<Number> const& evaluation, Run const& run) {
  auto const asked = evaluation.wanted();
  auto const choose = [&]<Wanted wanted>() {
    if (asked != wanted) return;
    Softenings::choose(evaluation.gravity, [&]<template <class> class Softening>() {
      run(law_of<Number, Softening, wanted>(evaluation));
    });
  };
  (choose.template operator()<choices>(), ...);
}

/// How a shape of `split` cuts the sources. By the numbers of all bodies and targets, so that it
/// does not matter for the bits how many processes share them.
template <class Number, class Shape>
SourceParts split_parts(Sources<typename Number::Stored> const& sources, std::size_t all_targets) {
  auto const count =
      split_chunks<Shape>(all_targets, sources.total, Shapes<ExecutionSpace, Number>::split_teams);
  return SourceParts::of(sources.total, count > 0 ? count : 1, Shape::tile).within(sources.size());
}

/// Runs the tile loop in one shape over all sources, in parts.
template <class Number, class Shape, class Softenings, Wanted... choices>
void sweep_parts(Evaluation<Number> const& evaluation, Workspace<Number>& workspace,
                 SourceParts parts) {
  auto const part = into_workspace(evaluation, workspace, parts.count);
  with_law<Number, Softenings, choices...>(part, [&](auto const& law) {
    using Law = std::remove_cvref_t<decltype(law)>;
    TileLoop<Law, Shape>(law, part.sources.size(), part.targets.rows(), parts)
        .launch(part.space, label_of(part.wanted()));
  });
  if (parts.count > 1) combine(evaluation, workspace, parts.count);
}

template <class Number, class Shape>
void sweep_whole(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  sweep_parts<Number, Shape, Pointlike, Wanted::acceleration, Wanted::both>(
      evaluation, workspace, SourceParts::of(evaluation.sources.size(), 1, Shape::tile));
}

template <class Number, class Shape, class Softenings = Pointlike>
void sweep_split(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  sweep_parts<Number, Shape, Softenings, Wanted::acceleration, Wanted::both>(
      evaluation, workspace,
      split_parts<Number, Shape>(evaluation.sources, evaluation.targets.total));
}

}  // namespace apsis::forces
