// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/core/text.hpp>
#include <apsis/driver/estimate.hpp>
#include <apsis/driver/remarks.hpp>
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

/// Bodies that are made for a look at them: in some two seconds. Exact Henon units are found in
/// sweeps over all pairs.
constexpr std::uint64_t most_bodies = 2'000'000;
constexpr std::uint64_t most_bodies_in_henon_units = 20'000;

struct CheckOptions {
  std::string deck;
  std::vector<std::string> overrides;
};

/// Bodies that stand for those of a run that are too many to be made for a look at them.
HostBodies stand_in(std::size_t count) {
  HostBodies bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto const k = static_cast<double>(i);
    bodies.mass[i] = 1.0 / static_cast<double>(count);
    bodies.position[i] = {std::cos(k), std::sin(k), std::cos(0.7 * k)};
  }
  return bodies;
}

/// Runs that take longer are worth a look at the faster solver [s].
constexpr double long_run = 600.0;

/// A note that names the solver fmm and its estimate, where it is much faster than all pairs.
std::optional<std::string> note_on_fmm(driver::Configuration const& run, HostBodies const& bodies,
                                       driver::Estimate const& of_pairs) {
  if (run.solver->name != "direct" || of_pairs.total(run.steps) < long_run) return {};
  auto other = run;
  other.solver = &forces::solvers().at("fmm");
  other.solver_values = defaults(other.solver->parameters);
  auto const demand = other.demand(other);
  bool const can =
      demand.derivatives <= other.solver->derivatives && other.solver->check(demand).empty();
  if (!can) return {};
  auto const faster = driver::estimate(other, bodies, static_cast<double>(run.bodies()));
  if (faster.total(run.steps) > 0.5 * of_pairs.total(run.steps)) return {};
  return "note: the solver fmm takes " + driver::estimate_text(faster, run.steps) +
         " (--set gravity.solver=fmm); 99 % of its accelerations are within " +
         shortest(forces::FmmOptions().accuracy);
}

/// What kind of system the bodies are, or why that is not said, and what the run will take. Bodies
/// that the run would refuse are refused here too, but for those that take long to make.
struct Look {
  std::string bodies;
  std::vector<std::string> remarks;
  std::string takes;
};
Look look_at(driver::Configuration const& run) {
  constexpr std::size_t most_timed = 65536;
  auto const most = run.henon_units ? most_bodies_in_henon_units : most_bodies;
  bool const too_many = run.bodies() > most;
  auto const bodies = too_many ? stand_in(std::min<std::size_t>(run.bodies(), most_timed))
                               : driver::make_bodies(run);
  driver::Scales scales;
  std::vector<std::string> remarks;
  if (!too_many) {
    scales = driver::measure_scales(run, bodies);
    remarks = driver::remarks(run, bodies, scales);
    if (auto const drift = driver::remark_on_drift(run, bodies)) {
      remarks.push_back("note: " + *drift);
    }
  }
  auto const estimate = driver::estimate(run, bodies, static_cast<double>(run.bodies()));
  if (auto const note = note_on_fmm(run, bodies, estimate)) remarks.push_back(*note);
  return {too_many ? "more than " + std::to_string(most) + " bodies" +
                         (run.henon_units ? " in Henon units" : "") +
                         ": run says what mass and size they have\nunits " +
                         run.units.short_words() + "\n"
                   : driver::bodies_text(run, scales),
          std::move(remarks), driver::estimate_text(estimate, run.steps)};
}

ExitStatus check(CheckOptions options) {
  if (auto const deck = driver::resolved_deck_in(options.deck)) options.deck = deck->string();
  auto const deck =
      driver::configure(driver::read_deck_file(options.deck), options.deck, options.overrides);
  auto const& run = deck.configuration;
  auto const kokkos = kokkos_session(std::nullopt);
  std::vector<Problem> problems;
  driver::check_memory(run, options.deck, problems);
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
  auto const [bodies, remarks, takes] = look_at(run);
  auto const need = driver::memory_need(run);
  std::cout << printable(options.deck) << ": good\n"
            << run.bodies() << " bodies, " << run.steps << " steps of " << shortest(run.time_step)
            << " to t = "
            << run.units.with_short_unit(shortest(run.time(run.steps)), dimension::time) << ", "
            << run.integrator->name << ", " << forces::name_of(run.precision) << " precision, "
            << static_cast<std::uint64_t>((need.device + need.host) / 0x1p20) + 1
            << " MiB of memory\n"
            << bodies << "takes " << takes << " on this machine, as a short look says\n";
  for (auto const& remark : driver::remarks(run)) std::cout << printable(remark) << "\n";
  for (auto const& remark : remarks) std::cout << printable(remark) << "\n";
  return ExitStatus::conserved;
}

}  // namespace

Command check_command() {
  auto const options = std::make_shared<CheckOptions>();
  return {"check",
          "Check a deck and run nothing",
          {{"DECK", "JSON deck to check, or the directory of a run", &options->deck},
           {"--set", "Change a value of the deck before it is checked (repeatable)",
            Words{&options->overrides, false}, "PATH=VALUE"}},
          [options] { return check(*options); },
          true};
}

}  // namespace apsis::cli
