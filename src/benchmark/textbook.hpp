// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/forces/body_range.hpp>

namespace apsis::benchmark {

inline constexpr bool has_textbook = bodies_on_host;

/// The double loop of the textbooks on the host's threads, as a compiler takes it with -O3 for the
/// native machine: what the ladder is measured against. The errno that std::sqrt may have to set
/// costs it much; without `math_errno` the same source is compiled with -fno-math-errno, as
/// everything else here. Accelerations of the targets, and their jerks if that is allocated.
template <bool math_errno, class Real>
void textbook(ExecutionSpace const& space, Bodies<Real> const& bodies, double softening,
              forces::BodyRange targets, VectorColumns<Real> const& jerk);

}  // namespace apsis::benchmark
