// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/execution.hpp>

#include <cstdint>
#include <limits>
#include <optional>

namespace apsis::diagnostics {

/// Checks all positions and velocities after every step for NaN and infinity, and for positions
/// with a squared distance from the origin beyond `largest_square`: pairs at such distances give
/// different results on different backends (NaN or 0), so no run may continue with them. The check
/// is a kernel that leaves the first finding on the device; the host reads it from time to time, so
/// that a GPU is not synchronised at every step.
class FiniteWatch {
 public:
  struct Finding {
    std::uint64_t step;  ///< first step with a bad position or velocity
    /// Index, among all bodies, of the first body of that step with a bad position; if all
    /// positions are good, of the first body with a bad velocity.
    std::uint64_t index;
  };

  explicit FiniteWatch(ExecutionSpace const& space,
                       double largest_square = std::numeric_limits<double>::max());

  /// Checks the bodies after `step`; steps must not decrease. Does not fence.
  void check(ExecutionSpace const& space, ReadBodies const& bodies, std::uint64_t step);

  /// Whether check() would find nothing among the bodies of this rank. A loop on the calling
  /// thread, for few bodies; they must be in host memory.
  bool passes(ReadBodies const& bodies) const;

  /// Returns the first finding of all checks so far, over all ranks. Collective; fences.
  std::optional<Finding> finding(Context const& context) const;

 private:
  Kokkos::View<std::uint64_t[2], MemorySpace> first_;  ///< step, and order of findings in it
  std::uint64_t total_ = 1;                            ///< bodies of all ranks
  double largest_square_;
};

}  // namespace apsis::diagnostics
