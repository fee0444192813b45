// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "kokkos_session.hpp"
#include <apsis/driver/run_directory.hpp>
#include <apsis/driver/summary.hpp>
#include <apsis/io/csv_metadata.hpp>

#include <csignal>
#include <iostream>
#include <memory>
#include <unistd.h>

namespace apsis::cli {

namespace {

struct RunOptions {
  std::string deck;
  std::vector<std::string> overrides;
  std::string output;
  bool force = false;
  bool quiet = false;
  std::optional<int> threads;
};

ExitStatus run(RunOptions const& options) {
  // Everything that can be wrong with the deck is found before anything is allocated or written.
  auto deck = driver::configure(io::read_file(options.deck), options.deck, options.overrides);
  auto& configuration = deck.configuration;

  driver::RunDirectory const directory(options.output.empty()
                                           ? driver::RunDirectory::default_for(options.deck)
                                           : std::filesystem::path(options.output),
                                       options.force);
  auto& stop_file = configuration.stop.stop_file;
  if (!stop_file.empty()) stop_file = directory.path() / stop_file;
  // A reader that goes away, or a file that may not grow, is an error to report and not to die of.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);

  KokkosSession const kokkos(options.threads);
  std::vector<Problem> problems;
  driver::check_memory(configuration.memory(), options.deck, problems);
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));

  ExecutionSpace const space;
  auto const bodies = driver::make_bodies(space, configuration);
  directory.prepare();
  io::write_file(directory.resolved_deck(), deck.resolved);
  io::LineFile log(directory.conservation());
  io::write_file(driver::RunDirectory::metadata_of(directory.conservation()),
                 io::csv_metadata(directory.conservation().filename().string(),
                                  diagnostics::conservation_columns(), configuration.units));
  driver::DiagnosticTables tables(configuration, directory);
  auto const style = options.quiet                ? driver::ProgressStyle::none
                     : isatty(STDOUT_FILENO) != 0 ? driver::ProgressStyle::terminal
                                                  : driver::ProgressStyle::lines;
  driver::Progress progress(style, std::cout);
  if (!options.quiet && !configuration.title.empty()) std::cout << configuration.title << std::endl;

  auto const outcome = driver::simulate(space, configuration, bodies, log, tables, progress);
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

Command run_command(CLI::App& parent) {
  auto* const app = parent.add_subcommand("run", "Run a deck");
  auto const options = std::make_shared<RunOptions>();
  app->add_option("DECK", options->deck, "JSON deck to run")->required();
  app->add_option("--set", options->overrides,
                  "Change a value of the deck, e.g. gravity.softening=0.02 (repeatable)")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  app->add_option("--output", options->output,
                  "Directory to write to (default: <deck name>.run in the current directory)")
      ->type_name("DIR");
  app->add_flag("--force", options->force, "Replace the run that the output directory holds");
  app->add_flag("--quiet", options->quiet, "Show neither progress nor summary");
  app->add_option("--threads", options->threads, "Threads to run on (default: all available)")
      ->type_name("N")
      ->check(CLI::Range(1, 65536));
  return {app, [options] { return run(*options); }};
}

}  // namespace apsis::cli
