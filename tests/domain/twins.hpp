// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics/measurement.hpp"
#include "support/integrators.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/simulation/leader.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

/// Pairs of equal runs, one on one rank and one on all ranks, for tests that the leader rank
/// executes while the other ranks follow.
namespace apsis::testing {

inline std::shared_ptr<simulation::Leader> leader;  ///< leader of all ranks
// Numbers of threads that simulate ranks which all have the same device, or which cannot start.
inline constexpr int of_one_device = 77, cannot_start = 78;

inline simulation::RankInfo member(std::string const& device, std::string const& address) {
  simulation::RankInfo result;
  result.host = "here";
  result.device = device;
  result.address = address;
  result.executable = this_executable();
  result.threads = 2;
  result.processors = "01101";
  return result;
}

inline std::string const law = R"({"bodies": {"generator": "plummer", "count": 2, "seed": 1},
  "gravity": {"softening": 0.125}, "run": {"steps": 100},
  "integrator": {"name": "leapfrog_kdk", "time_step": 0.015625}})";

/// A run on this rank alone and the same run on all ranks.
struct RunPair {
  std::unique_ptr<simulation::Simulation> alone, shared;

  RunPair() = default;
  RunPair(HostBodies const& bodies, std::vector<std::string> const& overrides) {
    auto run = deck::configure(law, "deck", overrides).configuration;
    alone = simulation::make_simulation(run, bodies);
    share(run, overrides);
    shared = simulation::make_simulation(run, bodies);
  }
  static void share(deck::Configuration& run, std::vector<std::string> const& overrides) {
    auto deck = deck::configure(law, "deck", overrides);
    simulation::set_leader(deck, leader);
    run.leader = leader;
  }
  template <class Action>
  void apply(Action const& action) const {
    action(*alone);
    action(*shared);
  }
};

inline std::vector<StateBlock> state_of(simulation::Simulation& run) {
  SavedState state;
  run.exchange(state);
  return state.blocks();
}

/// Returns the name of the first block that differs; empty if all blocks are equal.
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

/// Compares all members, because there are bytes of padding behind them.
inline bool same_bits(simulation::CoarsestPassage const& a, simulation::CoarsestPassage const& b) {
  return same_bits(a.measure, b.measure) && same_bits(a.limit, b.limit) &&
         same_bits(a.distance, b.distance) && same_bits(a.time, b.time) && a.body == b.body &&
         a.massive == b.massive && a.kind == b.kind && a.is_massless == b.is_massless;
}

/// Compares all numbers of two measurements; the flags have bytes of padding beside them.
inline bool same_bits(diagnostics::Measurement const& a, diagnostics::Measurement const& b) {
  auto const sums = [](diagnostics::Measurement const& m) {
    return std::array{m.kinetic,
                      m.potential,
                      m.extra_energy,
                      m.internal_kinetic,
                      m.mass,
                      m.momentum.x,
                      m.momentum.y,
                      m.momentum.z,
                      m.angular_momentum.x,
                      m.angular_momentum.y,
                      m.angular_momentum.z,
                      m.center_of_mass.x,
                      m.center_of_mass.y,
                      m.center_of_mass.z,
                      m.test_particle_energy_error,
                      m.moved.energy,
                      m.moved.momentum.x,
                      m.moved.momentum.y,
                      m.moved.momentum.z,
                      m.moved.angular_momentum.x,
                      m.moved.angular_momentum.y,
                      m.moved.angular_momentum.z};
  };
  return same_bits(sums(a), sums(b)) && a.conserved.energy == b.conserved.energy &&
         a.conserved.momentum == b.conserved.momentum &&
         a.conserved.angular_momentum == b.conserved.angular_momentum &&
         a.conserved.internal_energy == b.conserved.internal_energy &&
         a.conserved.massless_energies == b.conserved.massless_energies;
}

/// Returns bodies of which a third is massive: the first ones or every third one.
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
inline std::string const own_stepping = R"({"mode": "own"})";

/// Whether a method supports a stepping in this precision.
inline bool supports(integrators::IntegratorEntry const& method, std::string const& precision,
                     std::string const& stepping) {
  // The criterion of hermite6 uses fifth derivatives, which are rounding errors except in double.
  bool const rounding = method.derivatives > 1 && precision != "double";
  if (stepping == steppings[2]) return !method.criterion.empty() && !rounding;
  return stepping != steppings[3] || method.has_blocks();
}

/// Returns the overrides of each stepping that a method supports, with and without compensated
/// (Kahan) sums.
inline std::vector<std::vector<std::string>> stepping_overrides(
    integrators::IntegratorEntry const& method, std::string const& precision) {
  if (method.has_own_steps()) {
    if (method.needs_exact_forces && precision != "double") return {};
    return {{"integrator.name=" + method.name, "integrator.stepping=" + own_stepping}};
  }
  std::vector<std::vector<std::string>> result;
  for (auto const& stepping : steppings) {
    if (!supports(method, precision, stepping)) continue;
    std::vector<std::string> overrides{"integrator.name=" + method.name,
                                       "gravity.precision=" + precision};
    if (stepping != steppings[0]) overrides.push_back("integrator.stepping=" + stepping);
    result.push_back(overrides);
    for (auto const& parameter : method.parameters) {
      if (parameter.name != "compensated") continue;
      overrides.push_back("integrator.compensated=true");
      result.push_back(overrides);
    }
  }
  return result;
}

}  // namespace apsis::testing
