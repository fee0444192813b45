// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#if APSIS_ENABLE_VIEW
#include "live_options.hpp"
#include <apsis/driver/broadcast.hpp>
#endif
#include <apsis/core/text.hpp>
#include <apsis/driver/loop.hpp>
#include <apsis/driver/remarks.hpp>
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
  bool of_directory = false;  ///< the deck is that of the run that is there
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

driver::Existing existing(RunOptions const& options) {
  return options.resume               ? driver::Existing::resume
         : options.resume_if_possible ? driver::Existing::resume_if_possible
         : options.force              ? driver::Existing::replace
                                      : driver::Existing::refuse;
}

/// Who else takes part in a run: nobody, or viewers.
struct Company {
  std::function<void(driver::Configuration const&)> begin = [](driver::Configuration const&) {};
  std::function<void(driver::Configuration const&, driver::RunOutput&)> add =
      [](driver::Configuration const&, driver::RunOutput&) {};
  driver::Controls controls{};
  std::function<void(driver::Outcome const&)> part = [](driver::Outcome const&) {};
};

#if APSIS_ENABLE_VIEW
Company viewers(RunOptions const& options) {
  if (!options.view) return {};
  auto const server = std::shared_ptr<view::Server>(
      serve(options.live, options.live.control ? Viewers::may_stop : Viewers::watch));
  auto const to = std::make_shared<driver::Broadcast>(*server);
  Company company;
  company.begin = [to, deck = options.deck, control = options.live.control](auto const& run) {
    auto hello = driver::make_hello(run, run.title.empty() ? deck : run.title);
    hello.control = control;
    to->discard_commands();
    to->begin(hello, forces::field_flops(run.precision, run.integrator->derivatives));
  };
  company.add = [to](driver::Configuration const& run, driver::RunOutput& output) {
    output.add("view", driver::OnError::warn,
               [&](driver::ErrorPolicy&) { return live_view(run, *to); });
  };
  company.controls = {driver::viewers(*to)};
  company.part = [server, to](driver::Outcome const& outcome) { to->end(outcome); };
  return company;
}
#else
Company viewers(RunOptions const&) {
  return {};
}
#endif

/// Makes the bodies and runs them, or goes on with a run from a checkpoint.
driver::Outcome done(driver::ConfiguredDeck const& deck, driver::RunDirectory& directory,
                     std::optional<driver::Resumption> from, driver::Display display,
                     Company const& company) {
  auto const& configuration = deck.configuration;
  std::unique_ptr<driver::Simulation> simulation;
  if (from) {
    for (auto const& remark : from->remarks) warn(remark);
  } else {
    constexpr std::uint64_t many_bodies = 10000;
    if (display.out != nullptr && configuration.bodies() >= many_bodies) {
      *display.out << "makes " << configuration.bodies() << " bodies" << std::endl;
    }
    auto const bodies = driver::make_bodies(configuration);
    if (display.style != driver::ProgressStyle::none) {
      auto const scales = driver::measure_scales(configuration, bodies);
      std::cout << driver::bodies_text(configuration, scales);
      for (auto const& remark : driver::remarks(configuration, bodies, scales)) {
        std::cout << printable(remark) << "\n";
      }
      std::cout << std::flush;
    }
    simulation = driver::make_simulation(configuration, bodies);
    directory.prepare();
  }
  driver::RunOutput output(configuration, directory, deck.resolved, display,
                           from ? &from->record : nullptr);
  output.warn = warn;
  company.add(configuration, output);
  if (from) {
    output.notify(&driver::Observer::note,
                  "resumes from generation " + std::to_string(from->generation.number) +
                      ": after step " + std::to_string(from->record.step) + " at time " +
                      shortest(configuration.time(from->record.step)));
  }
  auto outcome =
      from ? driver::resume(configuration, std::move(*from), output, company.controls)
           : driver::simulate(configuration, std::move(simulation), output, company.controls);
  output.finish();
  driver::RunRecord left;
  output.record_progress(left);
  outcome.tables = left.tables_text();
  return outcome;
}

/// A run's directory stands for its deck with every default filled in, and for the directory.
RunOptions of_directory(RunOptions options) {
  std::error_code ignored;
  auto const deck = driver::resolved_deck_in(options.deck);
  if (!deck) return options;
  if (!options.resume && !options.resume_if_possible && !options.force) {
    usage_error(options.deck, "is the directory of a run", "",
                "give --resume to go on with it, or --force to begin it again, or " +
                    deck->string() + " with another --output");
  }
  if (options.output.empty()) options.output = options.deck;
  options.deck = deck->string();
  options.of_directory = true;
  return options;
}

/// The deck as it is to be run in the directory. Everything that can be wrong with it is found
/// before anything is allocated or written.
driver::ConfiguredDeck configured(std::string const& text, RunOptions const& options,
                                  driver::RunDirectory const& directory) {
  if (!directory.resumes()) return driver::configure(text, options.deck, options.overrides);
  std::error_code ignored;
  bool const known = std::filesystem::exists(directory.resolved_deck(), ignored);
  try {
    return driver::configure(text, options.deck, options.overrides, driver::BodiesFiles::leave,
                             known ? io::read_file(directory.resolved_deck(), io::deck_limit) : "");
  } catch (Error const& error) {
    if (!known) throw;
    // A --set that was forgotten is all that is wrong, however much follows from it.
    auto problems = error.problems();
    problems.insert(problems.begin(),
                    {directory.path().string(), "cannot go on with this deck", "",
                     "go on as it was begun, " + driver::resume_command(directory.path()) +
                         ", or mend what follows"});
    throw Error(error.status(), std::move(problems));
  }
}

/// What is wrong with a deck is said before what is wrong with the directory: a user who mends one
/// would run into the other.
driver::RunDirectory directory_of(RunOptions const& options) {
  auto const path = options.output.empty() ? std::filesystem::path(options.deck).stem() += ".run"
                                           : std::filesystem::path(options.output);
  auto const there = existing(options);
  try {
    return {path, there};
  } catch (Error const&) {
    driver::configure(driver::read_deck_file(options.deck), options.deck, options.overrides,
                      driver::BodiesFiles::leave);
    throw;
  }
}

/// `steps` of the deck.
ExitStatus tell_finished(driver::FinishedRun const& run, std::uint64_t steps,
                         driver::RunDirectory const& directory, bool quiet) {
  bool const broke_off = run.exit == ExitStatus::not_conserved && run.steps < steps;
  if (!quiet) {
    std::cout << printable(directory.path().string()) << ": is finished: after step " << run.steps
              << " at time " << shortest(run.time) << ", " << run.status
              << (broke_off
                      ? "; a limit ended it there: start it again with shorter steps and --force, "
                        "or go on with a wider limit and --allow-deck-change"
                      : "; goes on with a later end (--set run.end_time=... or run.steps=..., "
                        "whichever it has)")
              << std::endl;
  }
  if (!run.problem.empty()) std::cerr << "apsis: error: " << run.problem << "\n";
  return run.exit;
}

bool begins_again(driver::Outcome const& outcome) {
  return outcome.stop.reason == driver::StopReason::restart && outcome.exit == ExitStatus::stopped;
}

/// What is told of a run that is over: to its directory, the terminal and viewers.
ExitStatus tell(driver::Configuration const& run, driver::Outcome const& outcome,
                driver::RunDirectory const& directory, Company const& company, bool quiet) {
  io::write_file(directory.summary(), driver::summary_json(run, outcome));
  if (!quiet) {
    std::cout << driver::summary_text(run, outcome, directory.current_path().string())
              << std::flush;
  } else if (auto const remark = driver::summary_remark(run, outcome)) {
    warn({directory.path().string(), *remark, "", ""});
  }
  company.part(outcome);
  // A stop that was asked for is no error.
  auto const* const kind = outcome.exit == ExitStatus::stopped ? "note" : "error";
  for (auto const& problem : outcome.problems) {
    std::cerr << "apsis: " << kind << ": " << problem.text() << "\n";
  }
  return outcome.exit;
}

ExitStatus run(RunOptions const& given, Together const& with) {
  auto const options = of_directory(given);
  auto const began = std::chrono::steady_clock::now();
  auto directory = directory_of(options);
  directory.warn = warn;
  auto const text = driver::read_deck_file(options.deck);
  auto deck = configured(text, options, directory);
  // That of the run which is replaced was read, and is written again.
  if (options.of_directory) std::erase(deck.inputs, std::filesystem::path(options.deck));
  directory.check_inputs(deck.inputs);
  if (directory.resumes()) {
    auto const finished = driver::finished_run(deck, directory);
    if (finished) {
      return tell_finished(*finished, deck.configuration.steps, directory, options.quiet);
    }
  }
  // A reader that goes away must not end a run.
  std::signal(SIGPIPE, SIG_IGN);
  auto const set_up = [&] {
    auto& stop = deck.configuration.stop;
    if (!stop.stop_file.empty()) stop.stop_file = directory.path() / stop.stop_file;
    stop.job_end = driver::slurm_job_end();
    deck.configuration.use_all_threads = options.threads.has_value();
    driver::set_leader(deck, with.leader);
  };
  set_up();
  std::optional<driver::Resumption> from;
  bool const resumed = directory.resumes();
  if (resumed) {
    directory.prepare();
    from = driver::find_resumption(
        deck, directory,
        options.allow_deck_change ? driver::DeckChange::allow_safe : driver::DeckChange::refuse);
    deck.configuration.known_count = from->record.bodies.count;
  }

  auto const kokkos = kokkos_session(options.threads, with);
  std::vector<Problem> problems;
  driver::check_memory(deck.configuration, options.deck, problems);
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));

  if (with.leader) {
    with.leader->begin({options.threads, options.share_gpus, true}, this_member(with));
    if (auto const crowds = with.leader->oversubscription(); !crowds.empty()) {
      warn({"processes", "are in each other's way", crowds,
            "start fewer, or give --threads or OMP_NUM_THREADS"});
    }
  }
  driver::Signals const signals(options.quiet ? -1 : STDOUT_FILENO,
                                driver::Signals::Until::end_of_process);
  auto const style =
      options.quiet ? driver::ProgressStyle::none
      : isatty(STDOUT_FILENO) != 0 && !with.leader  // mpirun gives one to whom it likes
          ? driver::ProgressStyle::terminal
          : driver::ProgressStyle::lines;
  driver::Display const display{style, options.quiet ? nullptr : &std::cout};
  if (!options.quiet && !deck.configuration.title.empty()) {
    std::cout << printable(deck.configuration.title) << std::endl;
  }
  if (!options.quiet && with.leader) {
    std::cout << printable(with.leader->summary()) << std::endl;
    auto const idle = with.leader->idle_ranks(deck.configuration.bodies());
    if (!idle.empty()) std::cout << idle << std::endl;
  }
  if (!options.quiet && !resumed) {
    for (auto const& remark : driver::remarks(deck.configuration)) {
      std::cout << printable(remark) << "\n";
    }
  }
  auto const company = viewers(options);
  for (;;) {
    company.begin(deck.configuration);
    auto const outcome = done(deck, directory, std::move(from), display, company);
    if (!begins_again(outcome)) {
      return tell(deck.configuration, outcome, directory, company, options.quiet);
    }
    if (!options.quiet) {
      std::cout << (style == driver::ProgressStyle::terminal ? "\n" : "")
                << "begins again, as a viewer asked" << std::endl;
    }
    from.reset();
    try {
      if (resumed) {  // its bodies were the checkpoint's
        deck = driver::configure(text, options.deck, options.overrides);
        set_up();
      }
      directory.prepare_restart();
    } catch (Error const&) {
      tell(deck.configuration, outcome, directory, company, options.quiet);
      throw;
    }
    std::chrono::duration<double> const before = std::chrono::steady_clock::now() - began;
    deck.configuration.stop.wall_time_before = before.count();
  }
}

}  // namespace

Command run_command(Together const& with) {
  auto const options = std::make_shared<RunOptions>();
  std::string const opposite = "one goes on with a run, the other removes it";
  return {"run",
          "Run a deck",
          {{"DECK", "JSON deck to run; with --resume or --force the directory of a run",
            &options->deck},
           {"--set", "Change a value of the deck, e.g. gravity.softening=0.02 (repeatable)",
            Words{&options->overrides, false}, "PATH=VALUE"},
           {"--output", "Directory to write to (default: <deck name>.run in the current directory)",
            &options->output, "DIR"},
           {"--force", "Replace the run that the output directory holds", &options->force},
           Option{"--resume",
                  "Go on with the run that the output directory holds, from its newest checkpoint, "
                  "also to a later end",
                  &options->resume}
               .excludes({"--force"}, opposite)
               .excludes({"--resume-if-possible"}),
           Option{"--resume-if-possible",
                  "The same, or start afresh if there is no run to go on with; for job scripts",
                  &options->resume_if_possible}
               .excludes({"--force"}, opposite),
           Option{"--allow-deck-change",
                  "With --resume: accept an earlier end, other outputs and limits",
                  &options->allow_deck_change}
               .needs({"--resume", "--resume-if-possible"}),
           {"--quiet", "Show neither progress nor summary", &options->quiet},
#if APSIS_ENABLE_VIEW
           {"--view",
            "Show the run in a browser as it goes on; the address is printed (default: port 8642, "
            "or any that is free; 0: any)",
            WithOrWithout{&options->view, &options->live.port, 0, 65535}, "[PORT]"},
           address_option("--view-address", options->live).needs({"--view"}),
           control_option("Viewers may pause, step, stop and restart the run", options->live)
               .needs({"--view"}),
#endif
           share_gpus_option(options->share_gpus),
           threads_option(options->threads)},
          [options, with] { return run(*options, with); }};
}

}  // namespace apsis::cli
