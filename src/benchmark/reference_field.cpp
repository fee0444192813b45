// SPDX-License-Identifier: Apache-2.0
#include <apsis/benchmark/reference_field.hpp>

#include <cmath>

namespace apsis::benchmark {

namespace {

struct CompensatedSum {
  double sum = 0.0;
  double lost = 0.0;

  void add(double term) {
    double const next = sum + term;
    lost += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  double value() const { return sum + lost; }
};

}  // namespace

Field reference_field(HostBodies const& bodies, forces::Gravity gravity) {
  std::size_t const count = bodies.size();
  Field field{std::vector<Vec3<double>>(count), std::vector<double>(count)};
  double const eps_squared = gravity.softening * gravity.softening;
  Kokkos::parallel_for(
      "apsis::benchmark::reference_field",
      Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<std::size_t>>(0,
                                                                                             count),
      [&](std::size_t i) {
        CompensatedSum x, y, z, depth;
        for (std::size_t j = 0; j < count; ++j) {
          auto const r = bodies.position[j] - bodies.position[i];
          double const squared = dot(r, r) + eps_squared;
          if (j == i || bodies.mass[j] == 0.0) continue;
          double const distance = std::sqrt(squared);
          depth.add(bodies.mass[j] / distance);
          if (squared == 0.0) continue;
          double const pull = bodies.mass[j] / (squared * distance);
          x.add(pull * r.x);
          y.add(pull * r.y);
          z.add(pull * r.z);
        }
        field.acceleration[i] = gravity.G * Vec3<double>{x.value(), y.value(), z.value()};
        field.potential[i] = -gravity.G * depth.value();
      });
  Kokkos::DefaultHostExecutionSpace().fence("apsis::benchmark::reference_field");
  return field;
}

}  // namespace apsis::benchmark
