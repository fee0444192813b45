// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/core/text.hpp>
#include <apsis/driver/loop.hpp>
#include <apsis/driver/signals.hpp>
#include <apsis/driver/simulation.hpp>

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
  bool allow_deck_change = false;
  bool quiet = false;
  std::optional<int> threads;
};

void warn(Problem const& problem) {
  std::cerr << "apsis: warning: " << problem.text() << std::endl;
}

driver::Existing existing(RunOptions const& options) {
  if (options.resume && options.force) {
    usage_error("--resume", "contradicts --force", "one goes on with a run, the other removes it",
                "leave one of them out");
  }
  if (options.allow_deck_change && !options.resume) {
    usage_error("--allow-deck-change", "is for --resume", "", "leave it out");
  }
  return options.resume  ? driver::Existing::resume
         : options.force ? driver::Existing::replace
                         : driver::Existing::refuse;
}

/// Makes the bodies and runs them, or goes on with a run from a checkpoint.
driver::Outcome done(driver::ConfiguredDeck const& deck, driver::RunDirectory& directory,
                     std::optional<driver::Resumption> from, driver::Display display) {
  auto const& configuration = deck.configuration;
  HostBodies bodies;
  if (from) {
    for (auto const& remark : from->remarks) warn(remark);
  } else {
    bodies = driver::make_bodies(configuration);
    directory.prepare();
  }
  driver::RunOutput output(configuration, directory, deck.resolved, display,
                           from ? &from->record : nullptr);
  output.warn = warn;
  if (from) {
    output.each(&driver::Observer::note,
                "resumes from generation " + std::to_string(from->generation.number) +
                    ": after step " + std::to_string(from->record.step) + " at time " +
                    shortest(configuration.time(from->record.step)));
  }
  auto outcome = from ? driver::resume(configuration, std::move(*from), output)
                      : driver::simulate(configuration, bodies, output);
  output.finish();
  return outcome;
}

ExitStatus run(RunOptions const& options) {
  auto const existing_run = existing(options);
  // Everything that can be wrong with the deck is found before anything is allocated or written.
  auto deck =
      driver::configure(io::read_file(options.deck), options.deck, options.overrides,
                        options.resume ? driver::BodiesFiles::leave : driver::BodiesFiles::read);
  auto& configuration = deck.configuration;

  driver::RunDirectory directory(options.output.empty()
                                     ? std::filesystem::path(options.deck).stem() += ".run"
                                     : std::filesystem::path(options.output),
                                 existing_run);
  auto& stop_file = configuration.stop.stop_file;
  if (!stop_file.empty()) stop_file = directory.path() / stop_file;
  configuration.stop.job_end = driver::slurm_job_end();
  configuration.use_all_threads = options.threads.has_value();
  // A reader that goes away, or a file that may not grow, is an error to report and not to die of.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::optional<driver::Resumption> from;
  if (options.resume) {
    directory.prepare();
    from = driver::find_resumption(
        deck, directory,
        options.allow_deck_change ? driver::DeckChange::allow_safe : driver::DeckChange::refuse);
    configuration.known_count = from->record.bodies.count;
  }

  auto const kokkos = kokkos_session(options.threads);
  std::vector<Problem> problems;
  driver::check_memory(configuration, options.deck, problems);
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));

  driver::Signals const signals;
  auto const style = options.quiet                ? driver::ProgressStyle::none
                     : isatty(STDOUT_FILENO) != 0 ? driver::ProgressStyle::terminal
                                                  : driver::ProgressStyle::lines;
  driver::Display const display{style, &std::cout};
  if (!options.quiet && !configuration.title.empty()) std::cout << configuration.title << std::endl;
  if (configuration.file && !options.quiet) {
    for (auto const& words : configuration.file->unused) std::cout << "not used: " << words << "\n";
  }
  auto const outcome = done(deck, directory, std::move(from), display);
  io::write_file(directory.summary(), driver::summary_json(configuration, outcome));
  if (!options.quiet) {
    std::cout << driver::summary_text(configuration, outcome, directory.path().string())
              << std::flush;
  }
  for (auto const& problem : outcome.problems) {
    std::cerr << "apsis: error: " << problem.text() << "\n";
  }
  return outcome.exit;
}

}  // namespace

Command run_command() {
  auto const options = std::make_shared<RunOptions>();
  return {"run",
          "Run a deck",
          {{"DECK", "JSON deck to run", &options->deck},
           {"--set", "Change a value of the deck, e.g. gravity.softening=0.02 (repeatable)",
            Words{&options->overrides, false}, "PATH=VALUE"},
           {"--output", "Directory to write to (default: <deck name>.run in the current directory)",
            &options->output, "DIR"},
           {"--force", "Replace the run that the output directory holds", &options->force},
           {"--resume",
            "Go on with the run that the output directory holds, from its newest checkpoint",
            &options->resume},
           {"--allow-deck-change", "With --resume: accept another end, other outputs and limits",
            &options->allow_deck_change},
           {"--quiet", "Show neither progress nor summary", &options->quiet},
           threads_option(options->threads)},
          [options] { return run(*options); }};
}

}  // namespace apsis::cli
