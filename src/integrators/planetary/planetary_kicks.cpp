// SPDX-License-Identifier: Apache-2.0
#include "core/two_sum.hpp"
#include "kepler_step.hpp"
#include "lanes/over_cubed_root.hpp"
#include "planetary_system.hpp"
#include "unresolved.hpp"

#include <algorithm>
#include <cmath>
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

/// The pack at `first` with zeros in the lanes of rows `count` and beyond.
OrbitLanes masked(std::size_t first, std::size_t count, OrbitLanes pack) {
  return orbit::select(numbered_from(first) < static_cast<double>(count), pack, OrbitLanes{});
}
/// Adds a pack to a compensated sum.
void add_lanes(double* sum, double* low, OrbitLanes const& increment) {
  OrbitLanes value = load_lanes(sum);
  OrbitLanes const rest = add_exactly<OrbitLanes>(value, increment + load_lanes(low));
  store_lanes(sum, value);
  store_lanes(low, rest);
}

}  // namespace

void PlanetarySystem::finish_drift() {
  double const dt = state_[pending];
  if (dt == 0.0) return;
  if (program_.is_recording) {
    double* const numbers = program_.append();
    numbers[KickProgram::drift] = dt;
    numbers[KickProgram::time] = time_;
  }
  for (std::size_t p = 0; p < stride_; p += orbit_lanes) {
    OrbitLanes position[3], velocity[3];
    for (int axis = 0; axis < 3; ++axis) {
      position[axis] = load_lanes(x(axis) + p);
      velocity[axis] = load_lanes(v(axis) + p);
    }
    OrbitLanes const mu = load_lanes(mu_.data() + p);
    auto const step = orbit_step(position, velocity, mu, orbit::all_lanes(dt));
    for (int axis = 0; axis < 3; ++axis) {
      add_lanes(x(axis) + p, x_low(axis) + p, step.f * position[axis] + step.g * velocity[axis]);
      add_lanes(v(axis) + p, v_low(axis) + p,
                step.f_rate * position[axis] + step.g_rate * velocity[axis]);
    }
    if (orbit::any(step.is_coarse(mu, step_squared_, largest_angle_squared))) {
      find_pericentre(p, step, position);
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    state_[centre_position + axis] += dt * state_[centre_velocity + axis];
  }
  state_[pending] = 0.0;
}

/// Notes the first pericentre that steps do not resolve, of the planets in the pack at `first`.
void PlanetarySystem::find_pericentre(std::size_t first, OrbitStep const& step,
                                      OrbitLanes const (&position)[3]) const {
  if (findings_ == nullptr || findings_->pericentre.is_known()) return;
  for (int lane = 0; lane < orbit_lanes; ++lane) {
    std::size_t const p = first + static_cast<std::size_t>(lane);
    if (p >= planets()) return;
    auto const finding = unresolved_pericentre(step, position, lane, mu_[p], step_squared_);
    if (!finding.is_known()) continue;
    findings_->pericentre = finding;
    findings_->pericentre.time = time_;
    findings_->pericentre.body = index_[p + 1];
    findings_->pericentre.massive = index_[0];
    return;
  }
}

/// Notes the first pair of planets within three Hill radii of the pair.
void PlanetarySystem::find_encounter(double const* const (&position)[3], std::size_t count) const {
  if (findings_ == nullptr || findings_->encounter.is_known()) return;
  std::size_t const first = is_democratic_ ? 1 : 0;
  auto const star = is_democratic_ ? Vec3<double>{} : vector_at(position, 0);
  for (std::size_t i = 1 - first; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      auto const x = vector_at(position, i), y = vector_at(position, j);
      double const distance = norm(y - x);
      double const limit = 0.5 * (norm(x - star) + norm(y - star)) *
                           std::sqrt(encounter_ratio(mass_[i + first] + mass_[j + first]));
      if (!(distance < limit)) continue;
      findings_->encounter = {std::min(limit / distance, largest_measure), distance, time_,
                              index_[i + first], index_[j + first]};
      return;
    }
  }
}

/// Accelerations by all pairs, targets in lanes. With `omits_first_pair` bodies 0 and 1 do not act
/// on each other: their Kepler orbit has that term.
void PlanetarySystem::accelerate(double const* const (&position)[3], double const* strength,
                                 std::size_t count, bool omits_first_pair,
                                 Columns& acceleration) const {
  double const* const ratio = encounter_ratio_.data();
  std::size_t const lanes = encounter_ratio_.size() / count;
  bool has_encounter = false;
  for (std::size_t first = 0; first < count; first += orbit_lanes) {
    OrbitLanes const target[]{load_lanes(position[0] + first), load_lanes(position[1] + first),
                              load_lanes(position[2] + first)};
    OrbitLanes const number = numbered_from(first);
    OrbitLanes sum[3]{}, star_squared{};
    if (is_democratic_) {
      star_squared = target[0] * target[0] + target[1] * target[1] + target[2] * target[2];
    }
    auto is_close = number < 0.0;
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
      if (is_democratic_ || j > 0) {
        is_close = is_close | (r_squared < star_squared * load_lanes(ratio + j * lanes + first));
      } else {
        star_squared = r_squared;
      }
      r_squared = orbit::select(is_left_out, orbit::all_lanes(1.0), r_squared);
      OrbitLanes const factor =
          orbit::select(is_left_out, OrbitLanes{}, simd::over_cubed_root(strength[j], r_squared));
      for (int axis = 0; axis < 3; ++axis) sum[axis] = sum[axis] + factor * d[axis];
    }
    for (int axis = 0; axis < 3; ++axis) {
      store_lanes(acceleration[static_cast<std::size_t>(axis)].data() + first, sum[axis]);
    }
    has_encounter = has_encounter || orbit::any(is_close);
  }
  if (has_encounter) find_encounter(position, count);
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
    for (std::size_t p = 0; p < stride_; p += orbit_lanes) {
      add_lanes(x(axis) + p, x_low(axis) + p, masked(p, planets(), orbit::all_lanes(shift[axis])));
    }
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
    double const* const a = perturbation_[static_cast<std::size_t>(axis)].data();
    for (std::size_t p = 0; p < stride_; p += orbit_lanes) {
      add_lanes(v(axis) + p, v_low(axis) + p, dt * masked(p, planets(), load_lanes(a + p)));
    }
  }
  if (extra_forces_ != nullptr) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      state_[centre_velocity + axis] += dt * centre_push_[axis];
    }
  }
  auto const after = is_democratic_ ? jump(0.5 * dt) : Vec3<double>{};
  if (numbers == nullptr) return;
  numbers[KickProgram::kick] = dt;
  numbers[KickProgram::time] = time_;
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
