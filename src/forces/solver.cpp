// SPDX-License-Identifier: Apache-2.0
#include "apsis/forces/solver.hpp"

#include "core/profiling_region.hpp"
#include "forces/evaluation_poll.hpp"
#include "forces/evaluation_time.hpp"
#include <apsis/core/poll.hpp>
#include <apsis/forces/extra.hpp>

#include <algorithm>
#include <utility>

namespace apsis::forces {

namespace {

/// Copies a column; repeats the last row up to `rows`.
template <class Stored>
void load(VectorColumns<Stored> const& column, std::size_t rows, FewVectors<Stored>& few) {
  std::size_t const last = column.extent(0) - 1;
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < rows; ++i) few(i, axis) = column(std::min(i, last), axis);
  }
}

/// Copies the results of the requested bodies to a column with one row per target.
template <class Stored>
void store(FewVectors<Stored> const& few, BodyRows const& targets,
           VectorColumns<Stored> const& column) {
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t k = 0; k < targets.size(); ++k) column(k, axis) = few(targets[k], axis);
  }
}

template <class Stored>
void clear(ExecutionSpace const& space, Field<Stored> const& field) {
  if (field.has(Wants::acceleration)) Kokkos::deep_copy(space, field.acceleration, Stored(0));
  if (field.has(Wants::jerk)) Kokkos::deep_copy(space, field.jerk, Stored(0));
  if (field.has(Wants::snap)) Kokkos::deep_copy(space, field.snap, Stored(0));
  if (field.has(Wants::potential)) Kokkos::deep_copy(space, field.potential, 0.0);
}

/// Wall time of evaluations by this thread [s].
thread_local double evaluation_seconds = 0.0;
/// Poll of the calling thread; null: none.
thread_local Poll const* evaluation_poll = nullptr;

/// Adds the time of its life to evaluation_seconds, once: a solver may call another solver.
class EvaluationTimer {
 public:
  EvaluationTimer() : before_(evaluation_seconds) {}
  ~EvaluationTimer() { evaluation_seconds = before_ + watch_.seconds(); }
  EvaluationTimer(EvaluationTimer const&) = delete;
  EvaluationTimer& operator=(EvaluationTimer const&) = delete;

 private:
  double before_;
  Stopwatch watch_;
};

}  // namespace

double seconds_in_evaluations() {
  return evaluation_seconds;
}

EvaluationPoll::EvaluationPoll(Poll const& poll)
    : before_(std::exchange(evaluation_poll, poll ? &poll : nullptr)) {}

EvaluationPoll::~EvaluationPoll() {
  evaluation_poll = before_;
}

template <class Stored>
void Solver<Stored>::evaluate(Context const& context, Request<Stored> const& request) {
  if (evaluation_poll != nullptr) (*evaluation_poll)(0.0);
  double const pairs = evaluate_gravity(context, request);
  if (request.counted) interactions_ += pairs;
  if (!extra_forces_) return;
  EvaluationTimer const timer;
  ProfilingRegion const region("apsis::forces::extra");
  extra_forces_->add(context, request, time_);
}

template <class Stored>
double Solver<Stored>::evaluate_gravity(Context const& context, Request<Stored> const& request) {
  if (auto sums = few_body_sums(context, request)) return evaluate_few(*sums, request);
  EvaluationTimer const timer;
  ProfilingRegion const region("apsis::forces");
  if (is_shared(context)) return evaluate_shared(context, request);
  return massive_sources_.can_serve(request) ? evaluate_massive(context, request)
                                             : do_evaluate(context, request);
}

template <class Stored>
std::optional<FewBodySums<Stored>> Solver<Stored>::few_body_sums(
    Context const& context, Bodies<Stored> const& bodies) const {
  if (extra_forces_) return std::nullopt;
  return few_body_sums(context, bodies.mass);
}

template <class Stored>
std::optional<FewBodySums<Stored>> Solver<Stored>::few_body_sums(Context const& context,
                                                                 Column<Stored> const& mass) const {
  std::size_t const count = mass.extent(0);
  if (!sums_few(context, count)) return std::nullopt;
  return FewBodySums<Stored>::make(*few_body_precision(count), gravity_, {mass.data(), count},
                                   massive_sources_.is_active());
}

template <class Stored>
std::optional<FewBodySums<Stored>> Solver<Stored>::few_body_sums(
    Context const& context, Request<Stored> const& request) const {
  // Potentials are summed by kernels of their own, and other targets have no rows among the bodies.
  bool const suits = request.sources.size() <= max_few_bodies && request.is_among_sources() &&
                     request.sources.size() == request.sources.total &&
                     request.targets.position.extent(0) == request.sources.size() &&
                     !request.wanted.has(Wants::potential);
  if (!suits) return std::nullopt;
  return few_body_sums(context, request.sources.mass);
}

template <class Stored>
double Solver<Stored>::evaluate_few(FewBodySums<Stored>& sums, Request<Stored> const& request) {
  if constexpr (bodies_on_host) {
    auto const& wanted = request.wanted;
    FewMotions<Stored> motions;
    FewForces<Stored> forces;
    load(request.sources.position, sums.rows(), motions.position);
    if (!wanted.has(Wants::jerk | Wants::snap)) {
      sums.accelerate(motions, forces);
    } else {
      load(request.sources.velocity, sums.rows(), motions.velocity);
      if (request.sources.has_low_parts) {
        load(request.sources.position_low, sums.rows(), motions.position_low);
      } else {
        motions.position_low = {};
      }
      if (wanted.has(Wants::snap)) {
        load(request.sources.acceleration, sums.rows(), motions.acceleration);
        sums.template differentiate<2>(motions, forces);
      } else {
        sums.template differentiate<1>(motions, forces);
      }
    }
    auto const& rows = request.targets.rows;
    if (wanted.has(Wants::acceleration)) store(forces.acceleration, rows, wanted.acceleration);
    if (wanted.has(Wants::jerk)) store(forces.jerk, rows, wanted.jerk);
    if (wanted.has(Wants::snap)) store(forces.snap, rows, wanted.snap);
  }
  return sums.interactions_of(request.targets.rows.size());
}

/// If some bodies are massless, each rank gathers all massive bodies as sources and has its own
/// bodies as targets.
template <class Stored>
double Solver<Stored>::evaluate_shared(Context const& context, Request<Stored> request) {
  all_sources_.complete_request(context, request);
  if (!massive_sources_.can_serve(request)) return do_evaluate(context, request);
  request.sources = all_sources_.gather(context, request);
  return evaluate_massive(context, request);
}

template <class Stored>
double Solver<Stored>::evaluate_massive(Context const& context, Request<Stored> const& request) {
  auto const& wanted = request.wanted;
  if (massive_sources_.empty()) {
    clear(context.space, wanted);
    return 0.0;
  }
  Context const alone(context.space);
  auto massive_request = request;
  massive_request.sources = massive_sources_.sources(alone, request);
  if (massive_sources_.has_massive_first() || !wanted.has(Wants::potential))
    return do_evaluate(alone, massive_request);
  massive_request.wanted.wants = wanted.wants & Wants::forces;
  double const pairs = wanted.has(Wants::forces) ? do_evaluate(alone, massive_request) : 0.0;
  do_evaluate(alone, massive_sources_.potential_request(context, request));
  massive_sources_.scatter_potentials(context, request);
  return pairs;
}

template class Solver<float>;
template class Solver<double>;

}  // namespace apsis::forces
