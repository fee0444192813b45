// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/integrators/integrator.hpp>

#include <string>
#include <vector>

namespace apsis::testing {

/// Modes of stepping of a scheme.
inline std::vector<std::string> stepping_modes(integrators::IntegratorEntry const& entry) {
  if (entry.has_own_steps()) return {"own"};
  std::vector<std::string> modes{"fixed", "adaptive"};
  if (entry.has_blocks()) modes.emplace_back("block");
  return modes;
}

inline integrators::IntegratorEntry const& integrator(std::string const& name) {
  return integrators::integrators().get(name);
}

}  // namespace apsis::testing
