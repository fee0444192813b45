// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/forces/body_range.hpp>

#include <type_traits>

namespace apsis::benchmark {

inline constexpr bool has_textbook = std::is_same_v<MemorySpace, Kokkos::HostSpace>;

/// The double loop of the textbooks on the host's threads, as a compiler takes it with -O3 for the
/// native machine: what the ladder is measured against. The errno that std::sqrt may have to set
/// costs it much.
template <class Real>
void textbook(ExecutionSpace const& space, Bodies<Real> const& bodies, double softening,
              forces::BodyRange targets);

/// The same source compiled with -fno-math-errno, as everything else here.
template <class Real>
void textbook_without_errno(ExecutionSpace const& space, Bodies<Real> const& bodies,
                            double softening, forces::BodyRange targets);

/// The same of accelerations and jerks of all bodies.
template <class Real>
void textbook_jerk(ExecutionSpace const& space, Bodies<Real> const& bodies, double softening,
                   VectorColumns<Real> const& jerk);
template <class Real>
void textbook_jerk_without_errno(ExecutionSpace const& space, Bodies<Real> const& bodies,
                                 double softening, VectorColumns<Real> const& jerk);

}  // namespace apsis::benchmark
