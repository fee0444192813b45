// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "openmp_variables.hpp"
#include <apsis/core/build_info.hpp>
#include <apsis/core/decimal.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/core/thread_binding.hpp>
#include <apsis/driver/run_record.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <functional>
#include <latch>
#include <optional>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <thread>
#include <type_traits>
#include <vector>

namespace apsis::cli {

namespace {

/// Variables of Kokkos and OpenMP. Their own answer to nonsense is to end the process or to ignore
/// it: each is refused here in a line.
class Environment {
 public:
  /// Each number of a list such as "4,2".
  void check_numbers(char const* variable, std::uint64_t least, std::uint64_t most) const {
    check_list(
        variable, "a whole number from " + std::to_string(least) + " to " + std::to_string(most),
        [&](std::string_view word) {
          std::uint64_t value = 0;
          return read_decimal(word, value) == Numeral::good && value >= least && value <= most;
        });
  }

  /// One of these words, in any case.
  void check_words(char const* variable, std::vector<std::string> const& words) const {
    check_list(variable, "one of " + quoted_list(words), [&](std::string_view word) {
      return std::find(words.begin(), words.end(), lower_case(word)) != words.end();
    });
  }

  /// The variables that the OpenMP runtime has read.
  void check_openmp() const {
    for (auto const& variable : refused_openmp_variables()) {
      refuse(variable.name.c_str(), variable.value.c_str(), "set " + variable.wanted);
    }
  }

 private:
  static void check_list(char const* variable, std::string const& wanted,
                         std::function<bool(std::string_view)> const& is_good) {
    auto const* const given = std::getenv(variable);
    if (given == nullptr) return;
    for (std::string_view rest = given;;) {
      auto const end = std::min(rest.find(','), rest.size());
      if (!is_good(trimmed(rest.substr(0, end)))) refuse(variable, given, "set " + wanted);
      if (end == rest.size()) return;
      rest.remove_prefix(end + 1);
    }
  }

  [[noreturn]] static void refuse(char const* variable, char const* given,
                                  std::string const& advice) {
    usage_error(variable, "wrong value in the environment", "found '" + shortened(given, 40) + "'",
                advice + ", or unset it");
  }
};

/// More threads than processors are for tests; far more cannot even be started.
int most_threads() {
  return 8 * available_threads();
}

/// Number of host threads that the environment asks for, if it does. The variables were checked.
std::optional<int> threads_of_environment() {
  for (auto const* variable : {"KOKKOS_NUM_THREADS", "OMP_NUM_THREADS"}) {
    auto const* const given = std::getenv(variable);
    if (given == nullptr) continue;
    std::string_view const list = given;
    std::uint64_t value = 0;
    if (read_decimal(trimmed(list.substr(0, list.find(','))), value) == Numeral::good) {
      return static_cast<int>(value);
    }
  }
  return std::nullopt;
}

void check_environment() {
  Environment const environment;
  constexpr std::uint64_t most_devices = 1024;
  auto const threads = static_cast<std::uint64_t>(most_threads());
  environment.check_numbers("KOKKOS_NUM_THREADS", 1, threads);
  environment.check_openmp();
  environment.check_numbers("OMP_NUM_THREADS", 1, threads);
  environment.check_numbers("KOKKOS_DEVICE_ID", 0, most_devices);
  environment.check_numbers("KOKKOS_VISIBLE_DEVICES", 0, most_devices);
  environment.check_words("KOKKOS_MAP_DEVICE_ID_BY", {"random", "mpi_rank"});
  for (auto const* flag : {"KOKKOS_DISABLE_WARNINGS", "KOKKOS_PRINT_CONFIGURATION",
                           "KOKKOS_TUNE_INTERNALS", "KOKKOS_TOOLS_HELP"}) {
    environment.check_words(flag, {"true", "false", "yes", "no", "1", "0"});
  }
}

/// Whether the threads of the host can be started, before the OpenMP runtime tries: it would end
/// the process with status 1.
void check_threads_start([[maybe_unused]] int threads) {
#if defined(KOKKOS_ENABLE_OPENMP)
  std::vector<std::thread> started;
  std::latch ready(1);
  std::exception_ptr failed;
  try {
    started.reserve(static_cast<std::size_t>(threads));
    while (static_cast<int>(started.size()) < threads - 1) {
      started.emplace_back([&] { ready.wait(); });
    }
  } catch (...) {
    failed = std::current_exception();
  }
  ready.count_down();
  for (auto& thread : started) thread.join();
  if (!failed) return;
  throw Error(ExitStatus::internal,
              Problem{"threads",
                      "only " + std::to_string(started.size() + 1) + " of " +
                          std::to_string(threads) + " can be started",
                      error_from(failed).problems().front().problem,
                      "raise the limits of this process (ulimit -u, ulimit -v) or give --threads"});
#endif
}

/// A machine without a device that works is no defect of this program.
void start_kokkos(Kokkos::InitializationSettings const& settings) {
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::DefaultHostExecutionSpace>) {
    Kokkos::initialize(settings);
  } else {
    try {
      Kokkos::initialize(settings);
    } catch (std::exception const& failed) {
      std::string_view const said = failed.what();
      Problem problem{"device", "no GPU can be used", std::string(said.substr(0, said.find('\n'))),
                      "look whether the driver sees one that is free, or use an executable for "
                      "CPUs (apsis.openmp)"};
      constexpr rlim_t files_of_a_driver = 256;
      rlimit files{};
      if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files_of_a_driver) {
        problem.advice = "raise the limit of open files (ulimit -n), which is " +
                         std::to_string(files.rlim_cur) + ": a GPU's driver opens many";
      }
      throw Error(ExitStatus::internal, std::move(problem));
    }
  }
}

}  // namespace

driver::RankInfo this_member(Together const& with) {
  driver::RankInfo own;
  own.host = host_name();
  own.device = device_name();
  own.address = device_address();
  own.executable = driver::this_executable();
  own.threads = host_threads();
  own.processors = with.processors;
  own.words = with.words;
  return own;
}

std::shared_ptr<void> kokkos_session(std::optional<int> threads, Together const& with) {
  check_environment();
  ThreadBinding const binding;
  Kokkos::InitializationSettings settings;
  if (threads) {
    auto const option = "--threads " + std::to_string(*threads);
    auto const backend = build_info().backend;
    if (backend != "openmp" && *threads != 1) {
      usage_error(option, "no threads to choose", "this is apsis." + backend,
                  "leave the option out");
    }
    int const most = most_threads();
    if (*threads > most) {
      usage_error(option, "too many threads",
                  "this process may use " + std::to_string(available_threads()) + " processors",
                  "ask for at most " + std::to_string(most));
    }
    settings.set_num_threads(*threads);
  }
  // What Kokkos would warn of, binding and threads, was decided here.
  settings.set_disable_warnings(true);
  auto const chosen = threads ? threads : threads_of_environment();
  if (!chosen && with.threads && build_info().backend == "openmp") {
    settings.set_num_threads(*with.threads);
  }
  check_threads_start(chosen.value_or(with.threads.value_or(available_threads())));
  start_kokkos(settings);
  std::shared_ptr<void> session(nullptr, [](void*) { Kokkos::finalize(); });
  binding.bind();
  return session;
}

}  // namespace apsis::cli
