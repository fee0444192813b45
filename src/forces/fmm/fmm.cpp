// SPDX-License-Identifier: Apache-2.0
#include "../sweep.hpp"
#include "lots.hpp"
#include "orders.hpp"
#include <apsis/core/error.hpp>
#include <apsis/forces/fmm.hpp>

namespace apsis::forces {

namespace {

/// How far sources reach that are no points.
double reach_of(Gravity const& gravity) {
  if (!has_size(gravity)) return 0.0;
  bool const spline = gravity.softening_kernel == SofteningKernel::spline;
  return gravity.softening * (spline ? Spline::length : WendlandC2::length);
}

template <class Stored>
void keep_pull(ExecutionSpace const& space, VectorColumns<Stored> const& acceleration, double G,
               Column<Stored> const& pull) {
  double const over_G = G > 0.0 ? 1.0 / G : 0.0;
  Kokkos::parallel_for(
      "apsis::forces::fmm::keep_pull",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, pull.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) {
        auto const x = static_cast<double>(acceleration(i, 0));
        auto const y = static_cast<double>(acceleration(i, 1));
        auto const z = static_cast<double>(acceleration(i, 2));
        pull(i) = static_cast<Stored>(Kokkos::sqrt(x * x + (y * y + z * z)) * over_G);
      });
}

}  // namespace

template <class Number>
Fmm<Number>::Fmm(Gravity const& gravity, FmmOptions const& options)
    : Solver<Stored>(gravity),
      options_(options),
      direct_(gravity),
      chains_(std::make_unique<fmm::ChainsOfLevels>()) {
  APSIS_EXPECT(options.accuracy > 0.0, "errors of nothing are not to be had");
}

template <class Number>
Fmm<Number>::~Fmm() = default;

template <class Number>
std::string Fmm<Number>::describe(std::size_t bodies, int derivatives, bool each_pair_once) const {
  if (derivatives > 0 || !each_pair_once || bodies >= fmm::most_bodies) {
    return direct_.describe(bodies, derivatives, each_pair_once);
  }
  return "fmm";
}

template <class Number>
bool Fmm<Number>::has_exact_potential(std::size_t bodies) const {
  return bodies < fmm::most_bodies || direct_.has_exact_potential(bodies);
}

template <class Number>
bool Fmm<Number>::pays_to_leave_out(std::size_t massive) const {
  // A sweep takes about as long as so many pairs for each body.
  constexpr std::size_t few = 4096;
  return massive < few;
}

template <class Number>
void Fmm<Number>::exchange(SavedState& state) {
  Solver<Stored>::exchange(state);
  std::uint64_t rows = pull_.extent(0);
  state.exchange("fmm/rows", rows);
  ExecutionSpace const space;
  if (state.restores() && pull_.extent(0) != rows) {
    pull_ = {};
    reserve(space, pull_, rows, "apsis::forces::fmm::pull");
  }
  if (rows == 0) return;
  Kokkos::fence("apsis::forces::fmm: what was found is saved");
  state.exchange(space, "fmm/pull", pull_);
}

template <class Number>
double Fmm<Number>::do_evaluate(Context const& context, Request<Stored> const& request) {
  auto const& wanted = request.wanted;
  std::size_t const bodies = request.sources.size();
  bool const derivatives = wanted.has_jerk() || wanted.has_snap();
  bool const all = !is_shared(context) && !derivatives && request.is_mutual() &&
                   bodies == request.sources.total && bodies > 0 && bodies < fmm::most_bodies;
  if (!all || !sweep(context.space, request, wanted)) direct_.evaluate(context, request);
  if (!wanted.has_forces()) return 0.0;
  return static_cast<double>(request.targets.total) *
         static_cast<double>(is_shared(context) ? request.sources.total : bodies);
}

template <class Number>
bool Fmm<Number>::sweep(ExecutionSpace const& space, Request<Stored> const& request,
                        Field<Stored> const& wanted) {
  std::size_t const bodies = request.sources.size();
  auto const along = fmm::curve_order(space, request.sources.position, bodies);
  auto into = wanted;
  if (!into.accelerates()) {
    reserve(space, spare_.acceleration, bodies, "apsis::forces::fmm::spare");
    into.acceleration = spare_.acceleration;
  }
  auto const evaluate = [&](fmm::FmmEvaluation<Stored> const& of) {
    return fmm::sweep_order<Number, fmm::usual_order>(
        Evaluation<Number>{space, this->gravity(), request.sources, request.targets, into}, along,
        of);
  };
  fmm::FmmEvaluation<Stored> of{{}, pull_, *chains_};
  of.criterion.reach = reach_of(this->gravity());
  if (of.pull.extent(0) != bodies) {
    of.pull = {};
    of.criterion.theta = 0.6;
    if (!evaluate(of)) return false;
    reserve(space, of.pull, bodies, "apsis::forces::fmm::pull");
    keep_pull(space, into.acceleration, this->gravity().G, of.pull);
  }
  double const part = fmm::part_of_accuracy<typename Number::Real>;
  of.criterion = {0.9, part * options_.accuracy, 1.5, of.criterion.reach};
  if (!evaluate(of)) return false;
  // A look at the forces or potentials leaves no trace.
  if (!request.counted || !wanted.accelerates()) return true;
  if (pull_.extent(0) != bodies) pull_ = of.pull;
  keep_pull(space, into.acceleration, this->gravity().G, pull_);
  return true;
}

template class Fmm<Single>;
template class Fmm<Double>;
template class Fmm<Mixed>;

}  // namespace apsis::forces
