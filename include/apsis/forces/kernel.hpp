// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/precision.hpp>
#include <apsis/forces/shape.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace apsis::forces {

/// One rung of the ladder of all-pairs kernels; a deck's gravity.kernel.
struct KernelEntry {
  std::string name;
  std::string doc;
  std::string unavailable;  ///< why this executable lacks it; empty if it has it
  bool pairwise = false;    ///< meets each pair once

  bool available() const { return unavailable.empty(); }
};

/// Every kernel, the default ("auto") first.
Registry<KernelEntry> const& kernels();

/// The kernel that softenings of finite size (spline, wendland_c2) are compiled for.
inline constexpr char const* compact_kernel = "split";

/// What "auto" stands for: the fastest that was measured for so many bodies on this backend.
std::string picked_kernel(Precision precision, std::size_t bodies);

/// The kernel for accelerations with their rates of change, of all of so many bodies.
std::string picked_motion_kernel(Precision precision, std::size_t bodies);

/// Bytes of the partial sums that a kernel keeps for so many bodies, with so many derivatives of
/// the acceleration.
double workspace_bytes(Precision precision, std::string const& kernel, std::size_t bodies,
                       int derivatives = 0);

}  // namespace apsis::forces
