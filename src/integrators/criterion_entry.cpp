// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/criterion_entry.hpp>

namespace apsis::integrators {

Registry<CriterionEntry> const& criteria() {
  static Registry<CriterionEntry> const table{
      "criterion",
      {
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
      }};
  return table;
}

}  // namespace apsis::integrators
