// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"
#include "lanes/over_cubed_root.hpp"
#include "timing.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/machine.hpp>

#include <algorithm>

namespace apsis::benchmark {

namespace {

/// Independent chains of multiply-adds, and of additions in a mixture. The chains hide the latency
/// of each instruction, and fit the registers.
template <class Real, bool is_mixture>
struct ArithmeticChains {
  static constexpr bool many_registers = simd::registers > 16;
  static constexpr int chains = by_backend(many_registers ? 12 : 8, 8);
  static constexpr int additions = !is_mixture ? 0 : by_backend(many_registers ? 12 : 6, 8);
  static constexpr int iterations = 20000;
  static constexpr int lanes = simd::native_lanes<Real>;
  using Lanes = typename simd::Pack<Real, lanes>::type;

  Column<Real> result;
  Real factor, term;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    Lanes value[chains], total[additions + 1];
    for (int c = 0; c < chains; ++c) value[c] = Lanes{} + static_cast<Real>(c + 1);
    for (int c = 0; c < additions; ++c) total[c] = Lanes{} + static_cast<Real>(c + 1);
    for (int iteration = 0; iteration < iterations; ++iteration) {
      for (int c = 0; c < chains; ++c) value[c] = value[c] * factor + term;
      for (int c = 0; c < additions; ++c) total[c] = total[c] - term;
    }
    Lanes sum{};
    for (int c = 0; c < chains; ++c) sum += value[c];
    for (int c = 0; c < additions; ++c) sum += total[c];
    result(i) = simd::lane<Real>(sum, 0);
  }
};

/// Instructions per second [1/s], the highest of several measurements.
template <class Real, bool is_mixture>
double arithmetic_rate(ExecutionSpace const& space) {
  using Chains = ArithmeticChains<Real, is_mixture>;
  constexpr int measurements = 5;
  std::size_t const threads = on_gpu ? static_cast<std::size_t>(ExecutionSpace().concurrency())
                                     : static_cast<std::size_t>(host_threads()) * 8;
  Column<Real> const result(Kokkos::view_alloc(space, "apsis::benchmark::arithmetic"), threads);
  Chains const work{result, Real(0.5), Real(1)};
  auto const timing = measure_time(space, measurements, [&](int) {
    for_each(space, "apsis::benchmark::arithmetic", threads, work);
  });
  double const instructions =
      double{Chains::chains + Chains::additions} * Chains::iterations * Chains::lanes;
  return instructions * static_cast<double>(threads) / timing.least;
}

template <class Real>
void measure_again(ArithmeticRates& rates, ExecutionSpace const& space) {
  rates.multiply_adds = std::max(rates.multiply_adds, arithmetic_rate<Real, false>(space));
  // Multiply-adds alone are a mixture as well.
  rates.mixed = std::max({rates.mixed, rates.multiply_adds, arithmetic_rate<Real, true>(space)});
}

bool is_wide(forces::Precision precision) {
  return precision == forces::Precision::double_precision;
}

}  // namespace

ArithmeticRates& ArithmeticLimits::rates(forces::Precision precision) {
  return is_wide(precision) ? double_precision : single_precision;
}

ArithmeticRates const& ArithmeticLimits::rates(forces::Precision precision) const {
  return is_wide(precision) ? double_precision : single_precision;
}

void ArithmeticLimits::measure(forces::Precision precision) {
  ExecutionSpace const space;
  if (is_wide(precision)) {
    measure_again<double>(double_precision, space);
  } else {
    measure_again<float>(single_precision, space);
  }
  rates(precision).measured = std::chrono::steady_clock::now();
}

void ArithmeticLimits::refresh(forces::Precision precision) {
  constexpr double interval = 1.0;  // [s]
  if (seconds_since(rates(precision).measured) > interval) measure(precision);
}

ArithmeticLimits measure_arithmetic_limits() {
  ArithmeticLimits limits;
  limits.measure(forces::Precision::single_precision);
  limits.measure(forces::Precision::double_precision);
  return limits;
}

Operations operations_per_interaction(forces::Precision precision, bool pairwise, int derivatives) {
  int const displacement = (precision == forces::Precision::mixed ? 9 : 3) + 3 * derivatives;
  int const square = 3;
  // The cube for a unit mass; each body multiplies it by the mass of the other.
  int const cube =
      (is_wide(precision) ? simd::cube_operations<double> : simd::cube_operations<float>)-1;
  int const sums = 3 * (1 + derivatives);
  // w, p and the division of the jerk by f; q and the division of the snap by f.
  int const rates[]{0, 2 + 4 + 1 + 3, 2 + 4 + 1 + 3 + 8 + 3 + 1 + 6};
  // One sum in q is of two results.
  int const shared_additions = displacement + (derivatives == 2 ? 1 : 0);
  int const shared = displacement + square + cube + rates[derivatives];
  int const per_target = 1 + sums;
  double const share = pairwise ? 0.5 : 1.0;
  return {(shared - shared_additions) * share + per_target, shared_additions * share};
}

double highest_rate(ArithmeticRates const& rates, Operations const& operations) {
  return 1.0 / std::max(operations.multiply_adds / rates.multiply_adds,
                        (operations.multiply_adds + operations.additions) / rates.mixed);
}

}  // namespace apsis::benchmark
