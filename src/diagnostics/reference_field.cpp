// SPDX-License-Identifier: Apache-2.0
#include <apsis/diagnostics/reference_field.hpp>

#include <cmath>
#include <numeric>

namespace apsis::diagnostics {

namespace {

struct CompensatedSum {
  double sum = 0.0;
  double lost = 0.0;

  void add(double term) {
    double const next = sum + term;
    lost += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  /// An infinite sum has lost no digits.
  double value() const { return std::isfinite(sum) ? sum + lost : sum; }
};

/// What a source does at a squared distance, but for G and the direction.
struct Pair {
  double depth;  ///< of its potential
  double pull;   ///< to be multiplied by the displacement
};

/// Written without a look at the kernels' pair law, which it judges. Bodies in one place do not
/// pull on each other unless they are softened, and then there is nothing to multiply.
Pair pair_of(double m, double squared_distance, forces::Gravity const& gravity) {
  double const squared = squared_distance + gravity.softening * gravity.softening;
  double const distance = std::sqrt(squared);
  return {m / distance, squared > 0.0 ? m / (squared * distance) : 0.0};
}

}  // namespace

Field reference_field(HostBodies const& bodies, forces::Gravity gravity,
                      std::vector<std::size_t> const& targets) {
  std::size_t const count = bodies.size();
  Field field{std::vector<Vec3<double>>(targets.size()), std::vector<double>(targets.size())};
  Kokkos::parallel_for(
      "apsis::diagnostics::reference_field",
      Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<std::size_t>>(
          0, targets.size()),
      [&](std::size_t row) {
        std::size_t const i = targets[row];
        CompensatedSum x, y, z, depth;
        for (std::size_t j = 0; j < count; ++j) {
          if (j == i || bodies.mass[j] == 0.0) continue;
          auto const r = bodies.position[j] - bodies.position[i];
          auto const pair = pair_of(bodies.mass[j], dot(r, r), gravity);
          depth.add(pair.depth);
          x.add(pair.pull * r.x);
          y.add(pair.pull * r.y);
          z.add(pair.pull * r.z);
        }
        field.acceleration[row] = gravity.G * Vec3<double>{x.value(), y.value(), z.value()};
        field.potential[row] = -gravity.G * depth.value();
      });
  Kokkos::DefaultHostExecutionSpace().fence("apsis::diagnostics::reference_field");
  return field;
}

Field reference_field(HostBodies const& bodies, forces::Gravity gravity) {
  std::vector<std::size_t> all(bodies.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return reference_field(bodies, gravity, all);
}

}  // namespace apsis::diagnostics
