// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/initial_conditions/model.hpp>

namespace apsis::testing {

inline initial_conditions::ModelEntry const& model(std::string const& name) {
  return initial_conditions::models().get(name);
}

inline Values values_for(initial_conditions::ModelEntry const& entry) {
  return defaults(entry.parameters);
}

inline Values values_for(initial_conditions::ModelEntry const& entry, std::int64_t bodies,
                         std::int64_t seed = 1) {
  auto values = values_for(entry);
  values.set("count", bodies);
  values.set("seed", seed);
  return values;
}

}  // namespace apsis::testing
