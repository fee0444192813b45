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

/// The deck's word for a kernel.
std::string name_of(SofteningKernel kernel);

}  // namespace apsis::forces
