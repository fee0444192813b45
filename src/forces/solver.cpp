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
  // One process knows which of its own have no mass: where several share the bodies all pull.
  bool const alone = !context.communicator || context.communicator->size() == 1;
  double const pairs = alone && massive_.serve(request) ? evaluate_massive(context, request)
                                                        : do_evaluate(context, request);
  if (request.counted) interactions_ += pairs;
}

template <class Stored>
double Solver<Stored>::evaluate_massive(Context const& context, Request<Stored> const& request) {
  auto const& wanted = request.wanted;
  if (massive_.empty()) {
    clear(context.space, wanted);
    return 0.0;
  }
  auto of = request;
  of.sources = massive_.sources(context, request);
  if (massive_.in_front() || !wanted.has_potential()) return do_evaluate(context, of);
  of.wanted.potential = {};
  double const pairs = wanted.accelerates() || wanted.has_jerk() || wanted.has_snap()
                           ? do_evaluate(context, of)
                           : 0.0;
  do_evaluate(context, massive_.potentials(context, request));
  massive_.put(context, wanted.potential);
  return pairs;
}

template class Solver<float>;
template class Solver<double>;

}  // namespace apsis::forces
