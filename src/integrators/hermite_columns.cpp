// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/hermite_columns.hpp>

namespace apsis::integrators {

template <class Real, int order>
HermiteColumns<Real, order> allocate_hermite_columns(ExecutionSpace const& space,
                                                     Bodies<Real> const& bodies) {
  auto const make = [&](char const* name) {
    return VectorColumns<Real>(
        Kokkos::view_alloc(space, std::string("apsis::integrators::hermite::") + name),
        bodies.size());
  };
  HermiteColumns<Real, order> columns;
  columns.bodies = bodies;
  columns.predicted = bodies;  // masses and ids
  columns.predicted.position = make("predicted_position");
  columns.predicted.velocity = make("predicted_velocity");
  columns.now.acceleration = bodies.acceleration;
  columns.now.jerk = make("jerk");
  columns.next.acceleration = make("next_acceleration");
  columns.next.jerk = make("next_jerk");
  if (order == 6) {
    columns.predicted.acceleration = make("predicted_acceleration");
    columns.now.snap = make("snap");
    columns.next.snap = make("next_snap");
  }
  for (int k = 0; k < columns.evaluated; ++k) columns.higher[k] = make("higher_derivatives");
  return columns;
}

template HermiteColumns<float, 4> allocate_hermite_columns(ExecutionSpace const&,
                                                           Bodies<float> const&);
template HermiteColumns<double, 4> allocate_hermite_columns(ExecutionSpace const&,
                                                            Bodies<double> const&);
template HermiteColumns<float, 6> allocate_hermite_columns(ExecutionSpace const&,
                                                           Bodies<float> const&);
template HermiteColumns<double, 6> allocate_hermite_columns(ExecutionSpace const&,
                                                            Bodies<double> const&);

}  // namespace apsis::integrators
