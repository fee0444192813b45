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

/// The integrators that take any bodies, law and precision: all but those about a dominant body.
inline std::vector<integrators::IntegratorEntry> general_integrators() {
  std::vector<integrators::IntegratorEntry> result;
  for (auto const& entry : integrators::integrators()) {
    if (!entry.needs_dominant_body) result.push_back(entry);
  }
  return result;
}

}  // namespace apsis::testing
