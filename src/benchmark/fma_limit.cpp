// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"
#include "lanes/over_cubed_root.hpp"
#include "timing.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/machine.hpp>

namespace apsis::benchmark {

namespace {

/// Independent chains of multiply-adds, enough to hide the latency of each.
template <class Real>
struct FmaChains {
  static constexpr int chains = by_backend(12, 8);
  static constexpr int iterations = 20000;
  static constexpr int lanes = simd::native_lanes<Real>;
  using Lanes = typename simd::Pack<Real, lanes>::type;

  Column<Real> result;
  Real factor, term;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    Lanes value[chains];
    for (int c = 0; c < chains; ++c) value[c] = Lanes{} + static_cast<Real>(c + 1);
    for (int iteration = 0; iteration < iterations; ++iteration) {
      for (int c = 0; c < chains; ++c) value[c] = value[c] * factor + term;
    }
    Lanes sum{};
    for (int c = 0; c < chains; ++c) sum += value[c];
    result(i) = simd::lane<Real>(sum, 0);
  }
};

template <class Real>
double fma_rate(ExecutionSpace const& space) {
  std::size_t const threads = on_gpu ? static_cast<std::size_t>(ExecutionSpace().concurrency())
                                     : static_cast<std::size_t>(host_threads()) * 8;
  Column<Real> const result(Kokkos::view_alloc(space, "apsis::benchmark::fma"), threads);
  FmaChains<Real> const work{result, Real(0.5), Real(1)};
  auto const timing =
      measure_time(space, 7, [&](int) { for_each(space, "apsis::benchmark::fma", threads, work); });
  double const each =
      double{FmaChains<Real>::chains} * FmaChains<Real>::iterations * FmaChains<Real>::lanes;
  return each * static_cast<double>(threads) / timing.least;
}

}  // namespace

FmaRates measure_fma_rates() {
  ExecutionSpace const space;
  return {fma_rate<float>(space), fma_rate<double>(space)};
}

double operations_per_interaction(forces::Precision precision, bool pairwise, int derivatives) {
  bool const wide = precision == forces::Precision::double_precision;
  int const displacement = (precision == forces::Precision::mixed ? 9 : 3) + 3 * derivatives;
  int const square = 3;
  // The cube for a unit mass; each body multiplies it by the mass of the other.
  int const cube = (wide ? simd::cube_operations<double> : simd::cube_operations<float>)-1;
  int const sums = 3 * (1 + derivatives);
  // w, p and the division of the jerk by f; q and the division of the snap by f.
  int const rates[]{0, 2 + 4 + 1 + 3, 2 + 4 + 1 + 3 + 8 + 3 + 1 + 6};
  int const shared = displacement + square + cube + rates[derivatives];
  int const per_target = 1 + sums;
  return pairwise ? shared / 2.0 + per_target : shared + per_target;
}

}  // namespace apsis::benchmark
