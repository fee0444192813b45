// SPDX-License-Identifier: Apache-2.0
#include "integrators/planetary/kepler_step.hpp"

#include "experiment.hpp"
#include "kepler_orbits.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apsis::verification {

namespace {

/// State of a body that kepler_step() advances.
struct OrbitalState {
  double position[3], velocity[3], mu, time;
};

/// Advances orbit_lanes states per call. Lanes beyond the last state repeat it.
struct AdvanceStates {
  Kokkos::View<OrbitalState*, MemorySpace> states;

  static std::size_t calls(std::size_t count) {
    return (count + integrators::orbit_lanes - 1) / integrators::orbit_lanes;
  }

  KOKKOS_FUNCTION void operator()(std::size_t call) const {
    std::size_t const count = states.extent(0), first = call * integrators::orbit_lanes;
    integrators::OrbitLanes x[3]{}, v[3]{}, mu{}, time{};
    for (int lane = 0; lane < integrators::orbit_lanes; ++lane) {
      std::size_t const i = first + static_cast<std::size_t>(lane);
      auto const& state = states(i < count ? i : count - 1);
      for (int axis = 0; axis < 3; ++axis) {
        simd::set_lane<double>(x[axis], lane, state.position[axis]);
        simd::set_lane<double>(v[axis], lane, state.velocity[axis]);
      }
      simd::set_lane<double>(mu, lane, state.mu);
      simd::set_lane<double>(time, lane, state.time);
    }
    integrators::kepler_step(x, v, mu, time);
    for (int lane = 0; lane < integrators::orbit_lanes; ++lane) {
      std::size_t const i = first + static_cast<std::size_t>(lane);
      if (i >= count) break;
      for (int axis = 0; axis < 3; ++axis) {
        states(i).position[axis] = simd::lane<double>(x[axis], lane);
        states(i).velocity[axis] = simd::lane<double>(v[axis], lane);
      }
    }
  }
};

/// Advances states in a kernel, like massless bodies in a run.
std::vector<OrbitalState> advance_states(std::vector<OrbitalState> states) {
  ExecutionSpace const space;
  auto const view = copy_to_device(space, states, "apsis::verification::kepler_states");
  for_each(space, "apsis::verification::kepler_step", AdvanceStates::calls(states.size()),
           AdvanceStates{view});
  Kokkos::deep_copy(space, unmanaged(states), view);
  space.fence("apsis::verification::kepler_step: the host reads the states");
  return states;
}

/// Returns the distance of two vectors, relative to the second.
double relative_distance(double const (&a)[3], double const (&b)[3]) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / std::hypot(b[0], b[1], b[2]);
}

}  // namespace

void kepler_step(Setting const& /*setting*/, Report const& report) {
  // Allowed error over the condition: a step has about a dozen rounding errors.
  constexpr double allowed_conditions = 5.0;
  std::vector<OrbitalState> states;
  for (auto const& orbit : kepler_orbits) {
    auto const &x = orbit.position, &v = orbit.velocity;
    states.push_back({{x[0], x[1], x[2]}, {v[0], v[1], v[2]}, orbit.mu, orbit.time});
  }
  states = advance_states(std::move(states));
  for (std::size_t i = 0; i < std::size(kepler_orbits); ++i) {
    auto const& known = kepler_orbits[i];
    double const error = worse(relative_distance(states[i].position, known.end_position),
                               relative_distance(states[i].velocity, known.end_velocity));
    report({std::string("Kepler step, ") + known.name, "wisdom_holman", error, std::nullopt,
            allowed_conditions * known.condition});
  }
}

}  // namespace apsis::verification
