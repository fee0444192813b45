// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include "diagnostics/force_error_sample.hpp"
#include "sample.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/direct.hpp>

#include <cmath>

namespace apsis::benchmark {

namespace {

constexpr forces::Gravity gravity{1.0, 0.01};
constexpr double far_away = 1e6;  // [length] along each axis

AccuracyLimits find_limits(forces::Precision precision) {
  switch (precision) {
    case forces::Precision::double_precision:
      return {{.median = 2e-15, .p99 = 2e-14, .maximum = 1e-12}, 2e-14};
    case forces::Precision::mixed:
      return {{.median = 1e-6, .p99 = 1e-5, .maximum = 1e-3}, 1e-6};
    default:
      return {{.median = 2e-6, .p99 = 2e-5, .maximum = 2e-3}, 2e-6};
  }
}

std::optional<AccuracyLimits> find_limits(forces::Precision precision, std::string const& kernel,
                                          std::size_t bodies, bool far) {
  bool const single = precision == forces::Precision::single_precision;
  // 24-bit coordinates far from the origin have too few digits for distances.
  if (single && far) return std::nullopt;
  auto limits = find_limits(precision);
  if (kernel == "pairwise_atomic") {
    // One sum over all bodies, without tiles: its rounding errors do a random walk.
    double const random_walk =
        (single ? 0x1p-24 : 0x1p-53) * std::sqrt(static_cast<double>(bodies));
    limits.acceleration.median += 0.5 * random_walk;
    limits.acceleration.p99 += 1.5 * random_walk;
    limits.acceleration.maximum += 10.0 * random_walk;
  }
  return limits;
}

struct Configuration {
  std::string name;
  bool far;
  HostBodies bodies;
  diagnostics::Field expected;
};

template <class Number>
Comparison compare_kernel(ExecutionSpace const& space, Configuration const& configuration,
                          std::string const& kernel) {
  auto const bodies = to_device<typename Number::Stored>(space, configuration.bodies);
  Column<double> const potential(Kokkos::view_alloc(space, "apsis::benchmark::potential"),
                                 bodies.size());
  forces::Direct<Number>(gravity, forces::DirectOptions{kernel})
      .evaluate(space, forces::accelerations_of(bodies, &potential));
  space.fence("apsis::benchmark::compare: the host reads");
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.acceleration);
  auto const phi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), potential);

  std::vector<double> acceleration_errors, potential_errors;
  for (std::size_t i = 0; i < configuration.bodies.size(); ++i) {
    Vec3<double> const acceleration{a(i, 0), a(i, 1), a(i, 2)};
    auto const expected = configuration.expected.acceleration[i];
    acceleration_errors.push_back(
        diagnostics::relative_error(norm(acceleration - expected), norm(expected)));
    potential_errors.push_back(
        diagnostics::relative_error(std::abs(phi(i) - configuration.expected.potential[i]),
                                    std::abs(configuration.expected.potential[i])));
  }
  auto const precision = forces::precision_for<Number>;
  return {configuration.name,
          kernel,
          precision,
          diagnostics::percentiles(std::move(acceleration_errors)),
          diagnostics::percentiles(std::move(potential_errors)),
          find_limits(precision, kernel, configuration.bodies.size(), configuration.far)};
}

}  // namespace

bool Comparison::passed() const {
  if (!limits) return true;
  auto const& limit = limits->acceleration;
  return acceleration.median <= limit.median && acceleration.p99 <= limit.p99 &&
         acceleration.maximum <= limit.maximum && potential.maximum <= limits->potential;
}

void compare(std::size_t bodies, std::vector<forces::Precision> const& precisions,
             std::vector<std::string> const& kernels,
             std::function<void(Comparison const&)> const& report) {
  ExecutionSpace const space;
  for (bool const far : {false, true}) {
    Configuration configuration{far ? "offset 1e6" : "at origin", far, sample(bodies), {}};
    if (far) {
      for (auto& x : configuration.bodies.position) x += {far_away, far_away, far_away};
    }
    configuration.expected = diagnostics::reference_field(configuration.bodies, gravity);
    for (auto const precision : precisions) {
      forces::in_precision(precision, [&]<class Number>(Number) {
        for (auto const& kernel : kernels)
          report(compare_kernel<Number>(space, configuration, kernel));
      });
    }
  }
}

}  // namespace apsis::benchmark
