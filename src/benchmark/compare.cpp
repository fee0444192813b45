// SPDX-License-Identifier: Apache-2.0
#include <apsis/benchmark/compare.hpp>
#include <apsis/benchmark/sample.hpp>
#include <apsis/bodies/transfer.hpp>
#include <apsis/diagnostics/reference_field.hpp>
#include <apsis/forces/direct.hpp>

#include <cmath>

namespace apsis::benchmark {

namespace {

constexpr forces::Gravity gravity{1.0, 0.01};
constexpr double far_away = 1e6;  // [length] along each axis

AccuracyLimits limits_of(forces::Precision precision) {
  switch (precision) {
    case forces::Precision::double_precision:
      return {{.median = 2e-15, .p99 = 2e-14, .maximum = 1e-12}, 2e-14};
    case forces::Precision::mixed:
      return {{.median = 1e-6, .p99 = 1e-5, .maximum = 1e-3}, 1e-6};
    default:
      return {{.median = 2e-6, .p99 = 2e-5, .maximum = 2e-3}, 2e-6};
  }
}

std::optional<AccuracyLimits> limits_of(forces::Precision precision, std::string const& kernel,
                                        std::size_t bodies, bool far) {
  bool const single = precision == forces::Precision::single_precision;
  // Coordinates of 24 bits far from the origin say little about distances.
  if (single && far) return std::nullopt;
  auto limits = limits_of(precision);
  if (kernel == "pairwise_atomic") {
    // One sum over all bodies, without tiles: its rounding walks at random.
    double const walk = (single ? 0x1p-24 : 0x1p-53) * std::sqrt(static_cast<double>(bodies));
    limits.acceleration.median += 0.5 * walk;
    limits.acceleration.p99 += 1.5 * walk;
    limits.acceleration.maximum += 10.0 * walk;
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
Comparison compared(ExecutionSpace const& space, Configuration const& on,
                    std::string const& kernel) {
  auto const bodies = to_device<typename Number::Stored>(space, on.bodies);
  Column<double> const potential(Kokkos::view_alloc(space, "apsis::benchmark::potential"),
                                 bodies.size());
  forces::Direct<Number>(gravity, forces::DirectOptions{kernel})
      .evaluate(space, forces::accelerations_of(bodies, potential));
  space.fence("apsis::benchmark::compare: the host reads");
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.acceleration);
  auto const phi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), potential);

  std::vector<double> of_acceleration, of_potential;
  for (std::size_t i = 0; i < on.bodies.size(); ++i) {
    Vec3<double> const found{a(i, 0), a(i, 1), a(i, 2)};
    auto const expected = on.expected.acceleration[i];
    of_acceleration.push_back(diagnostics::relative_error(norm(found - expected), norm(expected)));
    of_potential.push_back(diagnostics::relative_error(std::abs(phi(i) - on.expected.potential[i]),
                                                       std::abs(on.expected.potential[i])));
  }
  auto const precision = forces::precision_for<Number>;
  return {on.name,
          kernel,
          precision,
          diagnostics::percentiles(std::move(of_acceleration)),
          diagnostics::percentiles(std::move(of_potential)),
          limits_of(precision, kernel, on.bodies.size(), on.far)};
}

}  // namespace

bool Comparison::passed() const {
  if (!limits) return true;
  auto const& most = limits->acceleration;
  return acceleration.median <= most.median && acceleration.p99 <= most.p99 &&
         acceleration.maximum <= most.maximum && potential.maximum <= limits->potential;
}

void compare(std::size_t bodies, std::vector<forces::Precision> const& precisions,
             std::vector<std::string> const& kernels,
             std::function<void(Comparison const&)> const& tell) {
  ExecutionSpace const space;
  for (bool const far : {false, true}) {
    Configuration on{far ? "offset 1e6" : "at origin", far, sample(bodies), {}};
    if (far) {
      for (auto& x : on.bodies.position) x += {far_away, far_away, far_away};
    }
    on.expected = diagnostics::reference_field(on.bodies, gravity);
    for (auto const precision : precisions) {
      forces::in_precision(precision, [&]<class Number>(Number) {
        for (auto const& kernel : kernels) tell(compared<Number>(space, on, kernel));
      });
    }
  }
}

}  // namespace apsis::benchmark
