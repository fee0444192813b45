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

template <class Number, class Shape, bool softened, Wanted wanted>
void run_tile_loop(Evaluation<Number> const& evaluation, std::size_t chunks) {
  using Real = typename Number::Real;
  using Stored = typename Number::Stored;
  using Law = GravityLaw<Number, softened, wanted>;
  // Softening and G as a force in the bodies' precision sees them.
  auto const eps = static_cast<Real>(static_cast<Stored>(evaluation.gravity.softening));
  auto const G = static_cast<typename Number::Total>(static_cast<Stored>(evaluation.gravity.G));
  Law const law{evaluation.bodies.position,
                evaluation.bodies.mass,
                evaluation.acceleration,
                evaluation.potential,
                eps * eps,
                G};
  char const* const label = wanted == Wanted::potential ? "apsis::forces::direct::potential"
                                                        : "apsis::forces::direct::accelerate";
  TileLoop<Law, Shape>(law, evaluation.bodies.size(), evaluation.targets, chunks)
      .launch(evaluation.space, label, chunks);
}

/// Runs the tile loop in one shape over all sources, in `chunks` parts.
template <class Number, class Shape, Wanted... choices>
void sweep_chunks(Evaluation<Number> const& evaluation, Workspace<Number>& workspace,
                  std::size_t chunks) {
  auto part = evaluation;
  if (chunks > 1) {
    std::size_t const rows = chunks * evaluation.targets.count;
    if (evaluation.wanted != Wanted::potential) {
      reserve(part.space, workspace.acceleration, rows, "apsis::forces::direct::partial");
    }
    if (evaluation.wanted != Wanted::acceleration) {
      reserve(part.space, workspace.potential, rows, "apsis::forces::direct::partial_potential");
    }
    part.acceleration = workspace.acceleration;
    part.potential = workspace.potential;
  }
  auto const run = [&]<Wanted wanted>() {
    if (part.wanted != wanted) return;
    if (part.gravity.softening > 0) {
      run_tile_loop<Number, Shape, true, wanted>(part, chunks);
    } else {
      run_tile_loop<Number, Shape, false, wanted>(part, chunks);
    }
  };
  (run.template operator()<choices>(), ...);
  if (chunks > 1) combine(evaluation, workspace, chunks);
}

template <class Number, class Shape>
void sweep_whole(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  sweep_chunks<Number, Shape, Wanted::acceleration, Wanted::both>(evaluation, workspace, 1);
}

template <class Number, class Shape>
void sweep_split(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  auto const chunks = split_chunks<Shape>(evaluation.targets.count, evaluation.bodies.size(),
                                          Shapes<ExecutionSpace, Number>::split_teams);
  sweep_chunks<Number, Shape, Wanted::acceleration, Wanted::both>(evaluation, workspace, chunks);
}

}  // namespace apsis::forces
