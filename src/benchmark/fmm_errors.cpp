// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"
#include "files/record.hpp"
#include "fmm_forces.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/simulation/simulation.hpp>

#include <cmath>

namespace apsis::benchmark {

namespace {

constexpr std::size_t sample_size = 4000;

deck::ConfiguredDeck deck(std::string const& generator, std::size_t bodies) {
  return deck::configure(R"({"bodies": {"generator": ")" + generator + R"(", "seed": 1},
          "gravity": {"solver": "fmm", "softening": 0.01},
          "integrator": {"time_step": 0.01}, "run": {"steps": 1}})",
                         "compare", {"bodies.count=" + std::to_string(bodies)});
}

HostBodies make_bodies(std::string const& generator, std::size_t bodies) {
  return simulation::make_bodies(deck(generator, bodies).configuration);
}

/// Returns a cold sphere of R = M = 1 at its maximum density.
HostBodies make_collapsed(std::size_t bodies) {
  auto const sphere_deck = deck("uniform_sphere", bodies);
  auto const falling = simulation::make_simulation(
      sphere_deck.configuration, simulation::make_bodies(sphere_deck.configuration));
  falling->advance(111);  // collapse time pi/2 / sqrt(2) = 1.11
  return falling->bodies();
}

struct Sample {
  char const* name;
  HostBodies (*make)(std::size_t bodies);
};

constexpr Sample samples[] = {
    {"plummer", [](std::size_t n) { return make_bodies("plummer", n); }},
    {"nfw", [](std::size_t n) { return make_bodies("nfw", n); }},
    {"disk_galaxy", [](std::size_t n) { return make_bodies("disk_galaxy", n); }},
    {"uniform_sphere", [](std::size_t n) { return make_bodies("uniform_sphere", n); }},
    {"two far apart",
     [](std::size_t n) {
       auto bodies = make_bodies("plummer", n);
       for (std::size_t i = 0; i < n; i += 2) bodies.position[i].x += 1e3;
       return bodies;
     }},
    {"collapsed", make_collapsed},
    {"pairs in one place",
     [](std::size_t n) {
       auto bodies = make_bodies("plummer", n);
       for (std::size_t i = 1; i < n; i += 2) bodies.position[i] = bodies.position[i - 1];
       return bodies;
     }},
    {"one far away",
     [](std::size_t n) {
       auto bodies = make_bodies("plummer", n);
       if (n > 0) bodies.position[n / 2] = {1e6, -1e6, 2e6};
       return bodies;
     }},
    {"twelve decades",
     [](std::size_t n) {
       auto bodies = make_bodies("plummer", n);
       for (std::size_t i = 0; i < n; ++i) {
         bodies.mass[i] =
             std::pow(10.0, -12.0 * static_cast<double>(i * 7919 % n) / static_cast<double>(n));
       }
       return bodies;
     }},
};

}  // namespace

bool FmmErrors::passed() const {
  return acceleration.p99 <= accuracy && potential.p99 <= accuracy &&
         momentum <= max_momentum_error;
}

void compare_fmm(std::size_t bodies, std::vector<forces::Precision> const& precisions,
                 double accuracy, std::function<void(FmmErrors const&)> const& report) {
  ExecutionSpace const space;
  for (auto const& sample : samples) {
    auto const host = sample.make(bodies);
    for (auto const precision : precisions) {
      forces::in_precision(precision, [&]<class Number>(Number) {
        FmmForces<Number> forces(space, host, accuracy);
        // The first evaluation provides the previous accelerations for the MAC of the second.
        forces.evaluate();
        forces.evaluate();
        auto const errors = forces.errors(sample_size);
        report({sample.name, host.size(), precision, accuracy, errors.acceleration,
                errors.potential, forces.momentum_error()});
      });
    }
  }
}

std::string fmm_errors_heading(std::size_t bodies, double accuracy) {
  return device_name() + ", " + std::to_string(bodies) + " bodies, softening 0.01, accuracy " +
         shortest(accuracy) +
         "\nrelative errors of a sample of bodies against compensated sums in double on the "
         "host\n\n" +
         formatted("%-18s  %-9s  %9s %9s %9s %9s  %14s  %9s  %s\n", "configuration", "precision",
                   "median", "90 %", "99 %", "worst", "potential 99 %", "momentum", "");
}

std::string fmm_errors_line(FmmErrors const& row) {
  auto const& a = row.acceleration;
  return formatted("%-18s  %-9s  %9.2g %9.2g %9.2g %9.2g  %14.2g  %9.2g  %s\n",
                   row.configuration.c_str(), forces::name_of(row.precision).c_str(), a.median,
                   a.p90, a.p99, a.maximum, row.potential.p99, row.momentum,
                   row.passed() ? "pass" : "FAIL");
}

std::string fmm_errors_json(std::vector<FmmErrors> const& rows) {
  std::vector<files::Record> records;
  for (auto const& row : rows) {
    records.push_back({{"bodies", static_cast<std::int64_t>(row.bodies)},
                       {"configuration", row.configuration},
                       {"solver", std::string("fmm")},
                       {"precision", forces::name_of(row.precision)},
                       {"accuracy", row.accuracy},
                       {"median", row.acceleration.median},
                       {"percentile_90", row.acceleration.p90},
                       {"percentile_99", row.acceleration.p99},
                       {"worst", row.acceleration.maximum},
                       {"potential_median", row.potential.median},
                       {"potential_percentile_99", row.potential.p99},
                       {"potential_worst", row.potential.maximum},
                       {"momentum", row.momentum},
                       {"passed", row.passed()}});
  }
  return files::to_json(environment_record(), records);
}

}  // namespace apsis::benchmark
