// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kepler_step.hpp"
#include "lanes/over_cubed_root.hpp"
#include "planetary_system.hpp"
#include <apsis/bodies/bodies.hpp>

namespace apsis::integrators {

/// Positions and velocities of massless bodies relative to their frames, one row per body of this
/// rank; rows of massive bodies are not used.
struct MasslessOrbits {
  VectorColumns<double> position, velocity;
  Kokkos::View<int*, MemorySpace> frame{};  ///< see KickProgram
};

/// Kernel that executes a program of drifts and kicks. Each call advances orbit_lanes consecutive
/// bodies: first by `lasting` instructions, with the result in `orbits`, then by the others, with
/// the result in the bodies, in inertial coordinates.
struct MasslessKernel {
  MasslessOrbits orbits;
  Bodies<double> bodies;
  bool writes_bodies;
  std::size_t lasting, instructions;
  std::size_t source_count, stride;
  Kokkos::View<double const*, MemorySpace> program;    ///< numbers of a KickProgram
  Kokkos::View<double const*, MemorySpace> strengths;  ///< G m of each source, mu of each frame
  Kokkos::View<double const*, MemorySpace> frames;  ///< at the end: position and velocity, 6 each

  /// Calls of operator() for so many bodies.
  static std::size_t calls(std::size_t bodies) { return (bodies + orbit_lanes - 1) / orbit_lanes; }

  KOKKOS_FUNCTION void operator()(std::size_t call) const {
    Pack pack;
    load(pack, call * orbit_lanes);
    for (std::size_t i = 0; i < lasting; ++i) execute(pack, program.data() + i * stride);
    for (int lane = 0; lane < orbit_lanes; ++lane) {
      if (!pack.is_massless[lane]) continue;
      for (int axis = 0; axis < 3; ++axis) {
        orbits.position(pack.row[lane], axis) = simd::lane<double>(pack.x[axis], lane);
        orbits.velocity(pack.row[lane], axis) = simd::lane<double>(pack.v[axis], lane);
      }
    }
    if (!writes_bodies) return;
    for (std::size_t i = lasting; i < instructions; ++i) {
      execute(pack, program.data() + i * stride);
    }
    for (int axis = 0; axis < 3; ++axis) {
      OrbitLanes const x = pack.x[axis] + of_frames(pack, frames.data(), axis);
      OrbitLanes const v = pack.v[axis] + of_frames(pack, frames.data(), 3 + axis);
      for (int lane = 0; lane < orbit_lanes; ++lane) {
        if (!pack.is_massless[lane]) continue;
        bodies.position(pack.row[lane], axis) = simd::lane<double>(x, lane);
        bodies.velocity(pack.row[lane], axis) = simd::lane<double>(v, lane);
      }
    }
  }

 private:
  struct Pack {
    OrbitLanes x[3], v[3], mu;
    OrbitLanes undisplaced[3];  ///< positions before the first half of a lazy kick
    OrbitLanes indirect;        ///< mu where the frame is not the dominant body, else 0
    std::size_t row[orbit_lanes];
    int frame[orbit_lanes];
    bool is_massless[orbit_lanes];
    bool has_one_frame;
  };

  /// Loads consecutive rows. Lanes of massive bodies and beyond the end are on a circle.
  KOKKOS_FUNCTION void load(Pack& pack, std::size_t first) const {
    pack.has_one_frame = true;
    for (int lane = 0; lane < orbit_lanes; ++lane) {
      std::size_t const row = first + static_cast<std::size_t>(lane);
      bool const is_massless = row < bodies.mass.extent(0) && bodies.mass(row) == 0.0;
      pack.row[lane] = row;
      pack.is_massless[lane] = is_massless;
      pack.frame[lane] = is_massless ? orbits.frame(row) : 0;
      pack.has_one_frame = pack.has_one_frame && pack.frame[lane] == pack.frame[0];
      for (int axis = 0; axis < 3; ++axis) {
        simd::set_lane<double>(pack.x[axis], lane,
                               is_massless ? orbits.position(row, axis)
                               : axis == 0 ? 1.0
                                           : 0.0);
        simd::set_lane<double>(pack.v[axis], lane,
                               is_massless ? orbits.velocity(row, axis)
                               : axis == 1 ? 1.0
                                           : 0.0);
      }
      double const mu = is_massless ? strengths(source_count + pack.frame[lane]) : 1.0;
      simd::set_lane<double>(pack.mu, lane, mu);
      simd::set_lane<double>(pack.indirect, lane, pack.frame[lane] > 0 ? mu : 0.0);
    }
  }

  /// Number `place` of the six numbers of each lane's frame.
  KOKKOS_FUNCTION OrbitLanes of_frames(Pack const& pack, double const* table, int place) const {
    if (pack.has_one_frame) return orbit::all_lanes(table[6 * pack.frame[0] + place]);
    OrbitLanes result{};
    for (int lane = 0; lane < orbit_lanes; ++lane) {
      simd::set_lane<double>(result, lane, table[6 * pack.frame[lane] + place]);
    }
    return result;
  }

  KOKKOS_FUNCTION void execute(Pack& pack, double const* numbers) const {
    if (numbers[KickProgram::drift] != 0.0) {
      kepler_step(pack.x, pack.v, pack.mu, orbit::all_lanes(numbers[KickProgram::drift]));
    }
    double const dt = numbers[KickProgram::kick], probe = numbers[KickProgram::probe];
    if (dt == 0.0 && probe == 0.0) return;
    for (int axis = 0; axis < 3; ++axis) {
      pack.x[axis] = pack.x[axis] + numbers[KickProgram::shift_before + axis];
    }
    OrbitLanes a[3];
    perturb(pack, numbers + KickProgram::sources, a);
    for (int axis = 0; axis < 3; ++axis) {
      if (probe != 0.0) {
        pack.undisplaced[axis] = pack.x[axis];
        pack.x[axis] = pack.x[axis] + probe * a[axis];
        continue;
      }
      pack.v[axis] = pack.v[axis] + dt * a[axis];
      if (numbers[KickProgram::is_second] != 0.0) pack.x[axis] = pack.undisplaced[axis];
      pack.x[axis] = pack.x[axis] + numbers[KickProgram::shift_after + axis];
    }
  }

  /// Acceleration by all sources, less that of the frame and that of the Kepler orbit about it.
  KOKKOS_FUNCTION void perturb(Pack const& pack, double const* sources, OrbitLanes (&a)[3]) const {
    double const* const table = sources + 3 * source_count;
    OrbitLanes place[3];
    for (int axis = 0; axis < 3; ++axis) {
      place[axis] = pack.x[axis] + of_frames(pack, table, axis);
      a[axis] = -of_frames(pack, table, 3 + axis);
    }
    // About the dominant body its attraction is that of the orbit.
    if (orbit::any(pack.indirect > 0.0)) {
      OrbitLanes const is_indirect =
          orbit::select(pack.indirect > 0.0, orbit::all_lanes(1.0), OrbitLanes{});
      add(is_indirect * strengths(0), place, sources, a);
      OrbitLanes const factor = pack.indirect * over_cube(pack.x);
      for (int axis = 0; axis < 3; ++axis) a[axis] = a[axis] + factor * pack.x[axis];
    }
    for (std::size_t j = 1; j < source_count; ++j) {
      add(orbit::all_lanes(strengths(j)), place, sources + 3 * j, a);
    }
  }

  KOKKOS_FUNCTION static void add(OrbitLanes strength, OrbitLanes const (&place)[3],
                                  double const* source, OrbitLanes (&a)[3]) {
    OrbitLanes const d[]{source[0] - place[0], source[1] - place[1], source[2] - place[2]};
    OrbitLanes const factor = strength * over_cube(d);
    for (int axis = 0; axis < 3; ++axis) a[axis] = a[axis] + factor * d[axis];
  }

  KOKKOS_FUNCTION static OrbitLanes over_cube(OrbitLanes const (&d)[3]) {
    return simd::over_cubed_root(1.0, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  }
};

}  // namespace apsis::integrators
