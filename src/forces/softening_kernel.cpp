// SPDX-License-Identifier: Apache-2.0
#include <apsis/forces/gravity.hpp>

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

}  // namespace apsis::forces
