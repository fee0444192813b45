// SPDX-License-Identifier: Apache-2.0
#include <apsis/forces/precision.hpp>

namespace apsis::forces {

Registry<PrecisionEntry> const& precisions() {
  static Registry<PrecisionEntry> const table{
      "precision",
      {
          {Precision::double_precision, "double", "bodies and arithmetic in double"},
          {Precision::single_precision, "single", "bodies and arithmetic in single"},
          {Precision::mixed, "mixed",
           "bodies and sums in double, each pair in single from coordinates of 48 bits"},
      }};
  return table;
}

std::string name_of(Precision precision) {
  for (auto const& entry : precisions()) {
    if (entry.precision == precision) return entry.name;
  }
  throw Error(ExitStatus::internal, Problem{"precision", "has no name", "", ""});
}

double field_flops(Precision precision, int derivatives) {
  if (derivatives > 0) return derivatives == 1 ? 60.0 : 97.0;
  return precision == Precision::double_precision ? 30.0 : 20.0;
}

}  // namespace apsis::forces
