// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/forces/body_rows.hpp>

#include <tuple>

namespace apsis::benchmark {

inline constexpr bool has_textbook = !on_gpu;

/// Plain double loop on the host's threads, compiled with -O3 for the native machine: the baseline
/// of all kernels. std::sqrt may have to set errno, which slows it down much; without `math_errno`
/// the same source is compiled with -fno-math-errno, like all other code here. Computes
/// accelerations of the targets, and their jerks if `jerk` is allocated.
template <bool math_errno, class Real>
void textbook(ExecutionSpace const& space, Bodies<Real> const& bodies, double softening,
              forces::BodyRange targets, VectorColumns<Real> const& jerk);

template <class Real>
using TextbookLoop = decltype(&textbook<true, Real>);

/// Loops of reference_kernels. Only the program of bench/ has them.
template <class Real>
struct TextbookLoops {
  TextbookLoop<Real> with_errno = textbook<true, Real>;
  TextbookLoop<Real> without_errno = textbook<false, Real>;
};
struct Textbook : std::tuple<TextbookLoops<float>, TextbookLoops<double>> {};

}  // namespace apsis::benchmark
