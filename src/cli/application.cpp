// SPDX-License-Identifier: Apache-2.0
#include "application.hpp"

#include "commands.hpp"
#include "core/decimal.hpp"
#include "messages.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/kokkos_session.hpp>
#include <apsis/core/machine.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace apsis::cli {

namespace {

/// Returns the number in an environment variable; 0 if it is not set or not a number.
std::uint64_t number_in(char const* variable) {
  std::uint64_t number = 0;
  auto const* const text = std::getenv(variable);
  return text != nullptr && read_decimal(text, number) == Numeral::good ? number : 0;
}

/// Returns the job step of this process. SLURM_NTASKS is also set in a batch script, which runs
/// once: its step has one task, or gives no number at all.
Launch job_step() {
  for (auto const* variable : {"SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS"}) {
    if (std::getenv(variable) != nullptr) return {number_in(variable), variable};
  }
  constexpr std::uint64_t first_reserved = 0xfffffff0;  // the steps "batch", "interactive", ...
  std::uint64_t step = first_reserved;
  for (auto const* variable : {"SLURM_STEP_ID", "SLURM_STEPID"}) {
    if (auto const* const text = std::getenv(variable)) read_decimal(text, step);
  }
  bool const is_step = step < first_reserved || number_in("SLURM_PROCID") > 0;
  return {is_step ? number_in("SLURM_NTASKS") : 0, "SLURM_NTASKS"};
}

bool exit_is_intended = false;

/// Uses only functions that a signal handler may call.
[[noreturn]] void end_process(FixedMessage const& message) {
  auto const line = message.line();
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(static_cast<int>(ExitStatus::internal));
}

extern "C" void on_death(int /*signal*/) {
  end_process(
      {"apsis: error: internal: died in a library (the machine or its limits may be the cause); "
       "check ulimit -a and the device\n",
       R"({"kind":"error","where":"internal","problem":"died in a library",)"
       R"("why":"the machine or its limits may be the cause",)"
       R"("advice":"check ulimit -a and the device"})"
       "\n"});
}

[[noreturn]] void end_by_library() {
  end_process(
      {"apsis: error: internal: ended by a library (it could not get threads or memory); check "
       "ulimit -u and ulimit -v\n",
       R"({"kind":"error","where":"internal","problem":"ended by a library",)"
       R"("why":"it could not get threads or memory","advice":"check ulimit -u and ulimit -v"})"
       "\n"});
}

extern "C" void on_exit_of_process() {
  if (!exit_is_intended) end_by_library();
}

/// Refuses to run as one of several processes that a launcher started without a common
/// communicator: each would execute the whole command, in the same directory.
void check_launch(bool has_mpi) {
  auto const [processes, variable] = launch();
  if (processes <= 1) return;
  std::string const backend = build_info().backend;
  auto const* const preset = backend == "cuda"  ? "cuda-hopper90-mpi"
                             : backend == "hip" ? "hip-gfx90a-mpi"
                                                : "openmp-mpi";
  usage_error(
      "command line", "one of " + std::to_string(processes) + " separate processes",
      variable + " is set, and " +
          (has_mpi ? "MPI does not connect this process to any other"
                   : "this executable was built without MPI"),
      (has_mpi ? std::string("use the launcher of the MPI that this executable was built with")
               : std::string("build the preset ") + preset) +
          ", or start one process; for independent runs unset " + variable);
}

/// Option of every command. The parser takes it from the command line before the others.
Option errors_option() {
  static std::string unused = "text";
  return {message_format_option,
          "Format of errors, warnings and notes on standard error: text, or json for one JSON "
          "object a line",
          &unused,
          "FORMAT",
          {},
          {},
          false,
          {"text", "json"}};
}

}  // namespace

Launch launch() {
  // Open MPI; MPICH, Intel MPI and srun with PMI; MVAPICH. PMIx has no such variable.
  for (auto const* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}) {
    if (auto const number = number_in(variable); number > 0) return {number, variable};
  }
  if (auto step = job_step(); step.processes > 0) return step;
  // Ranks begin at 0, so any other rank proves that there are several.
  if (std::getenv("PMIX_RANK") != nullptr) return {number_in("PMIX_RANK") + 1, "PMIX_RANK"};
  return {};
}

void report_unintended_exit() {
  static bool is_registered = false;
  if (std::exchange(is_registered, true)) return;
  std::atexit(on_exit_of_process);
  std::set_terminate(end_by_library);
  for (int const number : {SIGABRT, SIGSEGV, SIGBUS}) {
    struct sigaction before {
    }, action{};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;  // a sanitizer has its own handler
    action.sa_handler = on_death;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

int intend_exit(int status) {
  exit_is_intended = true;
  return status;
}

simulation::RankInfo this_member(RankContext const& ranks) {
  simulation::RankInfo member;
  member.host = host_name();
  member.device = device_name();
  member.address = device_address();
  member.executable = this_executable();
  member.threads = host_threads();
  member.processors = ranks.processors;
  member.command_line = ranks.command_line;
  return member;
}

std::shared_ptr<void> kokkos_session(std::optional<int> threads, RankContext const& ranks) {
  return start_kokkos(
      {.threads = threads, .default_threads = ranks.threads, .binds_threads = true});
}

std::vector<Command> all_commands(RankContext const& ranks) {
  std::vector<Command> commands {
    run_command(ranks), check_command(), schema_command(), bench_command(ranks), compare_command(),
        info_command(ranks), list_command(), cite_command(), verify_command(ranks),
        convert_command(), render_command(),
#if APSIS_ENABLE_VIEW
        view_command(), demo_command(),
#endif
  };
  CommandTable const table = [ranks] { return all_commands(ranks); };
  commands.push_back(completion_command(table));
  std::vector<std::string> topics{"deck", "man", "help"};
  for (auto const& command : commands) topics.push_back(command.name);
  commands.push_back(man_command(table, topics));
  commands.push_back(help_command(topics));
  for (auto& command : commands) command.options.push_back(errors_option());
  return commands;
}

namespace {

int run_command_line(int argc, char** argv, RankContext const& ranks, bool has_mpi) {
  auto const commands = all_commands(ranks);
  auto const* const command = parse(commands, argc, argv);
  if (command != nullptr && !command->only_prints && !ranks.leader) check_launch(has_mpi);
  auto const status = command != nullptr ? command->action() : ExitStatus::conserved;
  // Printed progress of a run may get lost; other commands and help have no other result.
  bool const printed = static_cast<bool>(std::cout.flush());
  if (!printed && (command == nullptr || command->name != "run")) {
    throw Error(ExitStatus::input_output,
                Problem{"standard output", "cannot be written", "",
                        "check free space and the program that reads it"});
  }
  return static_cast<int>(status);
}

std::string join_arguments(int argc, char** argv) {
  std::string command_line;
  for (int k = 1; k < argc; ++k) command_line += (k > 1 ? " " : "") + std::string(argv[k]);
  return command_line;
}

int follow_leader(RankSetup const& rank, std::string const& command_line) {
  RankContext const ranks{{}, rank.threads, rank.processors, command_line};
  auto const begin = [&](simulation::SharingOptions const& sharing,
                         std::shared_ptr<void>& session) {
    session = kokkos_session(sharing.threads, ranks);
    return this_member(ranks);
  };
  return static_cast<int>(simulation::follow(rank.communicator, begin));
}

}  // namespace

int application(int argc, char** argv, bool has_mpi, Measures measures) {
  RankContext ranks;
  ranks.measures = measures;
  return run_command_line(argc, argv, ranks, has_mpi);
}

int application(int argc, char** argv, RankSetup const& rank) {
  auto const& communicator = rank.communicator;
  if (communicator->rank() != 0) {
    try {
      return follow_leader(rank, join_arguments(argc, argv));
    } catch (...) {
      rank.abort_all(intend_exit(report_exception()));
      return static_cast<int>(ExitStatus::internal);
    }
  }
  auto const leader = std::make_shared<simulation::Leader>(communicator);
  int status = 0;
  try {
    status = run_command_line(
        argc, argv,
        {leader, rank.threads, rank.processors, join_arguments(argc, argv), rank.measures}, true);
  } catch (...) {
    status = report_exception();
  }
  std::cout.flush();
  if (leader->is_broken()) rank.abort_all(intend_exit(status));
  leader->release(static_cast<ExitStatus>(status));
  return status;
}

int report_exception() noexcept {
  try {
    throw;
  } catch (std::bad_alloc const&) {  // no memory is left for a longer message
    constexpr FixedMessage message{
        "apsis: error: memory: exhausted; raise its limit (ulimit -v) or use fewer bodies\n",
        R"({"kind":"error","where":"memory","problem":"exhausted","why":"",)"
        R"("advice":"raise its limit (ulimit -v) or use fewer bodies"})"
        "\n"};
    std::cerr << message.line();
    return static_cast<int>(ExitStatus::internal);
  } catch (...) {
    auto const error = error_from(std::current_exception());
    for (auto const& problem : error.problems()) print_message(MessageKind::error, problem);
    return static_cast<int>(error.status());
  }
}

}  // namespace apsis::cli
