// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/context.hpp>

#include <cstdint>
#include <limits>
#include <optional>

namespace apsis::diagnostics {

/// Looks at every position and velocity after every step for NaN and infinity, and for places so
/// far from the origin that the square of the distance is beyond `largest_square`: what pairs at
/// such distances do is not the same on every backend (NaN or nothing), so no run may go on with
/// them. The look is a kernel that leaves the first finding on the device; the host asks for it
/// once in a while, so that a GPU is not stopped at every step for good news.
template <class Real>
class FiniteWatch {
 public:
  struct Finding {
    std::uint64_t step;  ///< the first step after which something was not finite
    /// The first body of that step with a bad position, else velocity: its number among all.
    std::uint64_t index;
  };

  explicit FiniteWatch(ExecutionSpace const& space,
                       double largest_square = std::numeric_limits<Real>::max());

  /// Looks at the bodies as they are after `step`; steps must not decrease. Does not fence.
  void look(ExecutionSpace const& space, Bodies<Real> const& bodies, std::uint64_t step);

  /// The first finding of all looks so far, of all processes. Fences.
  std::optional<Finding> finding(Context const& context) const;

 private:
  Kokkos::View<std::uint64_t[2], MemorySpace> first_;  ///< step, rank
  std::uint64_t total_ = 1;                            ///< bodies of all processes
  double largest_square_;
};

extern template class FiniteWatch<float>;
extern template class FiniteWatch<double>;

}  // namespace apsis::diagnostics
