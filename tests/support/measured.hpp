// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics/measurement.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/direct.hpp>

namespace apsis::testing {

/// Returns the conserved quantities of bodies on the host.
template <class Real>
diagnostics::Measurement measured(HostBodies const& host, forces::Gravity gravity) {
  ExecutionSpace const space;
  auto const bodies = to_device<Real>(space, host);
  Column<double> const potential("apsis::testing::potential", host.size());
  forces::Direct<forces::Arithmetic<Real, Real, Real>>(gravity).evaluate(
      space, forces::potentials_of(bodies, potential));
  return diagnostics::measure(space, bodies, potential);
}

}  // namespace apsis::testing
