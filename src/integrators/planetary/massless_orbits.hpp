// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes/over_cubed_root.hpp"
#include "planetary_system.hpp"
#include "unresolved.hpp"
#include <apsis/bodies/bodies.hpp>

namespace apsis::integrators {

/// Positions and velocities of massless bodies relative to their frames, one row per body of this
/// rank; rows of massive bodies are not used.
struct MasslessOrbits {
  VectorColumns<double> position, velocity;
  Kokkos::View<int*, MemorySpace> frame{};  ///< see KickProgram
};

/// First passage of each massless body that the scheme does not resolve, see unresolved.hpp.
struct MasslessFindings {
  VectorColumns<double> passage;  ///< measure (negative for a pericentre), distance, time
  Column<double> massive;         ///< index of the massive body among the sources
};

/// Kernel that executes a program of drifts and kicks. Each call advances orbit_lanes consecutive
/// bodies: first by `lasting` instructions, with the result in `orbits`, then by the others, with
/// the result in the bodies, in inertial coordinates.
struct MasslessKernel {
  MasslessOrbits orbits;
  MasslessFindings findings;
  Bodies<double> bodies;
  bool writes_bodies;
  std::size_t lasting, instructions;
  std::size_t source_count, stride;
  Kokkos::View<double const*, MemorySpace> program;    ///< numbers of a KickProgram
  Kokkos::View<double const*, MemorySpace> strengths;  ///< G m of each source, mu of each frame
  Kokkos::View<double const*, MemorySpace> encounter;  ///< PlanetarySystem::encounter_ratios()
  double step_squared;
  Kokkos::View<double const*, MemorySpace> frames;  ///< at the end: position and velocity, 6 each

  /// Calls of operator() for so many bodies.
  static std::size_t calls(std::size_t bodies) { return (bodies + orbit_lanes - 1) / orbit_lanes; }

  KOKKOS_FUNCTION void operator()(std::size_t call) const {
    Pack pack;
    load(pack, call * orbit_lanes);
    for (std::size_t i = 0; i < lasting; ++i) execute(pack, program.data() + i * stride);
    pack.is_watched = false;
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
    bool is_watched;  ///< whether passages are noted
  };

  /// Loads consecutive rows. Lanes of massive bodies and beyond the end are on a circle.
  KOKKOS_FUNCTION void load(Pack& pack, std::size_t first) const {
    constexpr double slow = 1e-15;
    pack.has_one_frame = pack.is_watched = true;
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
                               : axis == 1 ? slow
                                           : 0.0);
      }
      double const mu = is_massless ? strengths(source_count + pack.frame[lane]) : slow * slow;
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
      auto const step =
          kepler_step(pack.x, pack.v, pack.mu, orbit::all_lanes(numbers[KickProgram::drift]));
      auto const is_coarse = step.is_coarse(pack.mu, step_squared, largest_angle_squared);
      if (pack.is_watched && orbit::any(is_coarse)) note_pericentres(pack, step, numbers);
    }
    double const dt = numbers[KickProgram::kick], probe = numbers[KickProgram::probe];
    if (dt == 0.0 && probe == 0.0) return;
    for (int axis = 0; axis < 3; ++axis) {
      pack.x[axis] = pack.x[axis] + numbers[KickProgram::shift_before + axis];
    }
    OrbitLanes a[3];
    bool const is_close = perturb(pack, numbers + KickProgram::sources, a);
    if (is_close && pack.is_watched) note_encounters(pack, numbers);
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
  /// Returns whether any lane may have an encounter.
  KOKKOS_FUNCTION bool perturb(Pack const& pack, double const* sources, OrbitLanes (&a)[3]) const {
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
      OrbitLanes const factor = pack.indirect * simd::over_cubed_root(1.0, square_of(pack.x));
      for (int axis = 0; axis < 3; ++axis) a[axis] = a[axis] + factor * pack.x[axis];
    }
    OrbitLanes const star[]{sources[0] - place[0], sources[1] - place[1], sources[2] - place[2]};
    OrbitLanes const star_squared = square_of(star);
    auto is_close = star_squared < 0.0;
    for (std::size_t j = 1; j < source_count; ++j) {
      OrbitLanes const squared = add(orbit::all_lanes(strengths(j)), place, sources + 3 * j, a);
      is_close = is_close | (squared < encounter(j) * star_squared);
    }
    return orbit::any(is_close);
  }

  /// Adds the acceleration by a source, and returns its squared distance.
  KOKKOS_FUNCTION static OrbitLanes add(OrbitLanes strength, OrbitLanes const (&place)[3],
                                        double const* source, OrbitLanes (&a)[3]) {
    OrbitLanes const d[]{source[0] - place[0], source[1] - place[1], source[2] - place[2]};
    OrbitLanes const squared = square_of(d);
    OrbitLanes const factor = strength * simd::over_cubed_root(1.0, squared);
    for (int axis = 0; axis < 3; ++axis) a[axis] = a[axis] + factor * d[axis];
    return squared;
  }

  KOKKOS_FUNCTION static OrbitLanes square_of(OrbitLanes const (&d)[3]) {
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  }

  KOKKOS_FUNCTION void note(std::size_t row, double measure, double distance, double time,
                            std::size_t massive) const {
    if (findings.passage(row, 0) != 0.0) return;
    findings.passage(row, 0) = measure;
    findings.passage(row, 1) = distance;
    findings.passage(row, 2) = time;
    findings.massive(row) = static_cast<double>(massive);
  }

  KOKKOS_FUNCTION void note_pericentres(Pack const& pack, OrbitStep const& step,
                                        double const* numbers) const {
    for (int lane = 0; lane < orbit_lanes; ++lane) {
      if (!pack.is_massless[lane]) continue;
      auto const passage = unresolved_pericentre(step, pack.x, lane,
                                                 simd::lane<double>(pack.mu, lane), step_squared);
      if (!passage.is_known()) continue;
      note(pack.row[lane], -passage.measure, passage.distance, numbers[KickProgram::time], 0);
    }
  }

  KOKKOS_FUNCTION void note_encounters(Pack const& pack, double const* numbers) const {
    double const* const sources = numbers + KickProgram::sources;
    double const* const table = sources + 3 * source_count;
    for (int lane = 0; lane < orbit_lanes; ++lane) {
      if (!pack.is_massless[lane]) continue;
      auto const squared_to = [&](std::size_t j) {
        double squared = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
          double const place =
              simd::lane<double>(pack.x[axis], lane) + table[6 * pack.frame[lane] + axis];
          double const d = sources[3 * j + static_cast<std::size_t>(axis)] - place;
          squared += d * d;
        }
        return squared;
      };
      double const star_squared = squared_to(0);
      for (std::size_t j = 1; j < source_count; ++j) {
        double const squared = squared_to(j), limit = encounter(j) * star_squared;
        if (!(squared < limit)) continue;
        double const measure = Kokkos::sqrt(limit / squared);
        note(pack.row[lane], measure < largest_measure ? measure : largest_measure,
             Kokkos::sqrt(squared), numbers[KickProgram::time], j);
      }
    }
  }
};

}  // namespace apsis::integrators
