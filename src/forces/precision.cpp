// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/forces/precision.hpp>

namespace apsis::forces {

std::vector<PrecisionEntry> const& precisions() {
  static std::vector<PrecisionEntry> const table{
      {Precision::double_precision, "double", "bodies and arithmetic in double"},
      {Precision::single_precision, "single", "bodies and arithmetic in single"},
      {Precision::mixed, "mixed",
       "bodies and sums in double, each pair in single from coordinates of 48 bits"},
  };
  return table;
}

std::string name_of(Precision precision) {
  for (auto const& entry : precisions()) {
    if (entry.precision == precision) return entry.name;
  }
  throw Error(ExitStatus::internal, Problem{"precision", "has no name", "", ""});
}

Precision precision_of(std::string const& name) {
  for (auto const& entry : precisions()) {
    if (entry.name == name) return entry.precision;
  }
  throw Error(ExitStatus::internal, Problem{"precision", "unknown '" + name + "'", "", ""});
}

}  // namespace apsis::forces
