// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/sample_bodies.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/diagnostics/measurement.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/leader.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/driver/simulation.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

/// Runs of one process beside the same runs of all ranks, for tests that the first rank runs while
/// the other ranks follow.
namespace apsis::testing {

inline std::shared_ptr<driver::Leader> leader;  ///< of all ranks
// So many threads stand for ranks that all have the same device, or that cannot start.
inline constexpr int of_one_device = 77, cannot_start = 78;

inline driver::Member member(std::string const& device, std::string const& address) {
  driver::Member of;
  of.host = "here";
  of.device = device;
  of.address = address;
  of.executable = driver::this_executable();
  of.threads = 2;
  of.processors = "01101";
  return of;
}

inline std::string const law = R"({"bodies": {"generator": "plummer", "count": 2, "seed": 1},
  "gravity": {"softening": 0.125}, "run": {"steps": 100},
  "integrator": {"name": "leapfrog_kdk", "time_step": 0.015625}})";

/// One run by this process alone, and the same by all.
struct Twins {
  std::unique_ptr<driver::Simulation> alone, shared;

  Twins() = default;
  Twins(HostBodies const& bodies, std::vector<std::string> const& overrides) {
    auto run = driver::configure(law, "deck", overrides).configuration;
    alone = driver::make_simulation(run, bodies);
    share(run, overrides);
    shared = driver::make_simulation(run, bodies);
  }
  static void share(driver::Configuration& run, std::vector<std::string> const& overrides) {
    auto deck = driver::configure(law, "deck", overrides);
    driver::share(deck, leader);
    run.leader = leader;
  }
  template <class Act>
  void each(Act const& act) const {
    act(*alone);
    act(*shared);
  }
};

inline std::vector<StateBlock> state_of(driver::Simulation& run) {
  SavedState state;
  run.exchange(state);
  return state.blocks();
}

/// The first block that differs; nothing if none does.
inline std::string difference(std::vector<StateBlock> const& a, std::vector<StateBlock> const& b) {
  if (a.size() != b.size()) return "other blocks";
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].name != b[i].name) return a[i].name + " and " + b[i].name;
    if (a[i].bytes != b[i].bytes) return a[i].name;
  }
  return "";
}

template <class T>
bool same_bits(T const& a, T const& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// A third of the bodies has mass: those in front, or every third one.
inline HostBodies with_massless(std::size_t count, bool in_front) {
  auto bodies = sample_bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    bool const heavy = in_front ? 3 * i < count : i % 3 == 1;
    if (!heavy) bodies.mass[i] = 0.0;
  }
  return bodies;
}

inline std::string const steppings[]{
    R"({"mode": "fixed"})", R"({"mode": "adaptive", "criterion": "softened_acceleration"})",
    R"({"mode": "adaptive"})", R"({"mode": "block"})"};

inline bool knows(integrators::IntegratorEntry const& method, std::string const& precision,
                  std::string const& stepping) {
  // The fifth derivatives that hermite6's own criterion looks at may be rounding but in double.
  bool const rounding = method.derivatives > 1 && precision != "double";
  if (stepping == steppings[2]) return !method.criterion.empty() && !rounding;
  return stepping != steppings[3] || method.has_blocks();
}

/// The overrides of each way to step that a method knows, compensated sums included.
inline std::vector<std::vector<std::string>> ways_to_step(
    integrators::IntegratorEntry const& method, std::string const& precision) {
  std::vector<std::vector<std::string>> ways;
  for (auto const& stepping : steppings) {
    if (!knows(method, precision, stepping)) continue;
    std::vector<std::string> way{"integrator.name=" + method.name,
                                 "gravity.precision=" + precision};
    if (stepping != steppings[0]) way.push_back("integrator.stepping=" + stepping);
    ways.push_back(way);
    for (auto const& parameter : method.parameters) {
      if (parameter.name != "compensated") continue;
      way.push_back("integrator.compensated=true");
      ways.push_back(way);
    }
  }
  return ways;
}

}  // namespace apsis::testing
