// SPDX-License-Identifier: Apache-2.0
#include "fmm_forces.hpp"
#include <apsis/benchmark/environment.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/io/record.hpp>

#include <cmath>

namespace apsis::benchmark {

namespace {

constexpr std::size_t usual_sample = 4000;

driver::ConfiguredDeck deck(std::string const& generator, std::size_t bodies) {
  return driver::configure(R"({"bodies": {"generator": ")" + generator + R"(", "seed": 1},
          "gravity": {"solver": "fmm", "softening": 0.01},
          "integrator": {"time_step": 0.01}, "run": {"steps": 1}})",
                           "compare", {"bodies.count=" + std::to_string(bodies)});
}

HostBodies made(std::string const& generator, std::size_t bodies) {
  return driver::make_bodies(deck(generator, bodies).configuration);
}

/// When a cold sphere of R = M = 1 has fallen in.
HostBodies collapsed(std::size_t bodies) {
  auto const of = deck("uniform_sphere", bodies);
  auto const falling =
      driver::make_simulation(of.configuration, driver::make_bodies(of.configuration));
  falling->advance(111);  // pi/2 / sqrt(2) = 1.11
  return falling->bodies();
}

struct Sample {
  char const* name;
  HostBodies (*make)(std::size_t bodies);
};

constexpr Sample samples[] = {
    {"plummer", [](std::size_t n) { return made("plummer", n); }},
    {"nfw", [](std::size_t n) { return made("nfw", n); }},
    {"disk_galaxy", [](std::size_t n) { return made("disk_galaxy", n); }},
    {"uniform_sphere", [](std::size_t n) { return made("uniform_sphere", n); }},
    {"two far apart",
     [](std::size_t n) {
       auto bodies = made("plummer", n);
       for (std::size_t i = 0; i < n; i += 2) bodies.position[i].x += 1e3;
       return bodies;
     }},
    {"collapsed", collapsed},
    {"pairs in one place",
     [](std::size_t n) {
       auto bodies = made("plummer", n);
       for (std::size_t i = 1; i < n; i += 2) bodies.position[i] = bodies.position[i - 1];
       return bodies;
     }},
    {"one far away",
     [](std::size_t n) {
       auto bodies = made("plummer", n);
       if (n > 0) bodies.position[n / 2] = {1e6, -1e6, 2e6};
       return bodies;
     }},
    {"twelve decades",
     [](std::size_t n) {
       auto bodies = made("plummer", n);
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
         momentum <= most_momentum_made;
}

void compare_fmm(std::size_t bodies, std::vector<forces::Precision> const& precisions,
                 double accuracy, std::function<void(FmmErrors const&)> const& tell) {
  ExecutionSpace const space;
  for (auto const& sample : samples) {
    auto const host = sample.make(bodies);
    for (auto const precision : precisions) {
      forces::in_precision(precision, [&]<class Number>(Number) {
        FmmForces<Number> of(space, host, accuracy);
        // The first finds what the second decides by.
        of.evaluate();
        of.evaluate();
        auto const errors = of.errors(usual_sample);
        tell({sample.name, host.size(), precision, accuracy, errors.acceleration, errors.potential,
              of.momentum_made()});
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

std::string fmm_errors_line(FmmErrors const& of) {
  auto const& a = of.acceleration;
  return formatted("%-18s  %-9s  %9.2g %9.2g %9.2g %9.2g  %14.2g  %9.2g  %s\n",
                   of.configuration.c_str(), forces::name_of(of.precision).c_str(), a.median, a.p90,
                   a.p99, a.maximum, of.potential.p99, of.momentum, of.passed() ? "pass" : "FAIL");
}

std::string fmm_errors_json(std::vector<FmmErrors> const& rows) {
  std::vector<io::Record> records;
  for (auto const& of : rows) {
    records.push_back({{"bodies", static_cast<std::int64_t>(of.bodies)},
                       {"configuration", of.configuration},
                       {"solver", std::string("fmm")},
                       {"precision", forces::name_of(of.precision)},
                       {"accuracy", of.accuracy},
                       {"median", of.acceleration.median},
                       {"percentile_90", of.acceleration.p90},
                       {"percentile_99", of.acceleration.p99},
                       {"worst", of.acceleration.maximum},
                       {"potential_median", of.potential.median},
                       {"potential_percentile_99", of.potential.p99},
                       {"potential_worst", of.potential.maximum},
                       {"momentum", of.momentum},
                       {"passed", of.passed()}});
  }
  return io::to_json(environment_record(), records);
}

}  // namespace apsis::benchmark
