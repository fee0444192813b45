// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace apsis::forces {

/// A deck's gravity.softening_kernel.
enum class SofteningKernel { plummer, spline, wendland_c2, none };

struct SofteningEntry {
  SofteningKernel kernel;
  std::string name;
  std::string doc;
};

/// Every kernel, the default first.
std::vector<SofteningEntry> const& softening_kernels();

/// The deck's word for a kernel, and the kernel of a word. The latter throws an internal error for
/// any other word.
std::string name_of(SofteningKernel kernel);
SofteningKernel softening_kernel_of(std::string const& name);

}  // namespace apsis::forces
