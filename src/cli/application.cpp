// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/cli/application.hpp>

#include <iostream>
#include <new>

namespace apsis::cli {

int application(int argc, char** argv) {
  std::vector<Command> const commands{run_command(),   check_command(),   schema_command(),
                                      bench_command(), compare_command(), info_command(),
                                      list_command(),  verify_command(),  convert_command()};
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
