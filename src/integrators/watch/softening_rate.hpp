// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/softening.hpp"
#include <apsis/forces/gravity.hpp>

namespace apsis::integrators {

/// Factor f of the softened acceleration G m f r, as a function of the squared distance.
struct SofteningRate {
  double eps = 0.0;
  forces::SofteningKernel kernel = forces::SofteningKernel::none;
  forces::PlummerSoftening<double> plummer{};
  forces::SplineSoftening<double> spline{};
  forces::WendlandSoftening<double> wendland{};

  explicit SofteningRate(forces::Gravity const& gravity) : eps(gravity.softening) {
    if (!(eps > 0.0)) return;
    kernel = gravity.softening_kernel;
    plummer = forces::PlummerSoftening<double>::make(eps);
    spline = forces::SplineSoftening<double>::make(eps);
    wendland = forces::WendlandSoftening<double>::make(eps);
  }

  KOKKOS_FUNCTION double operator()(double squared) const {
    forces::Separation<double> const separation{0.0, 0.0, 0.0, squared};
    if (kernel == forces::SofteningKernel::spline)
      return spline.acceleration_factor(1.0, separation);
    if (kernel == forces::SofteningKernel::wendland_c2)
      return wendland.acceleration_factor(1.0, separation);
    double const s = squared + eps * eps;
    return 1.0 / (s * Kokkos::sqrt(s));
  }
};

}  // namespace apsis::integrators
