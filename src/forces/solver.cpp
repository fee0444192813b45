// SPDX-License-Identifier: Apache-2.0
#include <apsis/forces/solver.hpp>

namespace apsis::forces {

namespace {

template <class Stored>
void clear(ExecutionSpace const& space, Field<Stored> const& field) {
  Kokkos::deep_copy(space, field.acceleration, Stored(0));
  Kokkos::deep_copy(space, field.jerk, Stored(0));
  Kokkos::deep_copy(space, field.snap, Stored(0));
  Kokkos::deep_copy(space, field.potential, 0.0);
}

}  // namespace

template <class Stored>
void Solver<Stored>::evaluate(Context const& context, Request<Stored> const& request) {
  double const pairs = is_shared(context)        ? evaluate_shared(context, request)
                       : massive_.serve(request) ? evaluate_massive(context, request)
                                                 : do_evaluate(context, request);
  if (request.counted) interactions_ += pairs;
}

/// Whoever shares the bodies has all massive ones here, where some have none, and his own as
/// targets.
template <class Stored>
double Solver<Stored>::evaluate_shared(Context const& context, Request<Stored> request) {
  all_.agree(context, request);
  if (!massive_.serve(request)) return do_evaluate(context, request);
  request.sources = all_.gather(context, request);
  return evaluate_massive(context, request);
}

template <class Stored>
double Solver<Stored>::evaluate_massive(Context const& context, Request<Stored> const& request) {
  auto const& wanted = request.wanted;
  if (massive_.empty()) {
    clear(context.space, wanted);
    return 0.0;
  }
  Context const alone(context.space);
  auto of = request;
  of.sources = massive_.sources(alone, request);
  if (massive_.in_front() || !wanted.has_potential()) return do_evaluate(alone, of);
  of.wanted.potential = {};
  double const pairs = wanted.has_forces() ? do_evaluate(alone, of) : 0.0;
  do_evaluate(alone, massive_.potentials(context, request));
  massive_.put(context, request);
  return pairs;
}

template class Solver<float>;
template class Solver<double>;

}  // namespace apsis::forces
