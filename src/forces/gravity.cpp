// SPDX-License-Identifier: Apache-2.0
#include <apsis/forces/gravity.hpp>
#include <apsis/forces/precision.hpp>

namespace apsis::forces {

Registry<SofteningEntry> const& softening_kernels() {
  static Registry<SofteningEntry> const table{
      "softening kernel",
      {
          {SofteningKernel::plummer,
           "plummer",
           "Plummer: -G m / sqrt(r^2 + eps^2), Newtonian only in the limit of large r",
           {"Aarseth1963"}},
          {SofteningKernel::spline,
           "spline",
           "cubic spline as in GADGET, Newtonian beyond H = 2.8 eps, -G m / eps at the centre",
           {"HernquistKatz1989", "Springel2005"}},
          {SofteningKernel::wendland_c2,
           "wendland_c2",
           "Wendland C2 as in SWIFT, Newtonian beyond H = 3 eps, -G m / eps at the centre",
           {"Wendland1995", "Schaller2024"}},
          {SofteningKernel::none, "none", "Newton's law; needs a softening of 0", {"Apsis"}},
      }};
  return table;
}

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
