// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apsis {

/// Region of Kokkos' profiling tools, from its construction to its destruction, around the kernels
/// of a phase of a run. Costs a comparison while no tool is loaded.
class ProfilingRegion {
 public:
  /// `name`: a literal, "apsis::forces".
  explicit ProfilingRegion(char const* name);
  ~ProfilingRegion();
  ProfilingRegion(ProfilingRegion const&) = delete;
  ProfilingRegion& operator=(ProfilingRegion const&) = delete;

 private:
  bool is_open_;
};

}  // namespace apsis
