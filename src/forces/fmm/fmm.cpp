// SPDX-License-Identifier: Apache-2.0
#include "../sweep.hpp"
#include "lots.hpp"
#include "orders.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/transport.hpp>
#include <apsis/forces/fmm.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace apsis::forces {

namespace {

/// How far sources reach that are no points.
double reach_of(Gravity const& gravity) {
  if (!has_size(gravity)) return 0.0;
  bool const spline = gravity.softening_kernel == SofteningKernel::spline;
  return gravity.softening * (spline ? Spline::length : WendlandC2::length);
}

/// Rows of `acceleration` are bodies, or those that `along` says.
template <class Stored>
void keep_pull(ExecutionSpace const& space, VectorColumns<Stored> const& acceleration,
               fmm::BodyOrder const& along, double G, Column<Stored> const& pull) {
  double const over_G = G > 0.0 ? 1.0 / G : 0.0;
  bool const ordered = along.extent(0) != 0;
  Kokkos::parallel_for(
      "apsis::forces::fmm::keep_pull",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, pull.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) {
        auto const x = static_cast<double>(acceleration(i, 0));
        auto const y = static_cast<double>(acceleration(i, 1));
        auto const z = static_cast<double>(acceleration(i, 2));
        std::size_t const body = ordered ? along(i) : i;
        pull(body) = static_cast<Stored>(Kokkos::sqrt(x * x + (y * y + z * z)) * over_G);
      });
}

/// What stands along the curve, into the rows of those bodies that are here.
template <class Stored>
void take_own(ExecutionSpace const& space, Field<Stored> const& from, fmm::BodyOrder const& along,
              std::size_t first, std::size_t count, Field<Stored> const& into) {
  bool const accelerates = into.accelerates(), has_potential = into.has_potential();
  Kokkos::parallel_for(
      "apsis::forces::fmm::take_own",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0,
                                                                          along.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) {
        std::size_t const body = along(i);
        if (body < first || body >= first + count) return;
        for (int axis = 0; accelerates && axis < 3; ++axis) {
          into.acceleration(body - first, axis) = from.acceleration(i, axis);
        }
        if (has_potential) into.potential(body - first) = from.potential(i);
      });
}

}  // namespace

template <class Number>
Fmm<Number>::Fmm(Gravity const& gravity, FmmOptions const& options)
    : Solver<Stored>(gravity),
      options_(options),
      direct_(gravity),
      kept_(std::make_unique<fmm::Kept<Number>>()) {
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
  state.exchange_alike(space, "fmm/pull", pull_);
}

template <class Number>
double Fmm<Number>::do_evaluate(Context const& context, Request<Stored> const& request) {
  auto const& wanted = request.wanted;
  std::size_t const bodies = request.sources.total;
  bool const derivatives = wanted.has_jerk() || wanted.has_snap();
  bool const here = is_shared(context) || request.sources.size() == bodies;
  bool const all =
      here && !derivatives && request.is_mutual() && bodies > 0 && bodies < fmm::most_bodies;
  if (!all || !sweep(context, request)) direct_.evaluate(context, request);
  if (!wanted.has_forces()) return 0.0;
  return static_cast<double>(request.targets.total) * static_cast<double>(bodies);
}

template <class Number>
bool Fmm<Number>::sweep(Context const& context, Request<Stored> const& request) {
  auto const& space = context.space;
  bool const shared = is_shared(context);
  auto const sources = shared ? this->all_sources(context, request) : request.sources;
  std::size_t const bodies = sources.size();
  auto const along = fmm::curve_order(space, sources.position, bodies);
  fmm::FmmEvaluation<Number> of{{}, pull_, *kept_};
  of.criterion.reach = reach_of(this->gravity());
  auto into = request.wanted;
  if (shared) {
    of.leaves = fmm::leaves_of<typename Number::Real>(bodies, context);
    into = room_along_the_curve(space, request.wanted, bodies, *of.leaves);
  } else if (!into.accelerates()) {
    reserve(space, spare_.acceleration, bodies, "apsis::forces::fmm::spare");
    into.acceleration = spare_.acceleration;
  }
  auto const evaluate = [&] {
    bool could = fmm::sweep_order<Number, fmm::usual_order>(
        Evaluation<Number>{space, this->gravity(), sources, request.targets, into}, along, of);
    if (!shared) return could;
    for (auto const each : gathered(context, std::vector{could ? 1 : 0})) could &= each == 1;
    if (could) gather_along_the_curve(context, into, bodies);
    return could;
  };
  auto const& found = shared ? whole_ : into;
  auto const rows = shared ? along : fmm::BodyOrder();
  if (of.pull.extent(0) != bodies) {
    of.pull = {};
    of.criterion.theta = 0.6;
    if (!evaluate()) return false;
    reserve(space, of.pull, bodies, "apsis::forces::fmm::pull");
    keep_pull(space, found.acceleration, rows, this->gravity().G, of.pull);
  }
  of.criterion = {0.9, fmm::part_of_accuracy * options_.accuracy, 1.5, of.criterion.reach};
  if (!evaluate()) return false;
  if (shared) {
    take_own(space, whole_, along, request.sources.first, request.sources.size(), request.wanted);
  }
  // A look at the forces or potentials leaves no trace.
  if (!request.counted || !request.wanted.accelerates()) return true;
  if (pull_.extent(0) != bodies) pull_ = of.pull;
  keep_pull(space, found.acceleration, rows, this->gravity().G, pull_);
  return true;
}

template <class Number>
Field<typename Number::Stored> Fmm<Number>::room_along_the_curve(ExecutionSpace const& space,
                                                                 Field<Stored> const& wanted,
                                                                 std::size_t bodies,
                                                                 Share const& leaves) {
  std::size_t const leaf = fmm::leaf_size<typename Number::Real>;
  // At least a row: an empty column is not wanted.
  std::size_t const own = std::max<std::size_t>(1, leaves.count * leaf);
  reserve(space, whole_.acceleration, bodies, "apsis::forces::fmm::whole");
  reserve(space, spare_.acceleration, own, "apsis::forces::fmm::own");
  Field<Stored> into;
  into.acceleration = spare_.acceleration;
  if (!wanted.has_potential()) return into;
  reserve(space, whole_.potential, bodies, "apsis::forces::fmm::whole_potential");
  reserve(space, spare_.potential, own, "apsis::forces::fmm::own_potential");
  into.potential = spare_.potential;
  return into;
}

template <class Number>
void Fmm<Number>::gather_along_the_curve(Context const& context, Field<Stored> const& own,
                                         std::size_t bodies) {
  std::size_t const size = context.communicator->size(), rank = context.communicator->rank();
  std::vector<std::size_t> firsts;
  for (std::size_t k = 0; k <= size; ++k) {
    std::size_t const leaf = fmm::leaf_size<typename Number::Real>;
    auto const share = fmm::leaves_of<typename Number::Real>(bodies, std::min(k, size - 1), size);
    firsts.push_back(std::min(bodies, (share.first + (k == size ? share.count : 0)) * leaf));
  }
  std::vector<std::span<std::byte const>> from;
  std::vector<std::span<std::byte>> to;
  auto const add = [&](auto* mine, auto* all) {
    std::size_t const bytes = sizeof(*all);
    from.emplace_back(reinterpret_cast<std::byte const*>(mine),
                      (firsts[rank + 1] - firsts[rank]) * bytes);
    to.emplace_back(reinterpret_cast<std::byte*>(all), bodies * bytes);
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    add(own.acceleration.data() + axis * own.acceleration.stride(1),
        whole_.acceleration.data() + axis * whole_.acceleration.stride(1));
  }
  if (own.has_potential()) add(own.potential.data(), whole_.potential.data());
  context.communicator->transport().gather(context.space, from, to, firsts);
}

template class Fmm<Single>;
template class Fmm<Double>;
template class Fmm<Mixed>;

}  // namespace apsis::forces
