// SPDX-License-Identifier: Apache-2.0
#include "../sweep.hpp"
#include "calibration.hpp"
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

template <class Stored>
KOKKOS_INLINE_FUNCTION Stored pull_of(VectorColumns<Stored> const& acceleration, std::size_t row,
                                      double over_G) {
  auto const x = static_cast<double>(acceleration(row, 0));
  auto const y = static_cast<double>(acceleration(row, 1));
  auto const z = static_cast<double>(acceleration(row, 2));
  return static_cast<Stored>(Kokkos::sqrt(x * x + (y * y + z * z)) * over_G);
}

double inverse_of(double G) {
  return G > 0.0 ? 1.0 / G : 0.0;
}

/// Of those bodies that have a row, or of all where rows are bodies.
template <class Stored>
void keep_pull(ExecutionSpace const& space, VectorColumns<Stored> const& acceleration,
               fmm::RowOfBody const& row_of_body, double G, Column<Stored> const& pull) {
  double const over_G = inverse_of(G);
  bool const all = row_of_body.extent(0) == 0;
  Kokkos::parallel_for(
      "apsis::forces::fmm::keep_pull",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, pull.extent(0)),
      KOKKOS_LAMBDA(std::size_t body) {
        std::size_t const row = all ? body : row_of_body(body);
        if (row != fmm::nowhere || all) pull(body) = pull_of(acceleration, row, over_G);
      });
}

/// Of those bodies that have a row along the leaves.
template <class Stored>
void keep_pull_of_leaves(ExecutionSpace const& space, VectorColumns<Stored> const& acceleration,
                         fmm::RowsOfLeaves const& rows, double G, Column<Stored> const& pull) {
  double const over_G = inverse_of(G);
  Kokkos::parallel_for(
      "apsis::forces::fmm::keep_pull",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, rows.count),
      KOKKOS_LAMBDA(std::size_t row) {
        auto const body = rows.body(row);
        if (body != fmm::nowhere) pull(body) = pull_of(acceleration, row, over_G);
      });
}

/// What stands in rows along the leaves, into those of the targets that are here.
template <class Stored>
void take_own(ExecutionSpace const& space, Field<Stored> const& from, fmm::RowsOfLeaves const& rows,
              Share const& here, Field<Stored> const& into) {
  bool const accelerates = into.accelerates(), has_potential = into.has_potential();
  bool const all = rows.list.is_all();
  auto const row_of_body = rows.row_of_body;
  Kokkos::parallel_for(
      "apsis::forces::fmm::take_own",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, rows.count),
      KOKKOS_LAMBDA(std::size_t i) {
        std::size_t const body = rows.body(i);
        if (body < here.first || body >= here.first + here.count) return;
        std::size_t const row = all ? body - here.first : row_of_body(body);
        for (int axis = 0; accelerates && axis < 3; ++axis) {
          into.acceleration(row, axis) = from.acceleration(i, axis);
        }
        if (has_potential) into.potential(row) = from.potential(i);
      });
}

/// Which row of what is wanted is each body's, of those that are here or of all processes' bodies.
template <class Stored>
fmm::RowOfBody rows_of(Context const& context, Request<Stored> const& request, fmm::RowOfBody& own,
                       fmm::RowOfBody& all) {
  auto const& space = context.space;
  auto const& sources = request.sources;
  fmm::allocate(space, own, "apsis::forces::fmm::own_rows", sources.size());
  Kokkos::deep_copy(space, own, fmm::nowhere);
  auto const here = own;
  auto const listed = request.targets.listed;
  bool const is_listed = request.targets.is_listed();
  std::size_t const first = request.targets.range.first;
  Kokkos::parallel_for(
      "apsis::forces::fmm::row_of_body",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0,
                                                                          request.targets.size()),
      KOKKOS_LAMBDA(std::size_t row) {
        std::size_t const body = is_listed ? listed(row) : first + row;
        here(body) = static_cast<std::uint32_t>(row);
      });
  if (!is_shared(context)) return here;
  fmm::allocate(space, all, "apsis::forces::fmm::rows", sources.total);
  std::vector<std::size_t> firsts = gathered(context, std::vector{sources.first});
  firsts.push_back(sources.total);
  std::vector<std::span<std::byte const>> const from{
      {reinterpret_cast<std::byte const*>(here.data()), here.extent(0) * sizeof(std::uint32_t)}};
  std::vector<std::span<std::byte>> const to{
      {reinterpret_cast<std::byte*>(all.data()), all.extent(0) * sizeof(std::uint32_t)}};
  context.communicator->transport().gather(space, from, to, firsts);
  return all;
}

}  // namespace

template <class Number>
Fmm<Number>::Fmm(Gravity const& gravity, FmmOptions const& options)
    : Solver<Stored>(gravity),
      options_(options),
      direct_(gravity),
      calibration_(std::make_unique<fmm::Calibration>(options.accuracy)),
      kept_(std::make_unique<fmm::Kept<Number>>()) {
  APSIS_EXPECT(options.accuracy > 0.0, "errors of nothing are not to be had");
}

template <class Number>
Fmm<Number>::~Fmm() = default;

template <class Number>
bool Fmm<Number>::takes(std::size_t bodies) const {
  return bodies >= options_.fewest && bodies < fmm::most_bodies;
}

template <class Number>
std::string Fmm<Number>::describe(std::size_t bodies, int derivatives, bool each_pair_once) const {
  if (derivatives > 0 || !each_pair_once || !takes(bodies) || gave_up_) {
    return direct_.describe(bodies, derivatives, each_pair_once);
  }
  return "fmm";
}

template <class Number>
bool Fmm<Number>::has_exact_potential(std::size_t bodies) const {
  return takes(bodies) || direct_.has_exact_potential(bodies);
}

template <class Number>
bool Fmm<Number>::falls_back() const {
  return gave_up_;
}

template <class Number>
std::optional<ForceErrors> Fmm<Number>::errors() const {
  auto const found = calibration_->found();
  if (!found) return std::nullopt;
  return ForceErrors{options_.accuracy, gave_up_ ? 0.0 : *found, calibration_->worst()};
}

template <class Number>
bool Fmm<Number>::pays_to_leave_out(std::size_t massive, std::size_t bodies) const {
  // A sweep takes about as long as so many pairs for each body.
  constexpr std::size_t few = 4096;
  return massive < few || !takes(bodies);
}

template <class Number>
void Fmm<Number>::exchange(SavedState& state) {
  Solver<Stored>::exchange(state);
  std::uint64_t rows = pull_.extent(0);
  state.exchange("fmm/rows", rows);
  calibration_->exchange(state);
  state.exchange("fmm/gave_up", gave_up_);
  ExecutionSpace const space;
  if (state.restores() && pull_.extent(0) != rows) {
    pull_ = {};
    reserve(space, pull_, rows, "apsis::forces::fmm::pull");
  }
  if (rows == 0) return;
  Kokkos::fence("apsis::forces::fmm: what was found is saved");
  state.exchange_replicated(space, "fmm/pull", pull_);
}

template <class Number>
double Fmm<Number>::do_evaluate(Context const& context, Request<Stored> const& request) {
  auto const& wanted = request.wanted;
  std::size_t const bodies = request.sources.total;
  bool const here = is_shared(context) || request.sources.size() == bodies;
  bool const can = here && can_sweep(request);
  bool const found = can && sweep(context, request);
  if (can && request.is_mutual()) gave_up_ = !found;
  if (!found) sum_over_all_pairs(context, request);
  if (!wanted.has_forces()) return 0.0;
  return static_cast<double>(request.targets.total) * static_cast<double>(bodies);
}

/// Potentials as exact as has_exact_potential() says.
template <class Number>
void Fmm<Number>::sum_over_all_pairs(Context const& context, Request<Stored> const& request) {
  auto const& wanted = request.wanted;
  bool const exact = direct_.has_exact_potential(request.sources.total);
  if (exact || !wanted.has_forces() || !wanted.has_potential()) {
    direct_.evaluate(context, request);
    return;
  }
  auto part = request;
  part.wanted.potential = {};
  direct_.evaluate(context, part);
  part.wanted = {{}, {}, {}, wanted.potential};
  direct_.evaluate(context, part);
}

template <class Number>
bool Fmm<Number>::can_sweep(Request<Stored> const& request) const {
  std::size_t const bodies = request.sources.total;
  if (bodies == 0 || !takes(bodies)) return false;
  if (request.wanted.has_jerk() || request.wanted.has_snap()) return false;
  if (request.is_mutual()) return true;
  // Massive bodies in front of others are targets among them.
  if (request.targets.position.extent(0) != request.sources.size()) return false;
  // For fewer the cells are not worth it.
  constexpr std::size_t fewest = 1024;
  return request.is_among_sources() && request.wanted.accelerates() &&
         request.targets.total > fewest && (!decides_by_pulls() || pull_.extent(0) == bodies);
}

template <class Number>
bool Fmm<Number>::sweep(Context const& context, Request<Stored> const& request) {
  auto const& space = context.space;
  bool const shared = is_shared(context);
  auto const sources = shared ? this->all_sources(context, request) : request.sources;
  std::size_t const bodies = sources.size();
  kept_->along.put(space, sources, bodies);
  auto const along = kept_->along.order;
  fmm::FmmEvaluation<Number> of{{}, pull_, *kept_};
  of.criterion.reach = reach_of(this->gravity());
  if (!request.is_mutual()) {
    of.row_of_body = rows_of(context, request, kept_->own_rows, kept_->rows);
  }
  kept_->targets.list(space, fmm::Division::of(bodies, fmm::leaf_size<typename Number::Real>),
                      along, of.row_of_body);
  std::vector<std::size_t> firsts;
  Field<Stored> into;
  auto const evaluate = [&] {
    if (shared) firsts = own_leaves(context, request.is_mutual(), of);
    into = room_for(space, request.wanted, of);
    bool could = fmm::with_order(options_, [&](auto order) {
      return fmm::sweep_order<Number, order()>(
          Evaluation<Number>{space, this->gravity(), sources, request.targets, into}, of);
    });
    if (!shared) return could;
    constexpr double could_not = -1.0;
    auto const seconds = gathered(context, std::vector{could ? kept_->seconds : could_not});
    for (auto const each : seconds) could &= each != could_not;
    if (could && request.is_mutual()) kept_->shares.learn(seconds);
    if (could) gather_along_the_leaves(context, firsts, into);
    return could;
  };
  auto const rows = kept_->targets.rows(along, of.row_of_body);
  auto const keep = [&](Column<Stored> const& pull) {
    double const G = this->gravity().G;
    if (!shared) return keep_pull(space, into.acceleration, of.row_of_body, G, pull);
    keep_pull_of_leaves(space, whole_.acceleration, rows, G, pull);
  };
  if (decides_by_pulls() && of.pull.extent(0) != bodies) {
    of.pull = {};
    of.criterion.theta = 0.6;
    if (!evaluate()) return false;
    reserve(space, of.pull, bodies, "apsis::forces::fmm::pull");
    keep(of.pull);
  }
  // A look at the forces or potentials leaves no trace.
  bool const keeps = request.counted && request.wanted.accelerates();
  bool const looks =
      keeps && request.is_mutual() && options_.looks_after_accuracy() && calibration_->is_due();
  do {
    double const part = calibration_->part() * options_.accuracy;
    of.criterion = {options_.opening_angle.value_or(fmm::Criterion().theta),
                    options_.opening_error.value_or(part), fmm::Criterion().resolve,
                    of.criterion.reach};
    if (!evaluate()) return false;
    if (shared) {
      take_own(space, whole_, rows, {request.sources.first, request.sources.size()},
               request.wanted);
    }
  } while (looks && !calibration_->accepts(fmm::error_of_sample<Stored>(
                        context, direct_, request, sources, calibration_->turn())));
  if (!keeps || !decides_by_pulls()) return true;
  if (pull_.extent(0) != bodies) pull_ = of.pull;
  keep(pull_);
  return true;
}

template <class Number>
Field<typename Number::Stored> Fmm<Number>::room_for(ExecutionSpace const& space,
                                                     Field<Stored> const& wanted,
                                                     fmm::FmmEvaluation<Number> const& of) {
  constexpr std::size_t leaf = fmm::leaf_size<typename Number::Real>;
  std::size_t const leaves = kept_->targets.leaves();
  auto into = wanted;
  if (!of.own) {
    if (wanted.accelerates()) return into;
    into.acceleration = kept_->along.spare(leaves * leaf);
    if (into.accelerates()) return into;
    reserve(space, spare_.acceleration, leaves * leaf, "apsis::forces::fmm::spare");
    into.acceleration = spare_.acceleration;
    return into;
  }
  // At least a row: an empty column is not wanted.
  std::size_t const own = std::max<std::size_t>(1, of.own->count * leaf);
  reserve(space, whole_.acceleration, leaves * leaf, "apsis::forces::fmm::whole");
  reserve(space, spare_.acceleration, own, "apsis::forces::fmm::own");
  into.acceleration = spare_.acceleration;
  if (!wanted.has_potential()) return into;
  reserve(space, whole_.potential, leaves * leaf, "apsis::forces::fmm::whole_potential");
  reserve(space, spare_.potential, own, "apsis::forces::fmm::own_potential");
  into.potential = spare_.potential;
  return into;
}

template <class Number>
std::vector<std::size_t> Fmm<Number>::own_leaves(Context const& context, bool all,
                                                 fmm::FmmEvaluation<Number>& of) const {
  std::size_t const rank = context.communicator->rank(), size = context.communicator->size();
  // What was learnt of all says nothing of those that some bodies are in.
  auto const shares = all ? kept_->shares : fmm::LeafShares();
  auto firsts = shares.firsts(kept_->targets.leaves(), size);
  of.own = Share{firsts[rank], firsts[rank + 1] - firsts[rank]};
  return firsts;
}

template <class Number>
void Fmm<Number>::gather_along_the_leaves(Context const& context, std::vector<std::size_t> firsts,
                                          Field<Stored> const& own) {
  std::size_t const size = context.communicator->size(), rank = context.communicator->rank();
  for (auto& first : firsts) first *= fmm::leaf_size<typename Number::Real>;
  std::vector<std::span<std::byte const>> from;
  std::vector<std::span<std::byte>> to;
  auto const add = [&](auto* mine, auto* all) {
    std::size_t const bytes = sizeof(*all);
    from.emplace_back(reinterpret_cast<std::byte const*>(mine),
                      (firsts[rank + 1] - firsts[rank]) * bytes);
    to.emplace_back(reinterpret_cast<std::byte*>(all), firsts[size] * bytes);
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
