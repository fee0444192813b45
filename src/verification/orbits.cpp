// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include <apsis/diagnostics/orbital_elements.hpp>

#include <array>
#include <cmath>
#include <numbers>

namespace apsis::verification {

namespace {

/// Returns a simulation of few bodies with an integrator accurate to rounding.
std::unique_ptr<simulation::Simulation> make_orbits(Setting const& setting,
                                                    std::string const& bodies, double time_step) {
  return make_experiment(setting,
                         R"({"integrator": {"name": "yoshida8"}, "bodies": )" + bodies + "}",
                         {make_override("integrator.time_step", time_step)});
}

/// Returns the difference of two angles, in (-pi, pi].
double angle_difference(double start, double end) {
  return std::remainder(end - start, 2.0 * std::numbers::pi);
}

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

constexpr auto pythagorean_deck = R"({"bodies": {"generator": "pythagorean"},
  "integrator": {"name": "hermite6", "time_step": 0.015625, "corrections": 2,
                 "stepping": {"mode": "adaptive", "eta": 0.04}}})";
constexpr int steps_per_unit = 64;

/// Returns the closest approach of masses 4 and 5 and its time, found with ever shorter steps.
Vec3<double> find_closest_approach(Setting const& setting) {
  auto const burrau = make_experiment(setting, pythagorean_deck);
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

/// The Sun, Jupiter, Saturn, Uranus and Neptune; au, solar masses, years / 2 pi.
constexpr auto outer_planets = R"({"bodies": {"list": [
    {"mass": 1, "position": [-0.0067949010138773263, -0.0026259972278537304, 0.00019527772519555936],
     "velocity": [0.00030317255529505477, -0.00043384780442280106, -5.5636887786712392e-06]},
    {"mass": 0.00095479066214732423, "position": [4.0742235253016403, 2.8218916983326219, -0.10288588185699558],
     "velocity": [-0.25491240795306491, 0.38130229127545207, 0.0041304237133337248]},
    {"mass": 0.0002858858172046085, "position": [5.9171063277356479, 6.968053399118955, -0.35693250455226122],
     "velocity": [-0.26437705453681865, 0.20869679969821867, 0.0068771636485722475]},
    {"mass": 4.3662402305374842e-05, "position": [13.573995676265801, -14.552253599630795, -0.23001929716836822],
     "velocity": [0.16555697093559735, 0.14495489815341631, -0.0016081112834671139]},
    {"mass": 5.1514527096641252e-05, "position": [12.046706692160043, -27.662098146559007, 0.29199316693424981],
     "velocity": [0.1663310755993698, 0.073598715979415502, -0.0053552032211320382]}]},
  "gravity": {"softening": 0},
  "integrator": {"name": "gauss_radau15", "time_step": 100}, "diagnostics": {"megno": {}}})";

/// Two planets of mass 1e-5 on circular orbits, within 2.4 (m1 + m2)^(1/3) = 0.065 of each other
/// (Gladman 1993, Icarus 106, 247): their conjunctions overlap in resonances.
constexpr auto close_planets = R"({"bodies": {"list": [
    {"mass": 1, "position": [0, 0, 0]},
    {"mass": 1e-5, "position": [1, 0, 0], "velocity": [0, 1, 0]},
    {"mass": 1e-5, "position": [-1.06, 0, 0], "velocity": [0, -0.9712858623572641, 0]}]},
  "gravity": {"softening": 0},
  "integrator": {"name": "blanes_moan4", "time_step": 0.1}, "diagnostics": {"megno": {}}})";

}  // namespace

void two_body_orbit(Setting const& setting, Report const& report) {
  int const orbits = setting.quick ? 100 : 1000;
  constexpr int steps_per_period = 200;
  auto const orbit = make_orbits(setting, R"({"generator": "kepler", "eccentricity": 0.5,
                                   "primary_mass": 0.7, "secondary_mass": 0.3,
                                   "inclination": 30, "node": 40, "argument": 50})",
                                 2.0 * std::numbers::pi / steps_per_period);
  auto const elements = [&] {
    auto const bodies = orbit->bodies();
    return diagnostics::orbital_elements(1.0, 1.0, bodies.position[1] - bodies.position[0],
                                         bodies.velocity[1] - bodies.velocity[0]);
  };
  auto const start = elements();
  double axis = 0.0, eccentricity = 0.0;
  for (int i = 0; i < orbits; ++i) {
    orbit->advance(steps_per_period);
    auto const now = elements();
    axis = worse(axis, now.semi_major_axis - 1.0);
    eccentricity = worse(eccentricity, now.eccentricity - 0.5);
  }
  auto const end = elements();
  auto const name = "Kepler e = 0.5, " + std::to_string(orbits) + " orbits: ";
  auto const row = [&](std::string const& quantity, double error, double limit) {
    report({name + quantity, "yoshida8", std::abs(error), std::nullopt, limit});
  };
  row("error of a", axis, 1e-12);
  row("error of e", eccentricity, 1e-12);
  row("turn of the plane", end.inclination - start.inclination, 1e-12);
  row("turn of the node", angle_difference(start.ascending_node, end.ascending_node), 1e-12);
  // The remaining truncation error rotates the orbit by the same angle each period.
  row("turn of pericentre",
      angle_difference(start.argument_of_pericentre, end.argument_of_pericentre), 2e-9 * orbits);
  row("error of the phase", angle_difference(start.mean_anomaly, end.mean_anomaly), 5e-10 * orbits);
}

void few_bodies(Setting const& setting, Report const& report) {
  constexpr auto method = "gauss_radau15";
  // a = 1, e = 0.99, from apocentre; position of the first body after 100 orbits in 128 bits.
  auto const binary = make_experiment(setting, R"({"bodies": {"list": [
      {"mass": 0.7, "position": [0.597, -7.3111413909096972e-17, 0],
       "velocity": [2.6043872960675307e-16, 0.021266436150250086, 0]},
      {"mass": 0.3, "position": [-1.393, 1.7059329912122628e-16, 0],
       "velocity": [-6.0769036908242377e-16, -0.049621684350583534, 0]}]},
      "gravity": {"softening": 0},
      "integrator": {"name": "gauss_radau15", "time_step": 628.31853071795865}})");
  binary->advance();
  Vec3<double> const known{0.5969999999999999751, -3.9e-16, 0.0};
  report({"Kepler e = 0.99, 100 orbits: distance missed", method,
          norm(binary->bodies().position[0] - known), std::nullopt, 5e-12});
  auto const burrau = make_experiment(setting, R"({"bodies": {"generator": "pythagorean"},
      "gravity": {"softening": 0}, "integrator": {"name": "gauss_radau15", "time_step": 0.5}})");
  report({"Pythagorean problem to t = 70: energy error", method, worst_energy_error(*burrau, 140),
          std::nullopt, 1e-11});
}

void figure_eight(Setting const& setting, Report const& report) {
  // Period for G = m = 1; Chenciner & Montgomery 2000, refined until the orbit closes in 40 digits.
  constexpr double period = 6.32591398292621;
  constexpr int steps_per_third = 200;
  auto const eight =
      make_orbits(setting, R"({"generator": "figure_eight"})", period / (3 * steps_per_third));
  auto const start = eight->bodies();
  // After a third of a period each body is at the initial position of another.
  auto permuted = start;
  for (std::size_t i = 0; i < 3; ++i) permuted.position[i] = start.position[(i + 2) % 3];
  eight->advance(steps_per_third);
  report({"figure of eight: distance missed after T / 3", "yoshida8",
          largest_distance(permuted, eight->bodies()), std::nullopt, 1e-12});
  eight->advance(2 * steps_per_third);
  report({"figure of eight: distance missed after T", "yoshida8",
          largest_distance(start, eight->bodies()), std::nullopt, 1e-12});
}

void lagrange_triangle(Setting const& setting, Report const& report) {
  // Three masses of 1 at distance 1 from their centre: omega^2 = 3 / sqrt(3)^3.
  double const period = 2.0 * std::numbers::pi * std::pow(3.0, 0.25);
  constexpr int steps_per_period = 600;
  auto const triangle =
      make_orbits(setting, R"({"generator": "lagrange_triangle"})", period / steps_per_period);
  auto const start = triangle->bodies();
  triangle->advance(steps_per_period);
  report({"Lagrange triangle: distance missed after a period", "yoshida8",
          largest_distance(start, triangle->bodies()), std::nullopt, 1e-11});
  report({"Lagrange triangle: energy", "yoshida8", triangle->measure().total(),
          -0.5 * std::numbers::sqrt3, 1e-13});
}

void solar_system(Setting const& setting, Report const& report) {
  int const years = setting.quick ? 20 : 1000;
  constexpr int steps_per_year = 400;
  auto const planets =
      make_orbits(setting, R"({"generator": "solar_system"}, "units": {"system": "solar"})",
                  1.0 / steps_per_year);
  auto const start = planets->measure();
  // Measured 40 times a year. Once a year the Earth would always be at the same position.
  double const worst = worst_energy_error(*planets, 40 * years, steps_per_year / 40);
  auto const name = "Sun and planets, " + std::to_string(years) + " years: ";
  report({name + "energy error", "yoshida8", worst, std::nullopt, 1e-11});
  double const momentum_change = norm(planets->measure().angular_momentum - start.angular_momentum);
  report({name + "angular momentum error", "yoshida8",
          momentum_change / norm(start.angular_momentum), std::nullopt, 1e-12});
}

void pythagorean(Setting const& setting, Report const& report) {
  std::string const name = "Pythagorean problem: ";
  auto const burrau = make_experiment(setting, pythagorean_deck);
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

void chaos(Setting const& setting, Report const& report) {
  auto const planets = make_experiment(setting, outer_planets);
  planets->advance(1885);
  report({"outer planets, 30000 years: MEGNO", "gauss_radau15", planets->megno()->mean, 2.0, 0.02});
  // The MEGNO of exponential growth at the rate of the Lyapunov exponent is half their product.
  constexpr double time = 3000.0;
  auto const close = make_experiment(setting, close_planets);
  close->advance(30000);
  auto const megno = *close->megno();
  report({"two close planets: MEGNO over exponential growth", "blanes_moan4",
          megno.mean / (0.5 * megno.lyapunov_exponent * time), 1.0, 0.3});
}

}  // namespace apsis::verification
