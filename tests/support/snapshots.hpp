// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/formats/snapshot.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace apsis::testing {

/// Bodies with numbers that use all bits, in columns.
template <class Real>
struct SnapshotSample {
  std::vector<Real> position, velocity, mass, acceleration;
  std::vector<std::uint64_t> id;
  std::vector<double> potential;
  formats::SnapshotHeader header;

  explicit SnapshotSample(std::size_t count) {
    for (std::size_t i = 0; i < 3 * count; ++i) {
      auto const t = static_cast<double>(i);
      position.push_back(static_cast<Real>(std::sin(t) * std::exp(std::cos(t))));
      velocity.push_back(static_cast<Real>(std::cos(1.7 * t) / 3.0));
      acceleration.push_back(static_cast<Real>(-std::sin(t) / 7.0));
    }
    for (std::size_t i = 0; i < count; ++i) {
      auto const t = static_cast<double>(i);
      mass.push_back(static_cast<Real>(1.0 / (t + 3.0)));
      potential.push_back(-1.0 / (t + 0.3));
      // Ids that a double cannot represent.
      id.push_back((std::uint64_t{1} << 60) + 2 * (count - i) + 1);
    }
    if (count > 2) {
      position[0] = std::numeric_limits<Real>::denorm_min();
      position[1] = std::numeric_limits<Real>::max();
      velocity[2] = Real(-0.0);
      mass[2] = Real(0);
    }
    header.count = count;
    header.step = (std::uint64_t{1} << 40) + 3;
    header.time_step = 1.0 / 3.0;
    header.time = static_cast<double>(header.step) * header.time_step;
    header.units = unit_systems().get("astrophysical");
    header.title = "a sample";
    header.deck = "{\"title\": \"a sample\"}";
    header.precision = sizeof(Real) == sizeof(double) ? "double" : "single";
    header.backend = "serial";
    header.device = "a machine";
    header.gravity = formats::GravityScheme{"fmm", "spline", {0, 0.1, 0.2, 0.3, 0.4, 0.5}, 1e-4};
  }

  ColumnSpans<Real> columns() const { return {position, velocity, mass, id, {}, {}}; }
  ColumnSpans<Real> all_columns() const {
    return {position, velocity, mass, id, acceleration, potential};
  }

  /// Whether a snapshot has the same content, to the last bit.
  bool same(formats::Snapshot const& read) const {
    auto const n = header.count;
    auto const& bodies = read.bodies;
    bool equal = bodies.size() == n && bodies.id == id && read.time == header.time &&
                 read.step == header.step && read.time_step == header.time_step &&
                 read.deck == header.deck && read.unit_system == header.units.system &&
                 read.units.has_value() == header.units.si.has_value() && read.unused.empty();
    auto const vector = [&](std::vector<Real> const& column, Vec3<double> const& v, std::size_t i) {
      return column[i] == v.x && column[n + i] == v.y && column[2 * n + i] == v.z &&
             std::signbit(column[2 * n + i]) == std::signbit(v.z);
    };
    for (std::size_t i = 0; equal && i < n; ++i) {
      equal = mass[i] == bodies.mass[i] && vector(position, bodies.position[i], i) &&
              vector(velocity, bodies.velocity[i], i);
    }
    return equal;
  }
};

}  // namespace apsis::testing
