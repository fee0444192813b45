// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/cli/application.hpp>
#include <apsis/core/error.hpp>

#include <iostream>
#include <new>

namespace apsis::cli {

int application(int argc, char** argv) {
  std::vector<Command> const commands {
    run_command(), check_command(), schema_command(), bench_command(), compare_command(),
        info_command(), list_command(), verify_command(), convert_command(), render_command(),
#if APSIS_ENABLE_VIEW
        view_command(), demo_command(),
#endif
        help_command()
  };
  auto const* const command = parse(commands, argc, argv);
  if (command == nullptr) return static_cast<int>(ExitStatus::conserved);
  auto const status = command->action();
  // What a run prints is a courtesy; for every other command it is the result.
  bool const printed = static_cast<bool>(std::cout.flush());
  if (!printed && command->name != "run") {
    throw Error(ExitStatus::input_output, Problem{"standard output", "cannot be written", "",
                                                  "check free space and the reader"});
  }
  return static_cast<int>(status);
}

int report_exception() noexcept {
  try {
    throw;
  } catch (std::bad_alloc const&) {  // there is no memory to say more with
    std::cerr << "apsis: error: memory: exhausted; use fewer bodies\n";
    return static_cast<int>(ExitStatus::internal);
  } catch (...) {
    auto const error = error_from(std::current_exception());
    for (auto const& problem : error.problems()) {
      std::cerr << "apsis: error: " << problem.text() << "\n";
    }
    return static_cast<int>(error.status());
  }
}

}  // namespace apsis::cli
