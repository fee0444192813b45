// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/integrators/criterion_entry.hpp>

namespace apsis::integrators {

std::vector<CriterionEntry> const& criteria() {
  static std::vector<CriterionEntry> const table{
      {"aarseth",
       "sqrt(eta (|a| |a''| + |a'|^2) / (|a'| |a'''| + |a''|^2)), eta inside the root (Aarseth "
       "1985)",
       0.02, true},
      {"nitadori_makino",
       "eta ((|a| |a''| + |a'|^2) / (|a'''| |a'''''| + |a''''|^2))^(1/6), eta outside the root "
       "(Nitadori & Makino 2008)",
       0.4, true},
      {"softened_acceleration",
       "sqrt(2 eta eps / |a|) of the largest acceleration, as GADGET and SWIFT have it", 0.025,
       false},
  };
  return table;
}

CriterionEntry const& criterion_named(std::string const& name) {
  for (auto const& entry : criteria()) {
    if (entry.name == name) return entry;
  }
  throw Error(ExitStatus::internal, Problem{"criterion", "unknown '" + name + "'", "", ""});
}

}  // namespace apsis::integrators
