// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include <apsis/core/text.hpp>
#include <apsis/deck/remarks.hpp>
#include <apsis/driver/estimate.hpp>
#include <apsis/driver/run_directory.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/forces/fmm_options.hpp>
#include <apsis/forces/solver_entry.hpp>
#include <apsis/io/file.hpp>

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

/// Returns a note with the estimated time of the solver fmm, if it is much faster than direct
/// summation.
std::optional<std::string> make_fmm_note(deck::Configuration const& run, HostBodies const& bodies,
                                         driver::Estimate const& direct_estimate) {
  if (run.gravity.solver->cost_exponent < 2 || direct_estimate.total(run.steps) < long_run)
    return {};
  auto fmm_run = run;
  auto const& fmm = forces::solvers().get("fmm");
  fmm_run.gravity.solver = &fmm;
  fmm_run.gravity.values = defaults(fmm.parameters);
  auto const demand = fmm_run.gravity.demand(fmm_run.integrator);
  bool const is_possible = demand.derivatives <= fmm.derivatives && fmm.check(demand).empty();
  if (!is_possible) return {};
  auto const faster = driver::estimate(fmm_run, bodies, static_cast<double>(run.bodies.count()));
  if (faster.total(run.steps) > 0.5 * direct_estimate.total(run.steps)) return {};
  return "note: the solver fmm takes " + driver::estimate_text(faster, run.steps) +
         " (--set gravity.solver=fmm); 99 % of its accelerations are within " +
         shortest(forces::FmmOptions().accuracy);
}

/// Kind of system and estimated time of a run. Bodies that the run would refuse are refused here
/// too, unless they take too long to generate.
struct Summary {
  std::string bodies;
  std::vector<std::string> remarks;
  std::string duration;
};
Summary summarise(deck::Configuration const& run) {
  constexpr std::size_t most_timed = 65536;
  auto const limit = run.bodies.is_rescaled() ? max_rescaled_bodies : max_bodies;
  bool const too_many = run.bodies.count() > limit;
  auto const bodies =
      too_many ? make_sample_bodies(std::min<std::size_t>(run.bodies.count(), most_timed))
               : driver::make_bodies(run);
  deck::Scales scales;
  std::vector<std::string> remarks;
  if (!too_many) {
    scales = deck::measure_scales(run, bodies);
    remarks = deck::remarks(run, bodies, scales);
    if (auto const drift = deck::remark_on_drift(run, bodies)) {
      remarks.push_back("note: " + *drift);
    }
  }
  auto const estimate = driver::estimate(run, bodies, static_cast<double>(run.bodies.count()));
  if (auto const note = make_fmm_note(run, bodies, estimate)) remarks.push_back(*note);
  return {too_many
              ? "more than " + std::to_string(limit) + " bodies" +
                    (run.bodies.henon_units     ? " in Henon units"
                     : run.bodies.is_rescaled() ? " with a virial_ratio"
                                                : "") +
                    ": mass and size are printed by run\nunits " + run.units.short_words() + "\n"
              : deck::bodies_text(run, scales),
          std::move(remarks), driver::estimate_text(estimate, run.steps)};
}

ExitStatus check(CheckOptions options) {
  if (auto const deck = driver::resolved_deck_in(options.deck)) options.deck = deck->string();
  auto const deck =
      deck::configure(deck::read_deck_file(options.deck), options.deck, options.overrides);
  auto const& run = deck.configuration;
  auto const kokkos = kokkos_session(std::nullopt);
  std::vector<Problem> problems;
  deck::check_memory(run, options.deck, problems);
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
  auto const [bodies, remarks, duration] = summarise(run);
  auto const need = deck::memory_need(run);
  std::cout << printable(options.deck) << ": good\n"
            << run.bodies.count() << " bodies, " << run.steps << " steps of "
            << shortest(run.integrator.time_step) << " to t = "
            << run.units.with_short_unit(shortest(run.time(run.steps)), dimension::time) << ", "
            << run.integrator.entry->name << ", " << forces::name_of(run.gravity.precision)
            << " precision, " << static_cast<std::uint64_t>((need.device + need.host) / 0x1p20) + 1
            << " MiB of memory\n"
            << bodies << "takes " << duration << " on this machine (estimate)\n";
  for (auto const& remark : deck::remarks(run)) std::cout << printable(remark) << "\n";
  for (auto const& remark : remarks) std::cout << printable(remark) << "\n";
  return ExitStatus::conserved;
}

}  // namespace

Command check_command() {
  auto const options = std::make_shared<CheckOptions>();
  return {"check",
          "Check a deck and estimate memory and run time, without running it",
          {{"DECK", "JSON deck to check, or the directory of a run", &options->deck},
           {"--set", "Override a deck value, e.g. gravity.softening=0.02 (repeatable)",
            TextList{&options->overrides, false}, "PATH=VALUE"}},
          [options] { return check(*options); },
          true};
}

}  // namespace apsis::cli
