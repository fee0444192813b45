// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/kick_drift.hpp>

#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_scal.hpp>

namespace apsis::integrators {

template <class Real>
void kick(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt) {
  if (bodies.size() == 0) return;
  KokkosBlas::axpy(space, static_cast<Real>(dt), bodies.acceleration, bodies.velocity);
}

template <class Real>
void drift(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt) {
  if (bodies.size() == 0) return;
  KokkosBlas::axpy(space, static_cast<Real>(dt), bodies.velocity, bodies.position);
}

template <class Real>
void damp(ExecutionSpace const& space, Bodies<Real> const& bodies, double factor) {
  if (bodies.size() == 0) return;
  KokkosBlas::scal(space, bodies.velocity, static_cast<Real>(factor), bodies.velocity);
}

template void kick(ExecutionSpace const&, Bodies<float> const&, double);
template void kick(ExecutionSpace const&, Bodies<double> const&, double);
template void drift(ExecutionSpace const&, Bodies<float> const&, double);
template void drift(ExecutionSpace const&, Bodies<double> const&, double);
template void damp(ExecutionSpace const&, Bodies<float> const&, double);
template void damp(ExecutionSpace const&, Bodies<double> const&, double);

}  // namespace apsis::integrators
