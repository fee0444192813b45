// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/cli/application.hpp>
#include <apsis/core/build_info.hpp>
#include <apsis/core/text.hpp>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <iostream>

namespace apsis::cli {

namespace {

[[noreturn]] void usage_error(std::string const& what, CLI::App const& app) {
  std::string advice = "see 'apsis --help'";
  std::vector<std::string> names;
  for (auto const* command : app.get_subcommands({})) names.push_back(command->get_name());
  auto const first = what.find(": ");
  if (first != std::string::npos) {
    auto const close =
        nearest(what.substr(first + 2, what.find(' ', first + 2) - first - 2), names);
    if (!close.empty()) advice = "did you mean '" + close + "'?";
  }
  std::string one_line = what;
  for (char& c : one_line) c = c == '\n' ? ' ' : c;
  throw Error(ExitStatus::usage, Problem{"command line", one_line, "", advice});
}

}  // namespace

int application(int argc, char** argv) {
  CLI::App app("Gravitational N-body simulation that proves what it conserved", "apsis");
  app.require_subcommand(1);
  app.set_version_flag("--version", build_info().version);
  Command const commands[]{run_command(app), check_command(app), schema_command(app),
                           info_command(app), list_command(app)};
  try {
    app.parse(argc, argv);
  } catch (CLI::Success const& success) {  // --help and --version are answers, not errors
    return app.exit(success);
  } catch (CLI::ParseError const& error) {
    usage_error(error.what(), app);
  }
  for (auto const& command : commands) {
    if (command.app->parsed()) return static_cast<int>(command.action());
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
