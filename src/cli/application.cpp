// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/cli/application.hpp>
#include <apsis/cli/last_words.hpp>
#include <apsis/core/build_info.hpp>
#include <apsis/core/error.hpp>

#include <iostream>
#include <new>

namespace apsis::cli {

namespace {

/// Refuses to be one of several processes that a launcher started and that know nothing of each
/// other: each would do the whole command, in the same directory.
void check_launch(bool has_mpi) {
  auto const [processes, variable] = launch();
  if (processes <= 1) return;
  std::string const backend = build_info().backend;
  auto const* const preset = backend == "cuda"  ? "cuda-hopper90-mpi"
                             : backend == "hip" ? "hip-gfx90a-mpi"
                                                : "openmp-mpi";
  usage_error("command line", "one of " + std::to_string(processes) + " separate processes",
              variable + " is set, and " +
                  (has_mpi ? "MPI connects this process to no other"
                           : "this executable was built without MPI"),
              (has_mpi ? std::string("use the launcher of the MPI that it was built with")
                       : std::string("build the preset ") + preset) +
                  ", or start it once; for independent runs unset " + variable);
}

int obey(int argc, char** argv, Together const& with, bool has_mpi) {
  std::vector<Command> const commands {
    run_command(with), check_command(), schema_command(), bench_command(with), compare_command(),
        info_command(with), list_command(), verify_command(with), convert_command(),
        render_command(),
#if APSIS_ENABLE_VIEW
        view_command(), demo_command(),
#endif
        help_command()
  };
  auto const* const command = parse(commands, argc, argv);
  if (command != nullptr && !command->only_prints && !with.leader) check_launch(has_mpi);
  auto const status = command != nullptr ? command->action() : ExitStatus::conserved;
  // What a run prints is a courtesy; for every other command, and for help, it is the result.
  bool const printed = static_cast<bool>(std::cout.flush());
  if (!printed && (command == nullptr || command->name != "run")) {
    throw Error(ExitStatus::input_output, Problem{"standard output", "cannot be written", "",
                                                  "check free space and the reader"});
  }
  return static_cast<int>(status);
}

std::string words_of(int argc, char** argv) {
  std::string words;
  for (int k = 1; k < argc; ++k) words += (k > 1 ? " " : "") + std::string(argv[k]);
  return words;
}

/// What one of the others does.
int serve(StartedTogether const& together, std::string const& words) {
  Together const with{{}, together.threads, together.processors, words};
  auto const begin = [&](driver::SharingOptions const& how, std::shared_ptr<void>& kept) {
    kept = kokkos_session(how.threads, with);
    return this_member(with);
  };
  return static_cast<int>(driver::follow(together.communicator, begin));
}

}  // namespace

int application(int argc, char** argv, bool has_mpi) {
  return obey(argc, argv, {}, has_mpi);
}

int application(int argc, char** argv, StartedTogether const& together) {
  auto const& others = together.communicator;
  if (others->rank() != 0) {
    try {
      return serve(together, words_of(argc, argv));
    } catch (...) {
      together.end_all(meant(report_exception()));
      return static_cast<int>(ExitStatus::internal);
    }
  }
  auto const leader = std::make_shared<driver::Leader>(others);
  int status = 0;
  try {
    status = obey(argc, argv, {leader, together.threads, together.processors, words_of(argc, argv)},
                  true);
  } catch (...) {
    status = report_exception();
  }
  std::cout.flush();
  if (leader->is_broken()) together.end_all(meant(status));
  leader->release(static_cast<ExitStatus>(status));
  return status;
}

int report_exception() noexcept {
  try {
    throw;
  } catch (std::bad_alloc const&) {  // there is no memory to say more with
    std::cerr << "apsis: error: memory: exhausted; raise its limit (ulimit -v) or use fewer "
                 "bodies\n";
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
