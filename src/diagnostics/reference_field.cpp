// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/force_error_sample.hpp"
#include <apsis/core/backend.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace apsis::diagnostics {

namespace {

/// Compensated (Kahan-Neumaier) sum.
struct CompensatedSum {
  double sum = 0.0;
  double lost = 0.0;  ///< sum of the rounding errors

  void add(double term) {
    double const next = sum + term;
    lost += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  /// The sum with its correction; an infinite sum has none.
  double value() const { return std::isfinite(sum) ? sum + lost : sum; }
};

/// Interaction with one source, without the factor G.
struct Pair {
  double depth;                ///< -potential
  double acceleration_factor;  ///< acceleration divided by the displacement
};

/// Softening kernels as functions of u = r / H, as in the documentation of SWIFT: the potential is
/// -G m / H * depth, the acceleration G m / H^3 * acceleration_factor * r.
Pair wendland_c2(double u) {
  return {3.0 - u * u * (7.0 - u * u * (21.0 - u * (28.0 - u * (15.0 - 3.0 * u)))),
          14.0 + u * u * (-84.0 + u * (140.0 + u * (-90.0 + 21.0 * u)))};
}
Pair cubic_spline(double u) {
  if (u < 0.5) {
    return {2.8 - u * u * (16.0 / 3.0 - u * u * (9.6 - 6.4 * u)),
            32.0 / 3.0 - u * u * (38.4 - 32.0 * u)};
  }
  return {3.2 - 1.0 / (15.0 * u) - u * u * (32.0 / 3.0 - u * (16.0 - u * (9.6 - 32.0 / 15.0 * u))),
          64.0 / 3.0 - 48.0 * u + 38.4 * u * u - 32.0 / 3.0 * u * u * u - 1.0 / (15.0 * u * u * u)};
}

/// Pair interaction, implemented independently of the pair law of the force kernels, which are
/// tested with it. Without softening, bodies at the same position do not accelerate each other.
/// With softening, the displacement of 0 makes the acceleration 0.
Pair pair_of(double m, double squared_distance, forces::Gravity const& gravity, double softening) {
  if (forces::has_size(gravity.with_one_length(softening))) {
    bool const spline = gravity.softening_kernel == forces::SofteningKernel::spline;
    double const H = (spline ? 2.8 : 3.0) * softening;
    double const u = std::sqrt(squared_distance) / H;
    if (u < 1.0) {
      auto const kernel = spline ? cubic_spline(u) : wendland_c2(u);
      return {m / H * kernel.depth, m / (H * H * H) * kernel.acceleration_factor};
    }
  }
  // Outside of a softening kernel of finite size gravity is unsoftened.
  double const eps = forces::has_size(gravity) ? 0.0 : softening;
  double const squared = squared_distance + eps * eps;
  double const distance = std::sqrt(squared);
  return {m / distance, squared > 0.0 ? m / (squared * distance) : 0.0};
}

}  // namespace

Field reference_field(HostBodies const& bodies, forces::Gravity gravity,
                      std::vector<std::size_t> const& targets, Poll const& poll) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  std::size_t const count = bodies.size();
  Field field{std::vector<Vec3<double>>(targets.size()), std::vector<double>(targets.size())};
  auto const sum_rows = [&](std::size_t begin, std::size_t end) {
    Kokkos::parallel_for(
        "apsis::diagnostics::reference_field", index_range(Host(), begin, end),
        [&](std::size_t row) {
          std::size_t const i = targets[row];
          CompensatedSum x, y, z, depth;
          for (std::size_t j = 0; j < count; ++j) {
            if (j == i || bodies.mass[j] == 0.0) continue;
            auto const r = bodies.position[j] - bodies.position[i];
            auto const pair =
                pair_of(bodies.mass[j], dot(r, r), gravity,
                        gravity.pair_softening(bodies.species_of(i), bodies.species_of(j)));
            depth.add(pair.depth);
            x.add(pair.acceleration_factor * r.x);
            y.add(pair.acceleration_factor * r.y);
            z.add(pair.acceleration_factor * r.z);
          }
          field.acceleration[row] = gravity.G * Vec3<double>{x.value(), y.value(), z.value()};
          field.potential[row] = -gravity.G * depth.value();
        });
    Host().fence("apsis::diagnostics::reference_field");
  };
  // About 20 ms of each thread.
  constexpr std::size_t pairs_per_batch = std::size_t{1} << 21;
  auto const threads = static_cast<std::size_t>(Host().concurrency());
  std::size_t const batch =
      poll ? threads * std::max<std::size_t>(1, pairs_per_batch / std::max<std::size_t>(1, count))
           : targets.size();
  for (std::size_t begin = 0; begin < targets.size(); begin += batch) {
    if (begin > 0) poll(static_cast<double>(begin) / static_cast<double>(targets.size()));
    sum_rows(begin, std::min(targets.size(), begin + batch));
  }
  return field;
}

Field reference_field(HostBodies const& bodies, forces::Gravity gravity) {
  std::vector<std::size_t> targets(bodies.size());
  std::iota(targets.begin(), targets.end(), std::size_t{0});
  return reference_field(bodies, gravity, targets);
}

}  // namespace apsis::diagnostics
