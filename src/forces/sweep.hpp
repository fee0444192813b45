// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gravity_law.hpp"
#include <apsis/forces/shapes.hpp>
#include <apsis/forces/solver.hpp>
#include <apsis/forces/tile_loop.hpp>

#include <optional>
#include <string>
#include <vector>

namespace apsis::forces {

/// One evaluation of the forces: what is asked of a kernel.
template <class Number>
struct Evaluation {
  using Stored = typename Number::Stored;
  ExecutionSpace space;
  Bodies<Stored> bodies;
  Gravity gravity;
  Wanted wanted;
  VectorColumns<Stored> acceleration;  ///< row = place among the targets
  Column<double> potential;            ///< likewise; empty unless it is wanted
  BodyRange targets;
};

/// Sums per chunk of sources, kept between evaluations.
template <class Number>
struct Workspace {
  VectorColumns<typename Number::Stored> acceleration;
  Column<double> potential;
};

/// A kernel of the ladder, compiled in one shape.
template <class Number>
struct KernelCode {
  std::string kernel;
  std::optional<ShapeNumbers> shape;  ///< nothing for kernels that are no tile loop
  void (*evaluate)(Evaluation<Number> const&, Workspace<Number>&);
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

template <class View>
void reserve(ExecutionSpace const& space, View& view, std::size_t rows, std::string const& label) {
  if (view.extent(0) != rows) {
    view = View();
    view = View(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label), rows);
  }
}

/// The sum over chunks, first to last, of a target's row.
template <class Read>
KOKKOS_FORCEINLINE_FUNCTION auto sum_of_chunks(std::size_t chunks, Read const& read) {
  auto sum = read(0);
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll 8  // loads in flight; the order of the sum stays
#endif
  for (std::size_t chunk = 1; chunk < chunks; ++chunk) sum += read(chunk);
  return sum;
}

/// Adds up the chunks of each target, in one launch: a column after the other, so that few targets
/// still make many threads.
template <class Number>
void combine(Evaluation<Number> const& to, Workspace<Number> const& from, std::size_t chunks) {
  std::size_t const axes = to.wanted != Wanted::potential ? 3 : 0;
  std::size_t const columns = axes + (to.wanted != Wanted::acceleration ? 1 : 0);
  std::size_t const count = to.targets.count;
  auto const partial = from.acceleration;
  auto const partial_potential = from.potential;
  auto const acceleration = to.acceleration;
  auto const potential = to.potential;
  Kokkos::parallel_for(
      "apsis::forces::direct::combine",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(to.space, 0,
                                                                          columns * count),
      KOKKOS_LAMBDA(std::size_t place) {
        std::size_t const column = place / count, i = place % count;
        if (column < axes) {
          acceleration(i, column) = sum_of_chunks(
              chunks, [&](std::size_t chunk) { return partial(chunk * count + i, column); });
        } else {
          potential(i) = sum_of_chunks(
              chunks, [&](std::size_t chunk) { return partial_potential(chunk * count + i); });
        }
      });
}

/// The law of an evaluation, and the label that its launch goes under.
template <class Number, template <class> class Softening, Wanted wanted>
GravityLaw<Number, Softening, wanted> law_of(Evaluation<Number> const& evaluation) {
  using Real = typename Number::Real;
  using Stored = typename Number::Stored;
  // Softening and G as a force in the bodies' precision sees them.
  auto const eps = static_cast<Real>(static_cast<Stored>(evaluation.gravity.softening));
  auto const G = static_cast<typename Number::Total>(static_cast<Stored>(evaluation.gravity.G));
  return {evaluation.bodies.position, evaluation.bodies.mass,   evaluation.acceleration,
          evaluation.potential,       Softening<Real>::of(eps), G};
}
inline char const* label_of(Wanted wanted) {
  return wanted == Wanted::potential ? "apsis::forces::direct::potential"
                                     : "apsis::forces::direct::accelerate";
}

/// `evaluation` with room for `chunks` rows of each target instead of its results.
template <class Number>
Evaluation<Number> into_workspace(Evaluation<Number> const& evaluation,
                                  Workspace<Number>& workspace, std::size_t chunks) {
  auto part = evaluation;
  if (chunks == 1) return part;
  std::size_t const rows = chunks * evaluation.targets.count;
  if (evaluation.wanted != Wanted::potential) {
    reserve(part.space, workspace.acceleration, rows, "apsis::forces::direct::partial");
  }
  if (evaluation.wanted != Wanted::acceleration) {
    reserve(part.space, workspace.potential, rows, "apsis::forces::direct::partial_potential");
  }
  part.acceleration = workspace.acceleration;
  part.potential = workspace.potential;
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
    if (gravity.kernel == SofteningKernel::spline) {
      run.template operator()<SplineSoftening>();
    } else {
      run.template operator()<WendlandSoftening>();
    }
  }
};

/// Calls `run` with the law that an evaluation asks for, out of those compiled for `choices`.
template <class Number, class Softenings, Wanted... choices, class Run>
void with_law(Evaluation<Number> const& evaluation, Run const& run) {
  auto const choose = [&]<Wanted wanted>() {
    if (evaluation.wanted != wanted) return;
    Softenings::choose(evaluation.gravity, [&]<template <class> class Softening>() {
      run(law_of<Number, Softening, wanted>(evaluation));
    });
  };
  (choose.template operator()<choices>(), ...);
}

/// Runs the tile loop in one shape over all sources, in `chunks` parts.
template <class Number, class Shape, class Softenings, Wanted... choices>
void sweep_chunks(Evaluation<Number> const& evaluation, Workspace<Number>& workspace,
                  std::size_t chunks) {
  auto const part = into_workspace(evaluation, workspace, chunks);
  with_law<Number, Softenings, choices...>(part, [&](auto const& law) {
    using Law = std::remove_cvref_t<decltype(law)>;
    TileLoop<Law, Shape>(law, part.bodies.size(), part.targets, chunks)
        .launch(part.space, label_of(part.wanted), chunks);
  });
  if (chunks > 1) combine(evaluation, workspace, chunks);
}

template <class Number, class Shape>
void sweep_whole(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  sweep_chunks<Number, Shape, Pointlike, Wanted::acceleration, Wanted::both>(evaluation, workspace,
                                                                             1);
}

template <class Number, class Shape, class Softenings = Pointlike>
void sweep_split(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  auto const chunks = split_chunks<Shape>(evaluation.targets.count, evaluation.bodies.size(),
                                          Shapes<ExecutionSpace, Number>::split_teams);
  sweep_chunks<Number, Shape, Softenings, Wanted::acceleration, Wanted::both>(evaluation, workspace,
                                                                              chunks);
}

}  // namespace apsis::forces
