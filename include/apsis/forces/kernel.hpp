// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/precision.hpp>
#include <apsis/forces/shape.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace apsis::forces {

/// An all-pairs kernel of the ladder; value of the deck key gravity.kernel.
struct KernelEntry {
  std::string name;
  std::string doc;
  std::string unavailable;  ///< reason why this executable lacks it; empty if available
  bool pairwise = false;    ///< evaluates each pair once

  bool available() const { return unavailable.empty(); }
};

/// All kernels, the default ("auto") first.
Registry<KernelEntry> const& kernels();

/// Kernel that is compiled for softenings of finite size (spline, wendland_c2).
inline constexpr char const* compact_kernel = "split";

/// Kernel that "auto" selects: the fastest measured for this number of bodies on this backend.
std::string default_kernel(Precision precision, std::size_t bodies);

/// Kernel for accelerations with derivatives, of all bodies.
std::string default_motion_kernel(Precision precision, std::size_t bodies);

/// Memory of the partial sums of a kernel for a number of bodies and of derivatives of the
/// acceleration [bytes].
double workspace_bytes(Precision precision, std::string const& kernel, std::size_t bodies,
                       int derivatives = 0);

}  // namespace apsis::forces
