// SPDX-License-Identifier: Apache-2.0
#include <apsis/forces/extra.hpp>
#include <apsis/forces/solver.hpp>

namespace apsis::forces {

namespace {

template <class Stored>
void clear(ExecutionSpace const& space, Field<Stored> const& field) {
  if (field.has(Wants::acceleration)) Kokkos::deep_copy(space, field.acceleration, Stored(0));
  if (field.has(Wants::jerk)) Kokkos::deep_copy(space, field.jerk, Stored(0));
  if (field.has(Wants::snap)) Kokkos::deep_copy(space, field.snap, Stored(0));
  if (field.has(Wants::potential)) Kokkos::deep_copy(space, field.potential, 0.0);
}

}  // namespace

template <class Stored>
void Solver<Stored>::evaluate(Context const& context, Request<Stored> const& request) {
  double const pairs = is_shared(context)                    ? evaluate_shared(context, request)
                       : massive_sources_.can_serve(request) ? evaluate_massive(context, request)
                                                             : do_evaluate(context, request);
  if (request.counted) interactions_ += pairs;
  if (extra_forces_) extra_forces_->add(context, request, time_);
}

template <class Stored>
std::optional<FewBodySums<Stored>> Solver<Stored>::few_body_sums(
    Context const& context, Bodies<Stored> const& bodies) const {
  if constexpr (!bodies_on_host) {
    return std::nullopt;
  } else {
    if (is_shared(context) || bodies.size() > max_few_bodies || extra_forces_) return std::nullopt;
    auto const precision = few_body_precision(bodies.size());
    if (!precision) return std::nullopt;
    auto const* const mass = bodies.mass.data();
    return FewBodySums<Stored>::make(*precision, gravity_, {mass, mass + bodies.size()},
                                     massive_sources_.is_active());
  }
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
