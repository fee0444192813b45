// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "files/file.hpp"
#include "files/json_data.hpp"
#include "run/estimate.hpp"
#include <apsis/core/text.hpp>
#include <apsis/deck/remarks.hpp>
#include <apsis/forces/fmm_options.hpp>
#include <apsis/forces/solver_entry.hpp>
#include <apsis/run/run_directory.hpp>
#include <apsis/simulation/simulation.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

namespace apsis::cli {

namespace {

/// Largest number of bodies that are generated for a check, which takes about two seconds. Bodies
/// that are rescaled by their energies need sweeps over all pairs, hence the smaller limit.
constexpr std::uint64_t max_bodies = 2'000'000;
constexpr std::uint64_t max_rescaled_bodies = 20'000;

struct CheckOptions {
  std::string deck;
  std::vector<std::string> overrides;
  bool json = false;
};

/// Generates sample bodies in place of a run's bodies that are too many to be generated.
HostBodies make_sample_bodies(std::size_t count) {
  HostBodies bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto const k = static_cast<double>(i);
    bodies.mass[i] = 1.0 / static_cast<double>(count);
    bodies.position[i] = {std::cos(k), std::sin(k), std::cos(0.7 * k)};
  }
  return bodies;
}

/// Runs that take longer get a note about the faster solver [s].
constexpr double long_run = 600.0;

/// Returns the estimate for the solver fmm, if it is much faster than direct summation.
std::optional<run::Estimate> estimate_fmm(deck::Configuration const& run, HostBodies const& bodies,
                                          run::Estimate const& direct_estimate) {
  if (run.gravity.solver->cost_exponent < 2 || direct_estimate.total(run.steps) < long_run)
    return {};
  auto fmm_run = run;
  auto const& fmm = forces::solvers().get("fmm");
  fmm_run.gravity.solver = &fmm;
  fmm_run.gravity.values = defaults(fmm.parameters);
  auto const demand = fmm_run.gravity.demand(fmm_run.integrator);
  bool const is_possible = demand.derivatives <= fmm.derivatives && fmm.check(demand).empty();
  if (!is_possible) return {};
  auto const faster = run::estimate(fmm_run, bodies, static_cast<double>(run.bodies.count()));
  if (faster.total(run.steps) > 0.5 * direct_estimate.total(run.steps)) return {};
  return faster;
}

struct CheckFacts {
  std::string source;
  deck::ConfiguredDeck deck;
  deck::MemoryNeed memory{};
  /// Number of bodies above which they are not generated; empty if they are.
  std::optional<std::uint64_t> limit{};
  deck::Scales scales{};  ///< of the bodies, if they are generated
  std::vector<std::string> remarks{};
  run::Estimate estimate{};
  std::optional<run::Estimate> fmm_estimate{};

  deck::Configuration const& run() const { return deck.configuration; }
};

/// Adds scales, remarks and estimates. Bodies that the run would refuse are refused here too,
/// unless they take too long to generate.
void measure(CheckFacts& facts) {
  constexpr std::size_t most_timed = 65536;
  auto const& run = facts.run();
  auto const limit = run.bodies.is_rescaled() ? max_rescaled_bodies : max_bodies;
  if (run.bodies.count() > limit) facts.limit = limit;
  auto const bodies =
      facts.limit ? make_sample_bodies(std::min<std::size_t>(run.bodies.count(), most_timed))
                  : simulation::make_bodies(run);
  facts.remarks = deck::remarks(run);
  if (!facts.limit) {
    facts.scales = deck::measure_scales(run, bodies);
    for (auto& remark : deck::remarks(run, bodies, facts.scales)) {
      facts.remarks.push_back(std::move(remark));
    }
    if (auto const drift = deck::remark_on_drift(run, bodies)) {
      facts.remarks.push_back("note: " + *drift);
    }
  }
  facts.estimate = run::estimate(run, bodies, static_cast<double>(run.bodies.count()));
  facts.fmm_estimate = estimate_fmm(run, bodies, facts.estimate);
  if (facts.fmm_estimate) {
    facts.remarks.push_back("note: the solver fmm takes " +
                            run::estimate_text(*facts.fmm_estimate, run.steps) +
                            " (--set gravity.solver=fmm); 99 % of its accelerations are within " +
                            shortest(forces::FmmOptions().accuracy));
  }
}

std::string bodies_text(CheckFacts const& facts) {
  auto const& run = facts.run();
  if (!facts.limit) return deck::bodies_text(run, facts.scales);
  return "more than " + std::to_string(*facts.limit) + " bodies" +
         (run.bodies.henon_units     ? " in Henon units"
          : run.bodies.is_rescaled() ? " with a virial_ratio"
                                     : "") +
         ": mass and size are printed by run\nunits " + run.units.short_words() + "\n";
}

std::string text_of(CheckFacts const& facts) {
  auto const& run = facts.run();
  double const memory = facts.memory.device + facts.memory.host;
  std::string text =
      printable(facts.source) + ": good\n" + std::to_string(run.bodies.count()) + " bodies, " +
      std::to_string(run.steps) + " steps of " + shortest(run.integrator.time_step) +
      " to t = " + run.units.with_short_unit(shortest(run.time(run.steps)), dimension::time) +
      ", " + run.integrator.entry->name + ", " + forces::name_of(run.gravity.precision) +
      " precision, " + std::to_string(static_cast<std::uint64_t>(memory / 0x1p20) + 1) +
      " MiB of memory\n" + bodies_text(facts) + "takes " +
      run::estimate_text(facts.estimate, run.steps) + " on this machine (estimate)\n";
  for (auto const& remark : facts.remarks) text += printable(remark) + "\n";
  return text;
}

files::JsonData data_of(Units const& units) {
  files::JsonData si;
  if (units.si) {
    si = files::JsonData::Object{
        {"length", units.si->length}, {"mass", units.si->mass}, {"time", units.si->time}};
  }
  return files::JsonData::Object{
      {"system", units.system}, {"length", units.length},
      {"mass", units.mass},     {"time", units.time},
      {"G", units.G},           {"velocity_in_km_s", units.velocity_in_km_s()},
      {"si", std::move(si)}};
}

files::JsonData data_of(diagnostics::SystemScales const& scales) {
  files::JsonData passage;
  if (scales.shortest_passage) {
    passage = files::JsonData::Object{{"time", scales.shortest_passage->time},
                                      {"pericentre", scales.shortest_passage->pericentre}};
  }
  return files::JsonData::Object{{"mass", scales.mass},
                                 {"lightest", scales.lightest},
                                 {"heaviest", scales.heaviest},
                                 {"massless", scales.massless},
                                 {"half_mass_radius", scales.half_mass_radius},
                                 {"half_number_radius", scales.half_number_radius},
                                 {"radius", scales.radius},
                                 {"crossing_time", scales.crossing_time},
                                 {"relaxation_time", scales.relaxation_time},
                                 {"shortest_period", scales.shortest_period},
                                 {"shortest_passage", std::move(passage)}};
}

files::JsonData data_of(run::Estimate const& estimate, std::uint64_t steps) {
  return files::JsonData::Object{{"seconds", estimate.total(steps)},
                                 {"seconds_per_step", estimate.step},
                                 {"seconds_of_output", estimate.scheduled_part(steps)},
                                 {"at_least", estimate.at_least}};
}

files::JsonData data_of(CheckFacts const& facts) {
  auto const& run = facts.run();
  std::vector<std::string> remarks;
  for (std::string_view remark : facts.remarks) {
    constexpr std::string_view head = "note: ";
    if (remark.starts_with(head)) remark.remove_prefix(head.size());
    remarks.emplace_back(remark);
  }
  files::JsonData scales;
  files::JsonData::Array parts;
  if (!facts.limit) scales = data_of(facts.scales.whole);
  for (auto const& part : facts.scales.parts) parts.push_back(data_of(part));
  return files::JsonData::Object{
      {"source", facts.source},
      {"bodies", run.bodies.count()},
      {"steps", run.steps},
      {"time_step", run.integrator.time_step},
      {"start_time", run.time(0)},
      {"end_time", run.time(run.steps)},
      {"integrator", run.integrator.entry->name},
      {"solver", run.gravity.solver->name},
      {"precision", forces::name_of(run.gravity.precision)},
      {"memory", facts.memory.device + facts.memory.host},
      {"memory_on_device", facts.memory.device},
      {"seconds", facts.estimate.total(run.steps)},
      {"estimate", data_of(facts.estimate, run.steps)},
      {"estimate_with_fmm",
       facts.fmm_estimate ? data_of(*facts.fmm_estimate, run.steps) : files::JsonData()},
      {"units", data_of(run.units)},
      {"scales", std::move(scales)},
      {"parts", std::move(parts)},
      {"remarks", remarks},
      {"resolved", files::JsonText{facts.deck.resolved}},
      {"text", text_of(facts)}};
}

ExitStatus check(CheckOptions options) {
  if (auto const deck = run::resolved_deck_in(options.deck)) options.deck = deck->string();
  CheckFacts facts{options.deck, deck::configure(deck::read_deck_file(options.deck), options.deck,
                                                 options.overrides)};
  auto const kokkos = kokkos_session(std::nullopt);
  std::vector<Problem> problems;
  deck::check_memory(facts.run(), options.deck, problems);
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
  facts.memory = deck::memory_need(facts.run());
  measure(facts);
  std::cout << (options.json ? files::to_json(data_of(facts)) : text_of(facts));
  return ExitStatus::conserved;
}

}  // namespace

Command check_command() {
  auto const options = std::make_shared<CheckOptions>();
  return {"check",
          "Check a deck and estimate memory and run time, without running it",
          {{"DECK", "JSON deck to check, or the directory of a run", &options->deck},
           {"--set", "Override a deck value, e.g. gravity.softening=0.02 (repeatable)",
            TextList{&options->overrides, false}, "PATH=VALUE"},
           json_option(options->json)},
          [options] { return check(*options); },
          true};
}

}  // namespace apsis::cli
