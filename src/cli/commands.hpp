// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <CLI/App.hpp>

#include <functional>

/// One function per subcommand: it declares its options and returns what to do if it is chosen.
namespace apsis::cli {

using Action = std::function<ExitStatus()>;

struct Command {
  CLI::App* app;
  Action action;
};

Command run_command(CLI::App& parent);
Command bench_command(CLI::App& parent);
Command compare_command(CLI::App& parent);
Command check_command(CLI::App& parent);
Command convert_command(CLI::App& parent);
Command schema_command(CLI::App& parent);
Command info_command(CLI::App& parent);
Command list_command(CLI::App& parent);
Command verify_command(CLI::App& parent);

}  // namespace apsis::cli
