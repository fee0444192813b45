// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/registry.hpp>

#include <string>

namespace apsis::forces {

/// A deck's gravity.softening_kernel.
enum class SofteningKernel { plummer, spline, wendland_c2, none };

struct SofteningEntry {
  SofteningKernel kernel;
  std::string name;
  std::string doc;
};

/// Every kernel, the default first.
Registry<SofteningEntry> const& softening_kernels();

/// The law of gravity of a run.
struct Gravity {
  double G = 1.0;          ///< [length^3 / (mass time^2)]
  double softening = 0.0;  ///< eps [length], >= 0; 0 is Newton's law whatever the kernel
  SofteningKernel softening_kernel = SofteningKernel::plummer;
};

/// Whether sources are smeared over a finite size instead of being points.
inline bool has_size(Gravity const& gravity) {
  bool const compact = gravity.softening_kernel == SofteningKernel::spline ||
                       gravity.softening_kernel == SofteningKernel::wendland_c2;
  return compact && gravity.softening > 0;
}

}  // namespace apsis::forces
