// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/integrators/integrator.hpp>

namespace apsis::testing {

inline integrators::IntegratorEntry const& integrator(std::string const& name) {
  return integrators::integrators().get(name);
}

}  // namespace apsis::testing
