// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <array>
#include <cmath>

namespace apsis::verification {

namespace {

struct Reference {
  double time;
  double limit;       ///< of the largest distance from these positions
  Vec3<double> x, y;  ///< of the masses 3, 4 and 5
};

/// Burrau's problem, integrated by Taylor series with 30 and with 38 digits, which agree in 16
/// digits. In the encounter at t = 15.8 bodies at coordinates of order 1 come as close as 4e-4:
/// with separations of coordinates in double precision the energy error would be 1e-10 to 4e-9.
/// Later position errors are proportional to it, 1e7 times larger at t = 60.
constexpr Reference references[]{
    {5,
     1e-8,
     {2.469169667082492, -2.278202696814357, 0.3410603572019902},
     {-1.227815564157012, -0.2054495387230541, 0.9010489694726506}},
    {10,
     1e-7,
     {0.7784804101380855, -2.025092477978199, 1.152985736299708},
     {0.1413923002900862, 0.0972193841460584, -0.1626108874908984}},
    {20,
     1e-6,
     {3.004292636696399, -1.388626537510895, -0.6916743520091232},
     {0.5119252350246859, -0.4704760502527222, 0.06922569918736622}},
    {40,
     1e-4,
     {-0.6220036918010971, 0.1735445568164398, 0.2343665696275064},
     {1.858318157899773, -2.368410443283164, 0.7797374598866677}},
    {60,
     1e-3,
     {0.7438075001180829, 0.2640103346862565, -0.657492767819855},
     {1.939947951094863, -0.7316243948699637, -0.578669254760947}},
};
constexpr double closest_time = 15.829920271581;
constexpr double closest_distance = 4.13824836e-4;

constexpr auto deck = R"({"bodies": {"generator": "pythagorean"},
  "integrator": {"name": "hermite6", "time_step": 0.015625, "corrections": 2,
                 "stepping": {"mode": "adaptive", "eta": 0.04}}})";
constexpr int steps_per_unit = 64;

/// Returns the closest approach of masses 4 and 5 and its time, found with ever shorter steps.
Vec3<double> find_closest_approach(Setting const& setting) {
  auto const burrau = make_experiment(setting, deck);
  double time = 15.8125;
  burrau->advance(static_cast<std::uint64_t>(time * steps_per_unit));
  for (double const step : {0x1p-12, 0x1p-16, 0x1p-20}) {
    burrau->set_time_step(step);
    // Up to four of these steps before the encounter.
    auto const steps = static_cast<std::uint64_t>((closest_time - 4 * step - time) / step);
    burrau->advance(steps);
    time += static_cast<double>(steps) * step;
  }
  constexpr double step = 0x1p-24;
  burrau->set_time_step(step);
  // The squared distance is a parabola near the minimum: its vertex lies between the samples.
  std::array<double, 3> last{2.0, 2.0, 2.0};
  for (int i = 0; i < 400; ++i) {
    burrau->advance();
    auto const bodies = burrau->bodies();
    auto const r = bodies.position[1] - bodies.position[2];
    last = {last[1], last[2], dot(r, r)};
    if (last[1] < last[0] && last[1] <= last[2]) {
      double const slope = 0.5 * (last[2] - last[0]);
      double const curve = last[0] - 2.0 * last[1] + last[2];
      return {std::sqrt(last[1] - 0.5 * slope * slope / curve), time + step * (i - slope / curve),
              0.0};
    }
  }
  return {std::nan(""), std::nan(""), 0.0};
}

}  // namespace

void pythagorean(Setting const& setting, Report const& report) {
  std::string const name = "Pythagorean problem: ";
  auto const burrau = make_experiment(setting, deck);
  diagnostics::Conservation energy;
  energy.add(burrau->measure());
  double time = 0.0;
  for (auto const& reference : references) {
    for (; time < reference.time; time += 1.0) {
      burrau->advance(steps_per_unit);
      energy.add(burrau->measure());
    }
    auto const& [t, limit, x, y] = reference;
    HostBodies expected(3);
    expected.position = {{x.x, y.x, 0.0}, {x.y, y.y, 0.0}, {x.z, y.z, 0.0}};
    auto const time_text = std::to_string(static_cast<int>(reference.time));
    report({name + "positions missed at t = " + time_text, "hermite6 adaptive",
            largest_distance(expected, burrau->bodies()), std::nullopt, reference.limit});
  }
  report({name + "energy error", "hermite6 adaptive", energy.max_relative_energy_error,
          std::nullopt, 1e-11});
  auto const encounter = find_closest_approach(setting);
  report({name + "closest approach", "hermite6 adaptive", encounter.x, closest_distance, 1e-8});
  report({name + "time of closest approach", "hermite6 adaptive", encounter.y, closest_time, 1e-8});
}

}  // namespace apsis::verification
