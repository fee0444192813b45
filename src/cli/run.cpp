// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#if APSIS_ENABLE_VIEW
#include "live_options.hpp"
#include <apsis/driver/broadcast.hpp>
#endif
#include <apsis/core/text.hpp>
#include <apsis/deck/remarks.hpp>
#include <apsis/driver/loop.hpp>
#include <apsis/driver/signals.hpp>
#include <apsis/driver/simulation.hpp>

#include <chrono>
#include <csignal>
#include <iostream>
#include <unistd.h>

namespace apsis::cli {

namespace {

struct RunOptions {
  std::string deck;
  std::vector<std::string> overrides;
  std::string output;
  bool force = false;
  bool resume = false;
  bool resume_if_possible = false;
  bool allow_deck_change = false;
  bool is_from_run_directory =
      false;  ///< `deck` is the resolved deck of the run in the output directory
  bool quiet = false;
  bool share_gpus = false;
  std::optional<int> threads;
#if APSIS_ENABLE_VIEW
  bool view = false;
  LiveOptions live;
#endif
};

void warn(Problem const& problem) {
  std::cerr << "apsis: warning: " << problem.text() << std::endl;
}

driver::Existing choose_existing(RunOptions const& options) {
  return options.resume               ? driver::Existing::resume
         : options.resume_if_possible ? driver::Existing::resume_if_possible
         : options.force              ? driver::Existing::replace
                                      : driver::Existing::refuse;
}

/// Callbacks for viewers of a run; without viewers they do nothing.
struct ViewerHooks {
  std::function<void(deck::Configuration const&)> begin = [](deck::Configuration const&) {};
  std::function<void(deck::Configuration const&, driver::RunOutput&)> add =
      [](deck::Configuration const&, driver::RunOutput&) {};
  driver::Controls controls{};
  std::function<void(driver::Outcome const&)> end = [](driver::Outcome const&) {};
};

#if APSIS_ENABLE_VIEW
ViewerHooks make_viewer_hooks(RunOptions const& options) {
  if (!options.view) return {};
  auto const server = std::shared_ptr<view::Server>(
      serve(options.live, options.live.control ? ViewerRights::may_stop : ViewerRights::watch));
  auto const broadcast = std::make_shared<driver::Broadcast>(*server);
  ViewerHooks hooks;
  hooks.begin = [broadcast, deck = options.deck, control = options.live.control](auto const& run) {
    auto hello = driver::make_hello(run, run.title.empty() ? deck : run.title);
    hello.control = control;
    broadcast->discard_commands();
    broadcast->begin(hello,
                     forces::field_flops(run.gravity.precision, run.integrator.entry->derivatives));
  };
  hooks.add = [broadcast](deck::Configuration const& run, driver::RunOutput& output) {
    output.add("view", driver::OnError::warn,
               [&](driver::ErrorPolicy&) { return live_view(run, *broadcast); });
  };
  hooks.controls = {driver::viewers(*broadcast)};
  hooks.end = [server, broadcast](driver::Outcome const& outcome) { broadcast->end(outcome); };
  return hooks;
}
#else
ViewerHooks make_viewer_hooks(RunOptions const&) {
  return {};
}
#endif

/// Generates the bodies and runs them, or resumes a run from a checkpoint.
driver::Outcome run_deck(deck::ConfiguredDeck const& deck, driver::RunDirectory& directory,
                         std::optional<driver::Resumption> resumption, driver::Display display,
                         ViewerHooks const& hooks) {
  auto const& configuration = deck.configuration;
  std::unique_ptr<driver::Simulation> simulation;
  if (resumption) {
    for (auto const& remark : resumption->remarks) warn(remark);
  } else {
    constexpr std::uint64_t many_bodies = 10000;
    if (display.out != nullptr && configuration.bodies.count() >= many_bodies) {
      *display.out << "generating " << configuration.bodies.count() << " bodies" << std::endl;
    }
    auto const bodies = driver::make_bodies(configuration);
    if (display.style != driver::ProgressStyle::none) {
      auto const scales = deck::measure_scales(configuration, bodies);
      std::cout << deck::bodies_text(configuration, scales);
      for (auto const& remark : deck::remarks(configuration, bodies, scales)) {
        std::cout << printable(remark) << "\n";
      }
      std::cout << std::flush;
    }
    simulation = driver::make_simulation(configuration, bodies);
    directory.prepare();
  }
  driver::RunOutput output(configuration, directory, deck.resolved, display,
                           resumption ? &resumption->record : nullptr);
  output.warn = warn;
  hooks.add(configuration, output);
  if (resumption) {
    output.notify(&driver::Observer::note,
                  "resumes from generation " + std::to_string(resumption->generation.number) +
                      ": after step " + std::to_string(resumption->record.step) + " at time " +
                      shortest(configuration.time(resumption->record.step)));
  }
  auto outcome =
      resumption ? driver::resume(configuration, std::move(*resumption), output, hooks.controls)
                 : driver::simulate(configuration, std::move(simulation), output, hooks.controls);
  output.finish();
  driver::RunRecord record;
  output.record_progress(record);
  outcome.tables = record.tables_text();
  return outcome;
}

/// Replaces the directory of a run, given as the deck, by its resolved deck and itself as output
/// directory.
RunOptions resolve_run_directory(RunOptions options) {
  std::error_code ignored;
  auto const deck = driver::resolved_deck_in(options.deck);
  if (!deck) return options;
  if (!options.resume && !options.resume_if_possible && !options.force) {
    usage_error(options.deck, "is the directory of a run", "",
                "give --resume to continue it, --force to start it again, or " + deck->string() +
                    " with another --output");
  }
  if (options.output.empty()) options.output = options.deck;
  options.deck = deck->string();
  options.is_from_run_directory = true;
  return options;
}

/// Configures the deck for a run in this directory. Finds all errors of the deck before anything is
/// allocated or written.
deck::ConfiguredDeck configure_in(std::string const& text, RunOptions const& options,
                                  driver::RunDirectory const& directory) {
  if (!directory.resumes()) return deck::configure(text, options.deck, options.overrides);
  std::error_code ignored;
  bool const has_resolved_deck = std::filesystem::exists(directory.resolved_deck(), ignored);
  try {
    return deck::configure(
        text, options.deck, options.overrides, deck::BodiesFiles::leave,
        has_resolved_deck ? io::read_file(directory.resolved_deck(), io::deck_limit) : "");
  } catch (Error const& error) {
    if (!has_resolved_deck) throw;
    // Often the only cause of all these errors is that a --set of the original command is missing.
    auto problems = error.problems();
    problems.insert(problems.begin(),
                    {directory.path().string(), "cannot be continued with this deck", "",
                     "continue it unchanged, " + driver::resume_command(directory.path()) +
                         ", or correct the following errors"});
    throw Error(error.status(), std::move(problems));
  }
}

/// Opens the run directory. Errors of the deck are reported before errors of the directory, so that
/// a user does not fix one only to run into the other.
driver::RunDirectory open_directory(RunOptions const& options) {
  auto const path = options.output.empty() ? std::filesystem::path(options.deck).stem() += ".run"
                                           : std::filesystem::path(options.output);
  auto const existing_policy = choose_existing(options);
  try {
    return {path, existing_policy};
  } catch (Error const&) {
    deck::configure(deck::read_deck_file(options.deck), options.deck, options.overrides,
                    deck::BodiesFiles::leave);
    throw;
  }
}

/// Reports a run that is already finished. `steps`: number of steps of the deck.
ExitStatus report_finished(driver::FinishedRun const& run, std::uint64_t steps,
                           driver::RunDirectory const& directory, bool quiet) {
  bool const ended_early = run.exit == ExitStatus::not_conserved && run.steps < steps;
  if (!quiet) {
    std::cout
        << printable(directory.path().string()) << ": is finished: after step " << run.steps
        << " at time " << shortest(run.time) << ", " << run.status
        << (ended_early
                ? "; a limit ended it there: start it again with shorter steps and --force, "
                  "or continue it with a wider limit and --allow-deck-change"
                : "; to continue it, give a later end (--set run.end_time=... or run.steps=..., "
                  "whichever the deck has)")
        << std::endl;
  }
  if (!run.problem.empty()) std::cerr << "apsis: error: " << run.problem << "\n";
  return run.exit;
}

bool is_restart_requested(driver::Outcome const& outcome) {
  return outcome.stop.reason == driver::StopReason::restart && outcome.exit == ExitStatus::stopped;
}

/// Reports the end of a run to its directory, the terminal and viewers.
ExitStatus report_end(deck::Configuration const& run, driver::Outcome const& outcome,
                      driver::RunDirectory const& directory, ViewerHooks const& hooks, bool quiet) {
  io::write_file(directory.summary(), driver::summary_json(run, outcome));
  if (!quiet) {
    std::cout << driver::summary_text(run, outcome, directory.current_path().string())
              << std::flush;
  } else if (auto const remark = driver::summary_remark(run, outcome)) {
    warn({directory.path().string(), *remark, "", ""});
  }
  hooks.end(outcome);
  // A stop that was requested is not an error.
  auto const* const kind = outcome.exit == ExitStatus::stopped ? "note" : "error";
  for (auto const& problem : outcome.problems) {
    std::cerr << "apsis: " << kind << ": " << problem.text() << "\n";
  }
  return outcome.exit;
}

ExitStatus run(RunOptions const& command_options, RankContext const& ranks) {
  auto const options = resolve_run_directory(command_options);
  auto const start_time = std::chrono::steady_clock::now();
  auto directory = open_directory(options);
  directory.warn = warn;
  auto const text = deck::read_deck_file(options.deck);
  auto deck = configure_in(text, options, directory);
  // The deck of a run directory is an input that --force may replace: it has been read, and the new
  // run writes it again.
  if (options.is_from_run_directory) std::erase(deck.inputs, std::filesystem::path(options.deck));
  directory.check_inputs(deck.inputs);
  if (directory.resumes()) {
    auto const finished = driver::finished_run(deck, directory);
    if (finished) {
      return report_finished(*finished, deck.configuration.steps, directory, options.quiet);
    }
  }
  // A closed pipe must not end a run.
  std::signal(SIGPIPE, SIG_IGN);
  auto const set_up = [&] {
    auto& stop = deck.configuration.stop;
    if (!stop.stop_file.empty()) stop.stop_file = directory.path() / stop.stop_file;
    stop.job_end = driver::slurm_job_end();
    deck.configuration.use_all_threads = options.threads.has_value();
    driver::set_leader(deck, ranks.leader);
  };
  set_up();
  std::optional<driver::Resumption> resumption;
  bool const resumed = directory.resumes();
  if (resumed) {
    directory.prepare();
    resumption = driver::find_resumption(
        deck, directory,
        options.allow_deck_change ? driver::DeckChange::allow_safe : driver::DeckChange::refuse);
    deck.configuration.bodies.known_count = resumption->record.bodies.count;
  }

  auto const kokkos = kokkos_session(options.threads, ranks);
  std::vector<Problem> problems;
  deck::check_memory(deck.configuration, options.deck, problems);
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));

  if (ranks.leader) {
    ranks.leader->begin({options.threads, options.share_gpus, true}, this_member(ranks));
    if (auto const crowds = ranks.leader->oversubscription(); !crowds.empty()) {
      warn({"ranks", "share processors", crowds,
            "start fewer ranks, or give --threads or OMP_NUM_THREADS"});
    }
  }
  driver::Signals const signals(options.quiet ? -1 : STDOUT_FILENO,
                                driver::Signals::Until::end_of_process);
  auto const style =
      options.quiet ? driver::ProgressStyle::none
      : isatty(STDOUT_FILENO) != 0 && !ranks.leader  // mpirun gives only some ranks a terminal
          ? driver::ProgressStyle::terminal
          : driver::ProgressStyle::lines;
  driver::Display const display{style, options.quiet ? nullptr : &std::cout};
  if (!options.quiet && !deck.configuration.title.empty()) {
    std::cout << printable(deck.configuration.title) << std::endl;
  }
  if (!options.quiet && ranks.leader) {
    std::cout << printable(ranks.leader->summary()) << std::endl;
    auto const idle = ranks.leader->idle_ranks(deck.configuration.bodies.count());
    if (!idle.empty()) std::cout << idle << std::endl;
  }
  if (!options.quiet && !resumed) {
    for (auto const& remark : deck::remarks(deck.configuration)) {
      std::cout << printable(remark) << "\n";
    }
  }
  auto const hooks = make_viewer_hooks(options);
  for (;;) {
    hooks.begin(deck.configuration);
    auto const outcome = run_deck(deck, directory, std::move(resumption), display, hooks);
    if (!is_restart_requested(outcome)) {
      return report_end(deck.configuration, outcome, directory, hooks, options.quiet);
    }
    if (!options.quiet) {
      std::cout << (style == driver::ProgressStyle::terminal ? "\n" : "")
                << "starts again, as requested by a viewer" << std::endl;
    }
    resumption.reset();
    try {
      if (resumed) {  // the bodies came from the checkpoint
        deck = deck::configure(text, options.deck, options.overrides);
        set_up();
      }
      directory.prepare_restart();
    } catch (Error const&) {
      report_end(deck.configuration, outcome, directory, hooks, options.quiet);
      throw;
    }
    std::chrono::duration<double> const before = std::chrono::steady_clock::now() - start_time;
    deck.configuration.stop.wall_time_before = before.count();
  }
}

}  // namespace

Command run_command(RankContext const& ranks) {
  auto const options = std::make_shared<RunOptions>();
  std::string const contradiction = "one continues a run, the other removes it";
  return {"run",
          "Run a simulation described by a deck",
          {{"DECK", "JSON deck to run; with --resume or --force also the directory of a run",
            &options->deck},
           {"--set", "Override a deck value, e.g. gravity.softening=0.02 (repeatable)",
            TextList{&options->overrides, false}, "PATH=VALUE"},
           {"--output", "Directory to write to (default: <deck name>.run in the current directory)",
            &options->output, "DIR"},
           {"--force", "Replace an existing run in the output directory", &options->force},
           Option{"--resume",
                  "Continue the run in the output directory from its newest checkpoint; "
                  "run.end_time or run.steps may be larger than before",
                  &options->resume}
               .excludes({"--force"}, contradiction)
               .excludes({"--resume-if-possible"}),
           Option{"--resume-if-possible",
                  "Like --resume, but start a new run if there is none (for job scripts)",
                  &options->resume_if_possible}
               .excludes({"--force"}, contradiction),
           Option{"--allow-deck-change",
                  "With --resume: accept an earlier end and changed outputs and limits",
                  &options->allow_deck_change}
               .needs({"--resume", "--resume-if-possible"}),
           {"--quiet", "Print neither progress nor summary", &options->quiet},
#if APSIS_ENABLE_VIEW
           {"--view",
            "Show the running simulation in a browser; prints the URL (default: port 8642, "
            "or a free port; 0: a free port)",
            OptionalNumber{&options->view, &options->live.port, 0, 65535}, "[PORT]"},
           address_option("--view-address", options->live).needs({"--view"}),
           control_option("Allow viewers to pause, step, stop and restart the run", options->live)
               .needs({"--view"}),
#endif
           share_gpus_option(options->share_gpus),
           threads_option(options->threads)},
          [options, ranks] { return run(*options, ranks); }};
}

}  // namespace apsis::cli
