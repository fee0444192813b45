// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/integrators/integrator.hpp>

#include <stdexcept>

namespace apsis::testing {

inline integrators::IntegratorEntry const& integrator(std::string const& name) {
  for (auto const& entry : integrators::integrators()) {
    if (entry.name == name) return entry;
  }
  throw std::runtime_error("no integrator " + name);
}

}  // namespace apsis::testing
