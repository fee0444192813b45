// SPDX-License-Identifier: Apache-2.0
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/direct.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

using namespace apsis;
using namespace apsis::testing;

namespace {

/// Position of a body in two numbers, far from the origin: the low part holds digits that matter
/// for the separations of bodies that are close to each other.
struct SplitBodies {
  HostBodies host;
  std::vector<Vec3<double>> low;
};

SplitBodies close_bodies(std::size_t count) {
  SplitBodies bodies{sample_bodies(count), {}};
  for (std::size_t i = 0; i < count; ++i) {
    auto const exact = 1e-9 * bodies.host.position[i];
    Vec3<double> const place{3.0, -7.0, 1.0};
    bodies.host.position[i] = place + exact;
    bodies.low.push_back(exact - (bodies.host.position[i] - place));
    bodies.host.mass[i] = i % 3 == 0 ? 0.0 : bodies.host.mass[i];
  }
  return bodies;
}

using Triple = std::array<long double, 3>;

/// Acceleration and jerk of body i, from both parts of the positions.
std::array<Triple, 2> reference(SplitBodies const& bodies, std::size_t i, double softening) {
  std::array<Triple, 2> result{};
  auto const& host = bodies.host;
  auto const components = [](Vec3<double> const& v) { return Triple{v.x, v.y, v.z}; };
  for (std::size_t j = 0; j < host.size(); ++j) {
    if (j == i) continue;
    Triple d{}, v{};
    long double squared = static_cast<long double>(softening) * softening, radial = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      d[k] = (components(host.position[j])[k] - components(host.position[i])[k]) +
             (components(bodies.low[j])[k] - components(bodies.low[i])[k]);
      v[k] = components(host.velocity[j])[k] - components(host.velocity[i])[k];
      squared += d[k] * d[k];
      radial += d[k] * v[k];
    }
    long double const f = host.mass[j] / (squared * std::sqrt(squared));
    for (std::size_t k = 0; k < 3; ++k) {
      result[0][k] += f * d[k];
      result[1][k] += f * (v[k] - 3 * radial / squared * d[k]);
    }
  }
  return result;
}

template <class View>
long double relative_distance(View const& values, std::size_t row, Triple const& expected) {
  long double difference = 0, size = 0;
  for (int k = 0; k < 3; ++k) {
    auto const axis = static_cast<std::size_t>(k);
    difference = std::max(difference, std::abs(values(row, k) - expected[axis]));
    size = std::max(size, std::abs(expected[axis]));
  }
  return difference / size;
}

}  // namespace

TEST_CASE("derivatives in double include the low parts of positions, of all bodies or of some" *
          testing::thread_counts) {
  ExecutionSpace const space;
  for (double const softening : {0.0, 1e-10}) {
    for (bool const excludes_massless : {false, true}) {
      for (bool const is_listed : {false, true}) {
        CAPTURE(softening);
        CAPTURE(excludes_massless);
        CAPTURE(is_listed);
        auto const split = close_bodies(13);
        auto const bodies = to_device<double>(space, split.host);
        VectorColumns<double> const low("apsis::testing::low", 13);
        auto const low_on_host = Kokkos::create_mirror_view(low);
        for (std::size_t i = 0; i < 13; ++i) {
          low_on_host(i, 0) = split.low[i].x;
          low_on_host(i, 1) = split.low[i].y;
          low_on_host(i, 2) = split.low[i].z;
        }
        Kokkos::deep_copy(low, low_on_host);
        forces::BodyList const list("apsis::testing::list", 4);
        auto const list_on_host = Kokkos::create_mirror_view(list);
        for (std::size_t k = 0; k < 4; ++k) list_on_host(k) = 3 * k + 2;
        Kokkos::deep_copy(list, list_on_host);
        auto const rows = is_listed ? forces::BodyRows::listed(list, 4) : forces::BodyRows::all(13);
        forces::Field<double> field;
        field.wants = forces::Wants::acceleration | forces::Wants::jerk;
        field.acceleration = VectorColumns<double>("apsis::testing::acceleration", 13);
        field.jerk = VectorColumns<double>("apsis::testing::jerk", 13);
        forces::Direct<forces::Double> solver({1.0, softening});
        if (excludes_massless) solver.exclude_massless_sources(space, bodies.mass);
        auto request = forces::field_at(bodies, rows, field);
        request.set_low_parts(low);
        solver.evaluate(space, request);
        space.fence();
        auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.acceleration);
        auto const jerk = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.jerk);
        for (std::size_t row = 0; row < rows.size(); ++row) {
          auto const expected = reference(split, is_listed ? 3 * row + 2 : row, softening);
          // The separations have eight digits less without the low parts.
          CHECK(relative_distance(a, row, expected[0]) < 1e-13L);
          CHECK(relative_distance(jerk, row, expected[1]) < 1e-13L);
        }
      }
    }
  }
}
