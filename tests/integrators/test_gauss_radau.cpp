// SPDX-License-Identifier: Apache-2.0
#include "integrators/gauss_radau/gauss_radau.hpp"
#include "integrators/stepped_run.hpp"
#include "integrators/tangent_flow.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/core/views.hpp>
#include <apsis/forces/direct.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/integrators/step_watch.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

using namespace apsis;
using namespace apsis::testing;

namespace radau = apsis::integrators::radau;

namespace {

/// Bodies advanced by gauss_radau15, with a law of gravity.
struct RadauRun {
  ExecutionSpace space;
  forces::Direct<forces::Double> solver;
  Bodies<double> bodies;
  Column<double> potential;
  std::unique_ptr<integrators::Stepper<double>> stepper;
  double start_energy;

  explicit RadauRun(HostBodies const& host, forces::Gravity const& gravity = {},
                    integrators::OwnSteps const& steps = {})
      : solver(gravity),
        bodies(to_device<double>(space, host)),
        potential("apsis::testing::potential", host.size()),
        stepper(integrator("gauss_radau15").make_own(steps)) {
    solver.exclude_massless_sources(space, bodies.mass);
    start_energy = energy();
    stepper->start(space, bodies, solver, 1.0);
  }
  void advance(double time, int parts = 1) {
    for (int i = 0; i < parts; ++i) stepper->advance(space, bodies, solver, time / parts);
  }
  double energy() {
    solver.evaluate(space, forces::potentials_of(bodies, potential));
    return diagnostics::measure(space, bodies, potential).total();
  }
  double energy_error() { return std::abs(energy() / start_energy - 1.0); }
  HostBodies host() const { return to_host(space, bodies); }
};

HostBodies listed(std::vector<double> masses, std::vector<Vec3<double>> positions,
                  std::vector<Vec3<double>> velocities) {
  HostBodies bodies(masses.size());
  bodies.mass = std::move(masses);
  bodies.position = std::move(positions);
  bodies.velocity = std::move(velocities);
  for (std::size_t i = 0; i < bodies.size(); ++i) bodies.id[i] = i;
  return bodies;
}

HostBodies pythagorean() {
  return listed({3, 4, 5}, {{1, 3, 0}, {-2, -1, 0}, {1, -1, 0}}, std::vector<Vec3<double>>(3));
}

/// Two masses on a circle of a = 1, and massless bodies on its axis.
HostBodies sitnikov(std::size_t massless) {
  HostBodies bodies(2 + massless);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    double const side = i == 0 ? 0.5 : -0.5;
    bodies.mass[i] = i < 2 ? 0.5 : 0.0;
    bodies.position[i] =
        i < 2 ? Vec3<double>{side, 0, 0} : Vec3<double>{0, 0, 0.5 + 0.1 * static_cast<double>(i)};
    if (i < 2) bodies.velocity[i] = {0, side, 0};
  }
  return bodies;
}

double distance(HostBodies const& bodies, std::size_t i, Vec3<double> const& place) {
  return norm(bodies.position[i] - place);
}

double largest_distance(HostBodies const& a, HostBodies const& b) {
  double result = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    result = std::max(result, distance(a, i, b.position[i]));
  }
  return result;
}

}  // namespace

TEST_CASE("Gauss-Radau nodes are those of the literature") {
  double const published[]{0.056262560536922149, 0.18024069173689236, 0.35262471711316962,
                           0.54715362633055542,  0.73421017721541049, 0.88532094683909579,
                           0.9775206135612875};
  for (int n = 1; n <= radau::terms; ++n) {
    CHECK(radau::constants.nodes[n].weights.fraction == approximately(published[n - 1], 2e-16));
  }
}

TEST_CASE("a polynomial of the acceleration is found exactly, and continues in the next step") {
  radau::Coefficients<double> const exact{1.0, -2.0, 0.5, 3.0, -1.5, 0.25, 2.0};
  double const a0 = 0.75, dt = 0.5, v0 = -1.25;
  auto const acceleration = [&](double s) {
    double sum = 0.0;
    for (int k = radau::terms - 1; k >= 0; --k) sum = (sum + exact[k]) * s;
    return a0 + sum;
  };
  radau::Coefficients<double> b{}, g{}, e{}, next{}, none{};
  for (int n = 1; n <= radau::terms; ++n) {
    auto const& node = radau::constants.nodes[n];
    radau::update<double>(node, a0, acceleration(node.weights.fraction), b, g);
  }
  radau::set_from_newton<double>(radau::constants, g, b);
  for (int k = 0; k < radau::terms; ++k) CHECK(std::abs(b[k] - exact[k]) < 1e-11);

  // Position and velocity are integrals, here by Simpson's rule with many intervals.
  double velocity = 0.0, position = 0.0;
  double const fraction = 0.6;
  int const intervals = 1000;
  double const h = fraction / intervals;
  for (int i = 0; i < intervals; ++i) {
    for (auto const& [part, weight] : {std::pair{0.0, 1.0}, {0.5, 4.0}, {1.0, 1.0}}) {
      double const s = (i + part) * h;
      velocity += weight * h / 6.0 * acceleration(s);
      position += weight * h / 6.0 * (fraction - s) * acceleration(s);
    }
  }
  auto const weights = radau::weights_at(fraction);
  CHECK(radau::velocity_change<double>(weights, dt, a0, b) == approximately(dt * velocity, 1e-12));
  CHECK(radau::displacement<double>(weights, dt, v0, a0, b) ==
        approximately(fraction * dt * v0 + dt * dt * position, 1e-12));

  double const ratio = 0.7;
  radau::predict<double>(radau::constants, ratio, b, b, next, e, g);
  double predicted = 0.0;
  for (int k = radau::terms - 1; k >= 0; --k) predicted = (predicted + next[k]) * 0.4;
  CHECK(acceleration(1.0) + predicted == approximately(acceleration(1.0 + ratio * 0.4), 1e-11));
  radau::predict<double>(radau::constants, 0.0, b, none, next, e, g);
  for (int k = 0; k < radau::terms; ++k) CHECK(next[k] == 0.0);
}

TEST_CASE("gauss_radau15: an eccentric binary follows a reference of 128 bits for 100 orbits") {
  // a = 1, e = 0.99, from apocentre.
  RadauRun run(listed({0.7, 0.3},
                      {{0.597, -7.3111413909096972e-17, 0}, {-1.393, 1.7059329912122628e-16, 0}},
                      {{2.6043872960675307e-16, 0.021266436150250086, 0},
                       {-6.0769036908242377e-16, -0.049621684350583534, 0}}));
  run.advance(628.31853071795865);
  CHECK(distance(run.host(), 0, {0.5969999999999999751, -3.9e-16, 0}) < 5e-12);
  CHECK(run.energy_error() < 1e-12);
  CHECK(run.stepper->steps() < 17000);
}

TEST_CASE("gauss_radau15: the Pythagorean problem to t = 70 and its ejection") {
  for (int const parts : {1, 700}) {
    CAPTURE(parts);
    RadauRun run(pythagorean());
    run.advance(70.0, parts);
    auto const end = run.host();
    CHECK(distance(end, 0, {6.933463599011887, 20.26180430595171, 0}) < 1e-3);
    CHECK(distance(end, 1, {-2.003006002605984, -6.872463435824545, 0}) < 1e-3);
    CHECK(distance(end, 2, {-2.557673357322345, -6.659111834911393, 0}) < 1e-3);
    CHECK(run.energy_error() < 1e-11);
  }
}

TEST_CASE("gauss_radau15: outer planets follow a reference of 128 bits for 1000 years") {
  auto const planets =
      listed({1, 0.00095479066214732423, 0.0002858858172046085, 4.3662402305374842e-05,
              5.1514527096641252e-05},
             {{-0.0067949010138773263, -0.0026259972278537304, 0.00019527772519555936},
              {4.0742235253016403, 2.8218916983326219, -0.10288588185699558},
              {5.9171063277356479, 6.968053399118955, -0.35693250455226122},
              {13.573995676265801, -14.552253599630795, -0.23001929716836822},
              {12.046706692160043, -27.662098146559007, 0.29199316693424981}},
             {{0.00030317255529505477, -0.00043384780442280106, -5.5636887786712392e-06},
              {-0.25491240795306491, 0.38130229127545207, 0.0041304237133337248},
              {-0.26437705453681865, 0.20869679969821867, 0.0068771636485722475},
              {0.16555697093559735, 0.14495489815341631, -0.0016081112834671139},
              {0.1663310755993698, 0.073598715979415502, -0.0053552032211320382}});
  RadauRun run(planets);
  double const time = 6283.1853071795858;
  run.advance(time, 100);
  auto const end = run.host();
  CHECK(distance(end, 1, {-5.025016727695028, 1.976180927304546, 0.1008394341368751}) < 5e-11);
  CHECK(distance(end, 4, {20.62594503238739, -21.93258321480152, -0.02470200327792578}) < 5e-11);
  run.advance(-time);
  CHECK(largest_distance(run.host(), planets) < 1e-10);
}

TEST_CASE("gauss_radau15: a close pair beside a third body keeps the digits of its separation") {
  auto const start = listed({0.5, 0.5, 1},
                            {{0.79841995329228244, -0.0014057215103623298, -0.001364291226934405},
                             {0.80158004670771743, 0.0014057215103621338, 0.001364291226934405},
                             {-0.79999999999999993, 9.7971743931788249e-17, 0}},
                            {{5.9850177035045737, -1.7252585352629113, -5.8475342376392287},
                             {-5.9850177035045737, 2.432365316449459, 5.8475342376392287},
                             {-1.0824450702943667e-16, -0.35355339059327379, 0}});
  RadauRun run(start);
  run.advance(8.8857658763167322);
  CHECK(distance(run.host(), 0, {0.8055388003349387, 9.019793341820365e-4, -1.618379637991647e-3}) <
        2e-12);
}

TEST_CASE("gauss_radau15: massless bodies do not change the steps of the massive ones") {
  RadauRun alone(sitnikov(0));
  alone.advance(200.0);
  CHECK(alone.stepper->steps() < 2000);
  for (std::size_t const massless : {1, 9, 30}) {
    CAPTURE(massless);
    RadauRun run(sitnikov(massless));
    run.advance(200.0);
    // No stall where the acceleration of a body vanishes.
    CHECK(run.stepper->steps() == alone.stepper->steps());
    CHECK(largest_distance(run.host(), alone.host()) == 0.0);
    // Sources are the two massive bodies, and each massless body makes its own steps.
    double const own = run.solver.interactions() - alone.solver.interactions();
    CHECK(std::fmod(own, 2.0) == 0.0);
    CHECK(own > 0.3 * alone.solver.interactions() * static_cast<double>(massless));
    CHECK(own < 1.2 * alone.solver.interactions() * static_cast<double>(massless));
  }
  RadauRun judged(sitnikov(1), {}, {1e-9, {}, true});
  judged.advance(20.0);
  CHECK(judged.stepper->steps() < 400);
}

TEST_CASE("gauss_radau15: with `judged` all, massless bodies shorten the steps") {
  // A massless body that falls to one of two masses.
  auto const bodies = listed({0.5, 0.5, 0}, {{0.5, 0, 0}, {-0.5, 0, 0}, {0.51, 0, 0}},
                             {{0, 0.5, 0}, {0, -0.5, 0}, {0, 0.5 + std::sqrt(0.5 / 0.01), 0}});
  auto const steps = [&](bool judges_massless) {
    RadauRun run(bodies, {}, {1e-9, {}, judges_massless});
    run.advance(1.0);
    return run.stepper->steps();
  };
  CHECK(steps(true) > 10 * steps(false));
  // About a single mass, massless bodies are judged in any case.
  RadauRun run(listed({1, 0}, {{}, {1, 0, 0}}, {{}, {0, 0.3, 0}}));
  run.advance(10.0);
  CHECK(run.stepper->steps() > 100);
}

namespace {

/// Star of mass 1 and a planet of 1e-3 on a circle of radius 1 about their centre of mass, then
/// massless bodies.
HostBodies star_and_planet(std::vector<std::array<double, 4>> const& orbits) {
  HostBodies bodies(2 + orbits.size());
  double const m = 1e-3, speed = std::sqrt(1.0 + m);
  bodies.mass[0] = 1.0;
  bodies.mass[1] = m;
  bodies.position[0] = {-m / (1.0 + m), 0, 0};
  bodies.velocity[0] = {0, -speed * m / (1.0 + m), 0};
  bodies.position[1] = {1.0 / (1.0 + m), 0, 0};
  bodies.velocity[1] = {0, speed / (1.0 + m), 0};
  for (std::size_t i = 0; i < orbits.size(); ++i) {
    auto const& [a, e, inclination, angle] = orbits[i];
    // At pericentre, in the direction of the angle.
    double const q = a * (1.0 - e), v = std::sqrt((1.0 + e) / q);
    double const c = std::cos(angle), s = std::sin(angle), tilt = std::sin(inclination);
    bodies.position[2 + i] = bodies.position[0] + Vec3<double>{q * c, q * s, 0};
    bodies.velocity[2 + i] = bodies.velocity[0] + v * Vec3<double>{-s * std::cos(inclination),
                                                                   c * std::cos(inclination), tilt};
    bodies.id[2 + i] = 2 + i;
  }
  return bodies;
}

constexpr double planet_period = 6.2800447;

/// Orbits that cross that of the planet.
std::vector<std::array<double, 4>> crossing_orbits(int count) {
  std::vector<std::array<double, 4>> orbits;
  for (int i = 0; i < count; ++i) {
    auto const part = [&](double factor) { return std::fmod(factor * (i + 1), 1.0); };
    double const a = 0.75 + 0.85 * part(0.618034);
    double const least = std::abs(1.0 - 1.0 / a) + 0.02;
    orbits.push_back(
        {a, least + (0.7 - least) * part(0.414214), 0.1 * part(0.732051), 6.283 * part(0.236068)});
  }
  return orbits;
}

/// Accurate positions of massless bodies, each alone with the massive ones and in their step.
HostBodies resolved(HostBodies const& start, double time, double epsilon) {
  auto result = start;
  for (std::size_t i = 2; i < start.size(); ++i) {
    auto const one = listed({start.mass[0], start.mass[1], 0.0},
                            {start.position[0], start.position[1], start.position[i]},
                            {start.velocity[0], start.velocity[1], start.velocity[i]});
    RadauRun run(one, {}, {epsilon, {}, true});
    run.advance(time);
    result.position[i] = run.host().position[2];
  }
  return result;
}

}  // namespace

TEST_CASE("gauss_radau15: massless bodies that cross a planet are resolved" *
          testing::thread_counts) {
  auto const start = star_and_planet(crossing_orbits(40));
  auto const reference = resolved(start, 10.0 * planet_period, 1e-12);
  RadauRun alone(star_and_planet({}));
  for (int const parts : {1, 10}) {
    CAPTURE(parts);
    RadauRun run(start);
    run.advance(10.0 * planet_period, parts);
    auto const end = run.host();
    for (std::size_t i = 2; i < start.size(); ++i) {
      CAPTURE(i);
      CHECK(distance(end, i, reference.position[i]) < 1e-8);
    }
    if (parts == 1) alone.advance(10.0 * planet_period);
    if (parts == 1) CHECK(largest_distance(alone.host(), end) == 0.0);
  }
}

TEST_CASE("gauss_radau15: the digits of massless bodies inside the innermost planet") {
  std::vector<std::array<double, 4>> orbits;
  for (double const ratio : {1.5, 2.0, 3.0, 3.5, 4.0, 5.0, 7.0}) {
    orbits.push_back({std::pow(ratio, -2.0 / 3.0), 0.05, 0.05, 3.0});
  }
  auto const start = star_and_planet(orbits);
  auto const reference = resolved(start, 100.0 * planet_period, 1e-10);
  RadauRun run(start);
  run.advance(100.0 * planet_period);
  for (std::size_t i = 2; i < start.size(); ++i) {
    CAPTURE(i);
    CHECK(distance(run.host(), i, reference.position[i]) < 1e-11);
  }
}

TEST_CASE("gauss_radau15: the bits of a massless body do not depend on others") {
  auto const orbits = crossing_orbits(11);
  RadauRun together(star_and_planet(orbits));
  together.advance(20.0, 3);
  for (std::size_t i = 0; i < orbits.size(); ++i) {
    RadauRun alone(star_and_planet({orbits[i]}));
    alone.advance(20.0, 3);
    CHECK(together.host().position[2 + i] == alone.host().position[2]);
    CHECK(together.host().velocity[2 + i] == alone.host().velocity[2]);
  }
}

TEST_CASE("gauss_radau15: a watch follows massless bodies within their own steps") {
  auto const start = star_and_planet(crossing_orbits(20));
  auto const closest = [&](HostBodies const& bodies, integrators::OwnSteps const& options) {
    RadauRun run(bodies, {}, options), unwatched(bodies, {}, options);
    integrators::StepWatch watch(run.space, run.bodies, {}, {true, false, false});
    run.stepper->set_watch(&watch);
    watch.begin(run.space, run.bodies, 0.0);
    run.advance(5.0 * planet_period);
    unwatched.advance(5.0 * planet_period);
    CHECK(same_bits(run.host(), unwatched.host()));
    return watch.approach_in_step(run.space).value();
  };
  auto const found = closest(start, {});
  auto const one = listed({start.mass[0], start.mass[1], 0.0},
                          {start.position[0], start.position[1], start.position[found.second]},
                          {start.velocity[0], start.velocity[1], start.velocity[found.second]});
  auto const expected = closest(one, {1e-12, {}, true});
  CHECK(std::sqrt(found.squared) == approximately(std::sqrt(expected.squared), 1e-6));
  CHECK(found.time == approximately(expected.time, 1e-9));
}

TEST_CASE("gauss_radau15: a massless body that falls into a star touches its surface on time") {
  // From apocentre at 1 almost straight down; the other mass is far away.
  double const radius = 0.02, speed = 0.05;
  auto const start =
      listed({1, 1, 0}, {{}, {1e6, 0, 0}, {0, 1, 0}}, {Vec3<double>{}, {}, {speed, 0, 0}});
  RadauRun first_run(start);
  auto const radii = copy_to_device(first_run.space, std::vector{radius, 0.0, 0.0}, "radii");
  integrators::StepWatch::Request request;
  request.contacts = true;
  integrators::StepWatch watch(first_run.space, first_run.bodies, {}, request, radii);
  std::optional<std::vector<integrators::Meeting>> meetings;
  while (!meetings) {  // the buffer grows until all parts of the path within the star fit
    RadauRun run(start);
    run.stepper->set_watch(&watch);
    watch.begin(run.space, run.bodies, 0.0);
    run.advance(1.5);
    meetings = watch.meetings(run.space);
  }
  double first = 10.0;
  for (auto const& meeting : *meetings) first = std::min(first, meeting.time);
  double const a = 1.0 / (2.0 - speed * speed), e = 1.0 / a - 1.0;
  double const anomaly = std::acos((1.0 - radius / a) / e);
  double const from_pericentre = std::pow(a, 1.5) * (anomaly - e * std::sin(anomaly));
  CHECK(first == approximately(std::acos(-1.0) * std::pow(a, 1.5) - from_pericentre, 1e-6));
}

TEST_CASE("gauss_radau15: the tangent vector follows massless bodies within their own steps") {
  auto const megno = [](HostBodies const& bodies, integrators::OwnSteps const& options) {
    RadauRun run(bodies, {}, options);
    integrators::TangentFlow tangent(bodies.size(), {}, 1);
    run.stepper->set_tangent(&tangent);
    run.advance(98.0);
    return tangent.megno().mean;
  };
  auto const start = star_and_planet({{1.15, 0.2, 0.0, 3.0}});  // chaotic
  CHECK(megno(start, {}) == approximately(megno(start, {1e-11, {}, true}), 1e-3));
}

TEST_CASE("gauss_radau15: a massless body at an equilibrium, and one that falls into a mass") {
  // At rest in the middle of two equal masses, where rounding grows as exp(2.5 t).
  auto start = sitnikov(1);
  start.position[2] = {};
  RadauRun run(start);
  run.advance(5.0, 3);
  CHECK(norm(run.host().position[2]) < 1e-9);
  CHECK(run.solver.interactions() < 1e4);

  RadauRun fall(listed({1, 1, 0}, {{}, {1e3, 0, 0}, {0, 1, 0}}, std::vector<Vec3<double>>(3)));
  CHECK_THROWS_AS(fall.advance(5.0), integrators::Collision);
  // The bodies are where they collide, so that the run can name the pair.
  CHECK(norm(fall.host().position[0] - fall.host().position[2]) < 1e-6);
}

TEST_CASE("gauss_radau15: more than 16 massive bodies keep the digits of close pairs" *
          testing::thread_counts) {
  // 14 or more light bodies far away. 1025 of them, or 17 in a build for GPUs, are advanced in
  // another way, with the digits of coordinates.
  if (!bodies_on_host) return;
  for (auto const& [count, tolerance] : {std::pair{17, 1e-5}, {100, 1e-5}}) {
    CAPTURE(count);
    HostBodies bodies(static_cast<std::size_t>(count));
    auto const heavy = pythagorean();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      bodies.mass[i] = i < 3 ? heavy.mass[i] : 1e-300;
      bodies.position[i] =
          i < 3 ? heavy.position[i] : Vec3<double>{1e6, 1e5 * static_cast<double>(i), 0};
    }
    RadauRun run(bodies), few(heavy);
    run.advance(60.0);
    few.advance(60.0);
    CHECK(largest_distance(few.host(), run.host()) < tolerance);
    CHECK(run.energy_error() < 1e-12);
  }
}

TEST_CASE("gauss_radau15: massless bodies beside more than 1024 massive ones") {
  auto const orbits = crossing_orbits(8);
  auto const few = star_and_planet(orbits);
  HostBodies many(few.size() + 1024);
  for (std::size_t i = 0; i < many.size(); ++i) {
    bool const is_own = i < few.size();
    many.mass[i] = is_own ? few.mass[i] : 1e-300;
    many.position[i] =
        is_own ? few.position[i] : Vec3<double>{1e6, 1e5 * static_cast<double>(i), 0};
    if (is_own) many.velocity[i] = few.velocity[i];
  }
  RadauRun a(few), b(many);
  a.advance(2.0);
  b.advance(2.0);
  CHECK(largest_distance(a.host(), b.host()) < 1e-12);
}

TEST_CASE("gauss_radau15: numbers of steps and errors are those of the published control") {
  struct Known {
    char const* what;
    HostBodies bodies;
    double time, epsilon, steps;
  };
  for (auto const& known : {Known{"Pythagorean", pythagorean(), 60.0, 1e-9, 3626.0},
                            {"e = 0.6", kepler_orbit(0.6), 62.8, 1e-9, 580.0},
                            {"e = 0.99", kepler_orbit(0.99), 62.8, 1e-9, 1593.0},
                            {"tolerant", kepler_orbit(0.6), 62.8, 1e-4, 114.0}}) {
    CAPTURE(known.what);
    RadauRun run(known.bodies, {}, {known.epsilon, {}, false});
    run.advance(known.time);
    CHECK(static_cast<double>(run.stepper->steps()) == approximately(known.steps, 0.02));
  }
  // The error is that of the scheme, not of rounding.
  RadauRun tolerant(kepler_orbit(0.6), {}, {1e-4, {}, false}), exact(kepler_orbit(0.6));
  tolerant.advance(62.8);
  exact.advance(62.8);
  CHECK(largest_distance(tolerant.host(), exact.host()) == approximately(1.7906e-6, 0.02));
}

TEST_CASE("gauss_radau15: few and many bodies agree, and conserve energy with every softening" *
          testing::thread_counts) {
  using forces::SofteningKernel;
  for (auto const kernel : {SofteningKernel::none, SofteningKernel::plummer,
                            SofteningKernel::spline, SofteningKernel::wendland_c2}) {
    CAPTURE(static_cast<int>(kernel));
    forces::Gravity const gravity{1.0, kernel == SofteningKernel::none ? 0.0 : 0.2, kernel};
    auto few = sample_bodies(16);
    HostBodies many(17);  // one more, almost massless and far away
    for (std::size_t i = 0; i < 16; ++i) {
      many.mass[i] = few.mass[i];
      many.position[i] = few.position[i];
      many.velocity[i] = few.velocity[i];
    }
    many.mass[16] = 1e-300;
    many.position[16] = {1e6, 0, 0};
    RadauRun a(few, gravity), b(many, gravity);
    a.advance(2.0, 3);
    b.advance(2.0, 3);
    CHECK(largest_distance(a.host(), b.host()) < 1e-11);
    CHECK(largest_distance(a.host(), few) > 1.0);
    CHECK(a.energy_error() < 1e-12);
    CHECK(b.energy_error() < 1e-12);
  }
}

TEST_CASE("gauss_radau15: `most` limits the steps, and a smaller epsilon shortens them") {
  auto const steps = [](integrators::OwnSteps const& options) {
    RadauRun run(kepler_orbit(0.1), {}, options);
    run.advance(20.0);
    return run.stepper->steps();
  };
  auto const free = steps({});
  CHECK(steps({1e-9, 0.02, false}) >= 1000);
  CHECK(free < 200);
  CHECK(static_cast<double>(steps({1e-9 / 128.0, {}, false})) ==
        approximately(2.0 * static_cast<double>(free), 0.1));
  RadauRun run(kepler_orbit(0.1));
  run.stepper->refine();
  run.advance(20.0);
  CHECK(run.stepper->steps() == steps({1e-9 / 128.0, {}, false}));
}

TEST_CASE("gauss_radau15: the step before a synchronised time is cut, and the wanted one is kept") {
  RadauRun whole(kepler_orbit(0.3)), parts(kepler_orbit(0.3));
  whole.advance(30.0);
  parts.advance(30.0, 10);
  // Many short advances keep the length that was wanted before.
  RadauRun short_ones(kepler_orbit(0.3));
  short_ones.advance(1.0);
  auto const free = short_ones.stepper->steps();
  short_ones.advance(0.1, 100);
  auto const before = short_ones.stepper->steps();
  CHECK(before == free + 100);
  short_ones.advance(0.05);
  CHECK(short_ones.stepper->steps() == before + 1);
  // Each advance may take one more step, no series of short ones.
  CHECK(parts.stepper->steps() <= whole.stepper->steps() + 12);
  CHECK(largest_distance(whole.host(), parts.host()) < 1e-13);
}

TEST_CASE("gauss_radau15: a head-on collision is an error") {
  RadauRun run(
      listed({1, 1, 1e-3}, {{1, 0, 0}, {-1, 0, 0}, {0, 50, 0}}, std::vector<Vec3<double>>(3)));
  CHECK_THROWS_AS(run.advance(5.0), integrators::Collision);
  // The bodies are where they collide, so that the run can name the pair.
  auto const bodies = run.host();
  CHECK(norm(bodies.position[0] - bodies.position[1]) < 1e-6);
}

TEST_CASE("gauss_radau15: a step watch finds pericentres within the steps") {
  for (std::size_t const count : {2, 20}) {
    CAPTURE(count);
    double const e = 0.9;
    HostBodies bodies(count);
    auto const pair = kepler_orbit(e);
    for (std::size_t i = 0; i < count; ++i) {
      bodies.mass[i] = i < 2 ? pair.mass[i] : 0.0;
      bodies.position[i] = i < 2 ? pair.position[i] : Vec3<double>{100.0 + double(i), 0, 0};
      if (i < 2) bodies.velocity[i] = pair.velocity[i];
    }
    RadauRun run(bodies), unwatched(bodies);
    integrators::StepWatch watch(run.space, run.bodies, {}, {true, true, true});
    run.stepper->set_watch(&watch);
    watch.begin(run.space, run.bodies, 0.0);
    run.advance(6.0);
    unwatched.advance(6.0);
    auto const closest = watch.approach_in_step(run.space);
    REQUIRE(closest.has_value());
    CHECK(std::sqrt(closest->squared) == approximately(1.0 - e, 1e-7));
    CHECK(closest->time == approximately(std::acos(-1.0), 1e-5));
    CHECK(same_bits(run.host(), unwatched.host()));
  }
}
