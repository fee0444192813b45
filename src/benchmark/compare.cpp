// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include "bench.hpp"
#include "diagnostics/force_error_sample.hpp"
#include "files/record.hpp"
#include "fmm_forces.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/forces/direct.hpp>
#include <apsis/simulation/simulation.hpp>

#include <cmath>

namespace apsis::benchmark {

namespace {

constexpr forces::Gravity gravity{1.0, 0.01};
constexpr double far_away = 1e6;  // [length] along each axis

AccuracyLimits find_limits(forces::Precision precision) {
  switch (precision) {
    case forces::Precision::double_precision:
      return {{.median = 2e-15, .p99 = 2e-14, .maximum = 1e-12}, 2e-14};
    case forces::Precision::mixed:
      return {{.median = 1e-6, .p99 = 1e-5, .maximum = 1e-3}, 1e-6};
    default:
      return {{.median = 2e-6, .p99 = 2e-5, .maximum = 2e-3}, 2e-6};
  }
}

std::optional<AccuracyLimits> find_limits(forces::Precision precision, std::string const& kernel,
                                          std::size_t bodies, bool far) {
  bool const single = precision == forces::Precision::single_precision;
  // 24-bit coordinates far from the origin have too few digits for distances.
  if (single && far) return std::nullopt;
  auto limits = find_limits(precision);
  if (kernel == "pairwise_atomic") {
    // One sum over all bodies, without tiles: its rounding errors do a random walk.
    double const random_walk =
        (single ? 0x1p-24 : 0x1p-53) * std::sqrt(static_cast<double>(bodies));
    limits.acceleration.median += 0.5 * random_walk;
    limits.acceleration.p99 += 1.5 * random_walk;
    limits.acceleration.maximum += 10.0 * random_walk;
  }
  return limits;
}

struct Configuration {
  std::string name;
  bool far;
  HostBodies bodies;
  diagnostics::Field expected;
};

template <class Number>
Comparison compare_kernel(ExecutionSpace const& space, Configuration const& configuration,
                          std::string const& kernel) {
  auto const bodies = to_device<typename Number::Stored>(space, configuration.bodies);
  Column<double> const potential(Kokkos::view_alloc(space, "apsis::benchmark::potential"),
                                 bodies.size());
  forces::Direct<Number>(gravity, forces::DirectOptions{kernel})
      .evaluate(space, forces::accelerations_of(bodies, &potential));
  space.fence("apsis::benchmark::compare: the host reads");
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.acceleration);
  auto const phi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), potential);

  std::vector<double> acceleration_errors, potential_errors;
  for (std::size_t i = 0; i < configuration.bodies.size(); ++i) {
    Vec3<double> const acceleration{a(i, 0), a(i, 1), a(i, 2)};
    auto const expected = configuration.expected.acceleration[i];
    acceleration_errors.push_back(
        diagnostics::relative_error(norm(acceleration - expected), norm(expected)));
    potential_errors.push_back(
        diagnostics::relative_error(std::abs(phi(i) - configuration.expected.potential[i]),
                                    std::abs(configuration.expected.potential[i])));
  }
  auto const precision = forces::precision_for<Number>;
  return {configuration.name,
          kernel,
          precision,
          diagnostics::percentiles(std::move(acceleration_errors)),
          diagnostics::percentiles(std::move(potential_errors)),
          find_limits(precision, kernel, configuration.bodies.size(), configuration.far)};
}

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

bool Comparison::passed() const {
  if (!limits) return true;
  auto const& limit = limits->acceleration;
  return acceleration.median <= limit.median && acceleration.p99 <= limit.p99 &&
         acceleration.maximum <= limit.maximum && potential.maximum <= limits->potential;
}

void compare(std::size_t bodies, std::vector<forces::Precision> const& precisions,
             std::vector<std::string> const& kernels,
             std::function<void(Comparison const&)> const& report) {
  ExecutionSpace const space;
  for (bool const far : {false, true}) {
    Configuration configuration{far ? "offset 1e6" : "at origin", far, sample(bodies), {}};
    if (far) {
      for (auto& x : configuration.bodies.position) x += {far_away, far_away, far_away};
    }
    configuration.expected = diagnostics::reference_field(configuration.bodies, gravity);
    for (auto const precision : precisions) {
      forces::in_precision(precision, [&]<class Number>(Number) {
        for (auto const& kernel : kernels)
          report(compare_kernel<Number>(space, configuration, kernel));
      });
    }
  }
}

std::string compare_heading(std::size_t bodies) {
  return device_name() + ", Plummer sphere of " + std::to_string(bodies) +
         " bodies, softening 0.01\n"
         "relative errors of all bodies against compensated sums in double on the host\n\n" +
         formatted("%-10s  %-9s  %-15s  %9s %9s %9s  %15s  %s\n", "place", "precision", "kernel",
                   "median", "99 %", "worst", "potential worst", "");
}

std::string compare_line(Comparison const& c) {
  char const* const verdict = !c.limits ? "no limit" : c.passed() ? "pass" : "FAIL";
  return formatted("%-10s  %-9s  %-15s  %9.2g %9.2g %9.2g  %15.2g  %s\n", c.configuration.c_str(),
                   forces::name_of(c.precision).c_str(), c.kernel.c_str(), c.acceleration.median,
                   c.acceleration.p99, c.acceleration.maximum, c.potential.maximum, verdict);
}

std::string compare_verdict(std::size_t comparisons, std::size_t failed) {
  if (failed == 0) return formatted("\nall %zu comparisons are within their limits\n", comparisons);
  return formatted("\n%zu of %zu comparisons are outside their limits\n", failed, comparisons);
}

std::string compare_json(std::size_t bodies, std::vector<Comparison> const& comparisons) {
  std::vector<files::Record> rows;
  for (auto const& c : comparisons) {
    files::Record row{
        {"bodies", static_cast<std::int64_t>(bodies)},
        {"configuration", c.configuration},
        {"kernel", c.kernel},
        {"precision", forces::name_of(c.precision)},
        {"median", c.acceleration.median},
        {"percentile_99", c.acceleration.p99},
        {"worst", c.acceleration.maximum},
        {"potential_median", c.potential.median},
        {"potential_percentile_99", c.potential.p99},
        {"potential_worst", c.potential.maximum},
    };
    if (c.limits) {
      row.insert(row.end(), {{"limit_median", c.limits->acceleration.median},
                             {"limit_percentile_99", c.limits->acceleration.p99},
                             {"limit_worst", c.limits->acceleration.maximum},
                             {"limit_potential_worst", c.limits->potential}});
    }
    row.emplace_back("passed", c.passed());
    rows.push_back(std::move(row));
  }
  return files::to_json(environment_record(), rows);
}

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
