// SPDX-License-Identifier: Apache-2.0
#include "kepler_step.hpp"
#include "lanes/over_cubed_root.hpp"
#include "planetary_system.hpp"

#include <algorithm>
#include <cstring>

namespace apsis::integrators {

namespace {

OrbitLanes load_lanes(double const* numbers) {
  OrbitLanes pack;
  std::memcpy(&pack, numbers, sizeof pack);
  return pack;
}
void store_lanes(double* numbers, OrbitLanes pack) {
  std::memcpy(numbers, &pack, sizeof pack);
}
/// Numbers `first`, first + 1 ... as a pack.
OrbitLanes numbered_from(std::size_t first) {
  OrbitLanes pack{};
  for (int i = 0; i < orbit_lanes; ++i) {
    simd::set_lane<double>(pack, i, static_cast<double>(first) + i);
  }
  return pack;
}

Vec3<double> vector_at(double const* const (&columns)[3], std::size_t i) {
  return {columns[0][i], columns[1][i], columns[2][i]};
}

}  // namespace

void PlanetarySystem::finish_drift() {
  double const dt = state_[pending];
  if (dt == 0.0) return;
  if (program_.is_recording) program_.append()[KickProgram::drift] = dt;
  double* const columns[]{x(0), x(1), x(2), v(0), v(1), v(2)};
  for (std::size_t p = 0; p < stride_; p += orbit_lanes) {
    OrbitLanes position[3], velocity[3];
    for (int axis = 0; axis < 3; ++axis) {
      position[axis] = load_lanes(columns[axis] + p);
      velocity[axis] = load_lanes(columns[3 + axis] + p);
    }
    kepler_step(position, velocity, load_lanes(mu_.data() + p), orbit::all_lanes(dt));
    for (int axis = 0; axis < 3; ++axis) {
      store_lanes(columns[axis] + p, position[axis]);
      store_lanes(columns[3 + axis] + p, velocity[axis]);
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    state_[centre_position + axis] += dt * state_[centre_velocity + axis];
  }
  state_[pending] = 0.0;
}

/// Accelerations by all pairs, targets in lanes. With `omits_first_pair` bodies 0 and 1 do not act
/// on each other: their Kepler orbit has that term.
void PlanetarySystem::accelerate(double const* const (&position)[3], double const* strength,
                                 std::size_t count, bool omits_first_pair,
                                 Columns& acceleration) const {
  for (std::size_t first = 0; first < count; first += orbit_lanes) {
    OrbitLanes const target[]{load_lanes(position[0] + first), load_lanes(position[1] + first),
                              load_lanes(position[2] + first)};
    OrbitLanes const number = numbered_from(first);
    OrbitLanes sum[3]{};
    for (std::size_t j = 0; j < count; ++j) {
      bool const is_of_pair = omits_first_pair && j < 2;
      double const lowest = is_of_pair ? 0.0 : static_cast<double>(j);
      double const highest = is_of_pair ? 1.0 : static_cast<double>(j);
      auto const is_left_out = (number >= lowest) & (number <= highest);
      OrbitLanes d[3], r_squared{};
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = position[axis][j] - target[axis];
        r_squared = r_squared + d[axis] * d[axis];
      }
      r_squared = orbit::select(is_left_out, orbit::all_lanes(1.0), r_squared);
      OrbitLanes const factor =
          orbit::select(is_left_out, OrbitLanes{}, simd::over_cubed_root(strength[j], r_squared));
      for (int axis = 0; axis < 3; ++axis) sum[axis] = sum[axis] + factor * d[axis];
    }
    for (int axis = 0; axis < 3; ++axis) {
      store_lanes(acceleration[static_cast<std::size_t>(axis)].data() + first, sum[axis]);
    }
  }
}

void PlanetarySystem::evaluate() {
  if (is_democratic_) {
    evaluate_democratic();
  } else {
    evaluate_jacobi();
  }
  if (extra_forces_ != nullptr) add_extra_forces();
}

void PlanetarySystem::evaluate_democratic() {
  if (planets() == 0) return;
  accelerate({x(0), x(1), x(2)}, strength_.data() + 1, planets(), false, perturbation_);
}

void PlanetarySystem::evaluate_jacobi() {
  std::size_t const count = size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double const* const jacobi = x(static_cast<int>(axis));
    double centre = 0.0;
    frame_[axis][count - 1] = 0.0;
    for (std::size_t i = count - 1; i > 0; --i) {
      centre -= mass_[i] / sum_[i] * jacobi[i - 1];
      position_[axis][i] = jacobi[i - 1] + centre;
      frame_[axis][i - 1] = centre;
    }
    position_[axis][0] = centre;
  }
  double const* const columns[]{position_[0].data(), position_[1].data(), position_[2].data()};
  accelerate(columns, strength_.data(), count, true, acceleration_);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto const& a = acceleration_[axis];
    auto& mean = frame_acceleration_[axis];
    double sum = mass_[0] * a[0];
    mean[0] = a[0];
    for (std::size_t i = 1; i < count; ++i) {
      perturbation_[axis][i - 1] = a[i] - mean[i - 1];
      sum += mass_[i] * a[i];
      mean[i] = sum / sum_[i];
    }
  }
  if (program_.is_recording && count > 1) {
    // Massless bodies inside the first planet feel that their frame, body 0, is attracted by it.
    auto const d = vector_at(columns, 1) - vector_at(columns, 0);
    double const factor = simd::over_cubed_root(strength_[1], dot(d, d));
    frame_acceleration_[0][0] += factor * d.x;
    frame_acceleration_[1][0] += factor * d.y;
    frame_acceleration_[2][0] += factor * d.z;
  }
  add_orbital_terms();
}

/// Adds mu x / r^3 for all planets but the first, to subtract what their Kepler orbits contain.
void PlanetarySystem::add_orbital_terms() {
  for (std::size_t p = 0; p < stride_; p += orbit_lanes) {
    OrbitLanes const position[]{load_lanes(x(0) + p), load_lanes(x(1) + p), load_lanes(x(2) + p)};
    OrbitLanes const r_squared =
        position[0] * position[0] + position[1] * position[1] + position[2] * position[2];
    OrbitLanes const strength =
        orbit::select(numbered_from(p) >= 1.0, load_lanes(mu_.data() + p), OrbitLanes{});
    OrbitLanes const factor = strength * simd::over_cubed_root(1.0, r_squared);
    for (int axis = 0; axis < 3; ++axis) {
      double* const a = perturbation_[static_cast<std::size_t>(axis)].data() + p;
      store_lanes(a, load_lanes(a) + factor * position[axis]);
    }
  }
}

/// Shift of all positions in democratic coordinates: the momentum of the dominant body.
Vec3<double> PlanetarySystem::jump(double dt) {
  double shift[3];
  for (int axis = 0; axis < 3; ++axis) {
    double momentum = 0.0;
    for (std::size_t p = 0; p < planets(); ++p) momentum += mass_[p + 1] * v(axis)[p];
    shift[axis] = dt * momentum / mass_[0];
    for (std::size_t p = 0; p < planets(); ++p) x(axis)[p] += shift[axis];
  }
  return {shift[0], shift[1], shift[2]};
}

/// Completes pending drifts as part of a new instruction; null if no program is recorded.
double* PlanetarySystem::record_drift() {
  bool const is_recording = program_.is_recording;
  double const dt = state_[pending];
  program_.is_recording = false;
  finish_drift();
  program_.is_recording = is_recording;
  if (!is_recording) return nullptr;
  double* const numbers = program_.append();
  numbers[KickProgram::drift] = dt;
  return numbers;
}

/// Records the present positions of sources and frames.
void PlanetarySystem::record_tables(double* numbers) const {
  double* place = numbers + KickProgram::sources;
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double const relative = i == 0 ? 0.0 : state_[coordinates + axis * stride_ + i - 1];
      *place++ = is_democratic_ ? relative : position_[axis][i];
    }
  }
  for (std::size_t k = 0; k < program_.frame_count; ++k) {
    for (std::size_t axis = 0; axis < 3; ++axis) *place++ = frame_[axis][k];
    for (std::size_t axis = 0; axis < 3; ++axis) *place++ = frame_acceleration_[axis][k];
  }
}

void PlanetarySystem::kick(double dt) {
  double* const numbers = record_drift();
  auto const before = is_democratic_ ? jump(0.5 * dt) : Vec3<double>{};
  evaluate();
  if (numbers != nullptr) record_tables(numbers);
  for (int axis = 0; axis < 3; ++axis) {
    double* const velocity = v(axis);
    auto const& a = perturbation_[static_cast<std::size_t>(axis)];
    for (std::size_t p = 0; p < planets(); ++p) velocity[p] += dt * a[p];
  }
  if (extra_forces_ != nullptr) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      state_[centre_velocity + axis] += dt * centre_push_[axis];
    }
  }
  auto const after = is_democratic_ ? jump(0.5 * dt) : Vec3<double>{};
  if (numbers == nullptr) return;
  numbers[KickProgram::kick] = dt;
  double const shifts[]{before.x, before.y, before.z, after.x, after.y, after.z};
  std::copy(shifts, shifts + 3, numbers + KickProgram::shift_before);
  std::copy(shifts + 3, shifts + 6, numbers + KickProgram::shift_after);
}

void PlanetarySystem::kick_lazily(double dt) {
  double* const numbers = record_drift();
  double const displacement = dt * dt / 12.0;
  evaluate();
  if (numbers != nullptr) {
    record_tables(numbers);
    numbers[KickProgram::probe] = displacement;
  }
  double const* const begin = x(0);
  undisplaced_.assign(begin, begin + 3 * stride_);
  for (int axis = 0; axis < 3; ++axis) {
    auto const& a = perturbation_[static_cast<std::size_t>(axis)];
    for (std::size_t p = 0; p < planets(); ++p) x(axis)[p] += displacement * a[p];
  }
  kick(dt);
  std::copy(undisplaced_.begin(), undisplaced_.end(), x(0));
  if (program_.is_recording) {
    program_.numbers[program_.numbers.size() - program_.stride() + KickProgram::is_second] = 1.0;
  }
}

}  // namespace apsis::integrators
