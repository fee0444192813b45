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
  auto asked = request;
  if (is_shared(context)) all_.agree(context, asked);
  double const pairs =
      massive_.serve(asked) ? evaluate_massive(context, asked) : do_evaluate(context, asked);
  if (request.counted) interactions_ += pairs;
}

/// Whoever shares the bodies has all massive ones here, and his own as targets.
template <class Stored>
double Solver<Stored>::evaluate_massive(Context const& context, Request<Stored> request) {
  auto const& wanted = request.wanted;
  if (massive_.empty()) {
    clear(context.space, wanted);
    return 0.0;
  }
  Context const alone(context.space);
  if (is_shared(context)) request.sources = all_.gather(context, request);
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
