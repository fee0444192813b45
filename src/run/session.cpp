// SPDX-License-Identifier: Apache-2.0
#include "apsis/run/session.hpp"

#include "run/directory/run_record.hpp"
#include <apsis/core/text.hpp>
#include <apsis/deck/remarks.hpp>
#include <apsis/simulation/leader.hpp>

#include <ostream>
#include <utility>

namespace apsis::run {

namespace {

/// If the order names the directory of a run as its deck, makes that the output directory and its
/// resolved deck the deck. Returns whether the deck is an input, which must not be replaced.
bool resolve_deck(Order& order) {
  if (order.text) return false;
  auto const deck = resolved_deck_in(order.deck);
  if (!deck) return true;
  if (order.existing == Existing::refuse) {
    throw Error(ExitStatus::usage,
                Problem{order.deck, "is the directory of a run", "",
                        "give --resume to continue it, --force to start it again, or " +
                            deck->string() + " with another --output"});
  }
  if (order.output.empty()) order.output = order.deck;
  order.deck = deck->string();
  return false;
}

std::string deck_text(Order const& order) {
  return order.text ? *order.text : deck::read_deck_file(order.deck);
}

/// Opens the directory. If that fails, errors of the deck come first.
RunDirectory open_directory(Order const& order) {
  auto const path = order.output.empty() ? std::filesystem::path(order.deck).stem() += ".run"
                                         : std::filesystem::path(order.output);
  try {
    return {path, order.existing};
  } catch (Error const&) {
    deck::configure(deck_text(order), order.deck, order.overrides, deck::BodiesFiles::leave);
    throw;
  }
}

/// Configures the deck for a run in this directory. Throws all errors of the deck at once, before
/// anything is allocated or written.
deck::ConfiguredDeck configure_in(std::string const& text, Order const& order,
                                  RunDirectory const& directory) {
  if (!directory.resumes()) return deck::configure(text, order.deck, order.overrides);
  std::error_code ignored;
  bool const has_resolved_deck = std::filesystem::exists(directory.resolved_deck(), ignored);
  try {
    return deck::configure(
        text, order.deck, order.overrides, deck::BodiesFiles::leave,
        has_resolved_deck ? files::read_file(directory.resolved_deck(), files::deck_limit) : "");
  } catch (Error const& error) {
    if (!has_resolved_deck) throw;
    // Often all these errors have one cause: a --set of the original command is missing.
    auto problems = error.problems();
    problems.insert(problems.begin(),
                    {directory.path().string(), "cannot be continued with this deck", "",
                     "continue it unchanged, " + resume_command(directory.path()) +
                         ", or correct the following errors"});
    throw Error(error.status(), std::move(problems));
  }
}

void announce_remarks(std::vector<std::string> const& remarks, Hooks const& hooks) {
  for (auto const& remark : remarks) {
    if (hooks.display.out != nullptr) *hooks.display.out << printable(remark) << "\n";
    if (hooks.remark) hooks.remark(remark);
  }
}

/// Prints what is known before the bodies are made.
void announce(deck::Configuration const& run, bool resumed, Hooks const& hooks) {
  if (auto* const out = hooks.display.out) {
    if (!run.title.empty()) *out << printable(run.title) << std::endl;
    if (run.leader) {
      *out << printable(run.leader->summary()) << std::endl;
      auto const idle = run.leader->idle_ranks(run.bodies.count());
      if (!idle.empty()) *out << idle << std::endl;
    }
  }
  if (!resumed) announce_remarks(deck::remarks(run), hooks);
}

HostBodies make_announced_bodies(deck::Configuration const& run, Hooks const& hooks) {
  constexpr std::uint64_t many_bodies = 10000;
  auto* const out = hooks.display.out;
  if (out != nullptr && run.bodies.count() >= many_bodies) {
    *out << "generating " << run.bodies.count() << " bodies" << std::endl;
  }
  auto bodies = simulation::make_bodies(run);
  if (out != nullptr || hooks.remark) {
    auto const scales = deck::measure_scales(run, bodies);
    if (out != nullptr) *out << deck::bodies_text(run, scales);
    announce_remarks(deck::remarks(run, bodies, scales), hooks);
    if (out != nullptr) *out << std::flush;
  }
  return bodies;
}

bool is_restart_requested(Outcome const& outcome) {
  return outcome.stop.reason == StopReason::restart && outcome.exit == ExitStatus::stopped;
}

}  // namespace

Session::Session(Order order)
    : order_(std::move(order)),
      is_input_(resolve_deck(order_)),
      directory_(open_directory(order_)),
      text_(deck_text(order_)),
      deck_(configure_in(text_, order_, directory_)) {
  // The resolved deck in the directory has been read, and the new run writes it again.
  if (!is_input_) std::erase(deck_.inputs, std::filesystem::path(order_.deck));
  directory_.check_inputs(deck_.inputs);
}

/// Adds to the configuration what the deck does not contain.
void Session::add_environment() {
  auto& run = deck_.configuration;
  if (!run.stop.stop_file.empty()) run.stop.stop_file = directory_.path() / run.stop.stop_file;
  run.stop.job_end = slurm_job_end();
  run.use_all_threads = order_.threads.has_value();
  set_leader(deck_, order_.leader);
}

Outcome Session::run(Hooks const& hooks) {
  directory_.warn = hooks.warn;
  bool const resumed = directory_.resumes();
  if (resumed) {
    if (auto finished = finished_run(deck_, directory_)) {
      Outcome outcome;
      outcome.exit = finished->exit;
      outcome.steps = finished->steps;
      outcome.finished = std::move(finished);
      return outcome;
    }
  }
  add_environment();
  std::optional<Resumption> resumption;
  if (resumed) {
    directory_.prepare();
    resumption = find_resumption(deck_, directory_, order_.deck_change);
    deck_.configuration.bodies.known_count = resumption->record.bodies.count;
  }
  hooks.initialise(order_.threads);
  std::vector<Problem> problems;
  deck::check_memory(deck_.configuration, order_.deck, problems);
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
  hooks.prepare();
  announce(deck_.configuration, resumed, hooks);
  for (;;) {
    hooks.begin(deck_.configuration);
    auto outcome = run_once(std::exchange(resumption, std::nullopt), hooks);
    if (!is_restart_requested(outcome)) {
      end(outcome, hooks);
      return outcome;
    }
    if (auto* const out = hooks.display.out) {
      *out << (hooks.display.style == ProgressStyle::terminal ? "\n" : "")
           << "starts again, as requested by a viewer" << std::endl;
    }
    try {
      restart(resumed);
    } catch (Error const&) {
      end(outcome, hooks);
      throw;
    }
  }
}

/// Generates the bodies and runs them, or resumes a run from a checkpoint.
Outcome Session::run_once(std::optional<Resumption> resumption, Hooks const& hooks) {
  auto const& run = deck_.configuration;
  std::unique_ptr<simulation::Simulation> simulation;
  if (resumption) {
    for (auto const& remark : resumption->remarks) hooks.warn(remark);
  } else {
    simulation = simulation::make_simulation(run, make_announced_bodies(run, hooks));
    directory_.prepare();
  }
  RunOutput output(run, directory_, deck_.resolved, hooks.display,
                   resumption ? &resumption->record : nullptr);
  output.warn = hooks.warn;
  hooks.add_observers(run, output);
  if (resumption) {
    output.notify(&Observer::note, "resumes from generation " +
                                       std::to_string(resumption->generation.number) +
                                       ": after step " + std::to_string(resumption->record.step) +
                                       " at time " + shortest(run.time(resumption->record.step)));
  }
  auto outcome = resumption ? run::resume(run, std::move(*resumption), output, hooks.controls)
                            : run::simulate(run, std::move(simulation), output, hooks.controls);
  output.finish();
  RunRecord record;
  output.record_progress(record);
  outcome.tables = record.tables_text();
  return outcome;
}

void Session::restart(bool resumed) {
  if (resumed) {  // the bodies came from the checkpoint
    deck_ = deck::configure(text_, order_.deck, order_.overrides);
    add_environment();
  }
  directory_.prepare_restart();
  std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start_;
  deck_.configuration.stop.wall_time_before = elapsed.count();
}

void Session::end(Outcome const& outcome, Hooks const& hooks) const {
  files::write_file(directory_.summary(), summary_json(deck_.configuration, outcome));
  hooks.end(outcome);
}

}  // namespace apsis::run
