// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/registry.hpp>

#include <string>

namespace apsis::forces {

/// Value of the deck key gravity.softening_kernel.
enum class SofteningKernel { plummer, spline, wendland_c2, none };

struct SofteningEntry {
  SofteningKernel kernel;
  std::string name;
  std::string doc;
};

/// All softening kernels, the default first.
Registry<SofteningEntry> const& softening_kernels();

/// Parameters of gravity of a run.
struct Gravity {
  double G = 1.0;          ///< [length^3 / (mass time^2)]
  double softening = 0.0;  ///< softening length eps [length], >= 0; 0: Newton's law
  SofteningKernel softening_kernel = SofteningKernel::plummer;
};

/// Whether sources have a finite size instead of being points.
inline bool has_size(Gravity const& gravity) {
  bool const compact = gravity.softening_kernel == SofteningKernel::spline ||
                       gravity.softening_kernel == SofteningKernel::wendland_c2;
  return compact && gravity.softening > 0;
}

}  // namespace apsis::forces
