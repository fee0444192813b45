// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/cli/application.hpp>
#include <apsis/core/build_info.hpp>
#include <apsis/core/text.hpp>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <iostream>
#include <new>

namespace apsis::cli {

namespace {

[[noreturn]] void usage_error(std::string const& what, std::string const& advice) {
  throw Error(ExitStatus::usage, Problem{"command line", what, "", advice});
}

/// A first word that is no command is named, with the command it resembles.
void check_command_word(int argc, char** argv, CLI::App const& app) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (auto const* command : app.get_subcommands({})) {
    if (command->get_name() == argv[1]) return;
    names.push_back(command->get_name());
  }
  auto const close = nearest(argv[1], names);
  usage_error("unknown command '" + std::string(argv[1]) + "'",
              close.empty() ? "use one of " + quoted_list(names) : "did you mean '" + close + "'?");
}

}  // namespace

int application(int argc, char** argv) {
  CLI::App app("Gravitational N-body simulation that proves what it conserved", "apsis");
  app.require_subcommand(1);
  app.set_version_flag("--version", build_info().version);
  Command const commands[]{run_command(app),   check_command(app),   schema_command(app),
                           bench_command(app), compare_command(app), info_command(app),
                           list_command(app),  verify_command(app),  convert_command(app)};
  check_command_word(argc, argv, app);
  try {
    app.parse(argc, argv);
  } catch (CLI::Success const& success) {  // --help and --version are answers, not errors
    return app.exit(success);
  } catch (CLI::ParseError const& error) {
    usage_error(error.what(), "see 'apsis --help'");
  }
  for (auto const& command : commands) {
    if (!command.app->parsed()) continue;
    auto const status = command.action();
    // What a run prints is a courtesy; for every other command it is the result.
    bool const printed = static_cast<bool>(std::cout.flush());
    if (!printed && command.app->get_name() != "run") {
      throw Error(ExitStatus::input_output, Problem{"standard output", "cannot be written", "",
                                                    "check free space and the reader"});
    }
    return static_cast<int>(status);
  }
  return static_cast<int>(ExitStatus::usage);
}

int report_exception() noexcept {
  try {
    throw;
  } catch (Error const& error) {
    for (auto const& problem : error.problems()) {
      std::cerr << "apsis: error: " << problem.text() << "\n";
    }
    return static_cast<int>(error.status());
  } catch (std::bad_alloc const&) {
    std::cerr << "apsis: error: memory: exhausted; use fewer bodies\n";
  } catch (std::exception const& error) {
    std::string what = error.what();
    for (char& c : what) c = c == '\n' ? ' ' : c;
    std::cerr << "apsis: error: internal: " << what << "; please report this as a bug\n";
  } catch (...) {
    std::cerr << "apsis: error: internal: unknown exception; please report this as a bug\n";
  }
  return static_cast<int>(ExitStatus::internal);
}

}  // namespace apsis::cli
