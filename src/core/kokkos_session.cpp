// SPDX-License-Identifier: Apache-2.0
#include "apsis/core/kokkos_session.hpp"

#include "core/decimal.hpp"
#include "core/thread_binding.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace apsis {

namespace {

[[noreturn]] void usage_error(std::string const& where, std::string const& problem,
                              std::string const& why, std::string const& advice) {
  throw Error(ExitStatus::usage, Problem{where, problem, why, advice});
}

/// Checks environment variables of Kokkos and OpenMP. The libraries themselves end the process or
/// ignore invalid values; here each is refused with a message.
class Environment {
 public:
  /// Checks each number of a list such as "4,2".
  void check_numbers(char const* variable, std::uint64_t least, std::uint64_t most) const {
    check_list(
        variable, "a whole number from " + std::to_string(least) + " to " + std::to_string(most),
        [&](std::string_view word) {
          std::uint64_t value = 0;
          return read_decimal(word, value) == Numeral::good && value >= least && value <= most;
        });
  }

  /// Checks that each word of a list is one of these, ignoring case.
  void check_words(char const* variable, std::vector<std::string> const& words) const {
    check_list(variable, "one of " + quoted_list(words), [&](std::string_view word) {
      return std::find(words.begin(), words.end(), lower_case(word)) != words.end();
    });
  }

  void check_openmp() const {
    for (auto const& variable : refused_openmp_variables()) {
      refuse(variable.name.c_str(), variable.value.c_str(), "set " + variable.accepted);
    }
  }

 private:
  static void check_list(char const* variable, std::string const& wanted,
                         std::function<bool(std::string_view)> const& is_good) {
    auto const* const value_text = std::getenv(variable);
    if (value_text != nullptr && !all_words(value_text, is_good)) {
      refuse(variable, value_text, "set " + wanted);
    }
  }

  [[noreturn]] static void refuse(char const* variable, char const* value_text,
                                  std::string const& advice) {
    usage_error(variable, "wrong value in the environment",
                "found '" + shortened(value_text, 40) + "'", advice + ", or unset it");
  }
};

/// Largest accepted number of host threads. Tests use more threads than processors, and many more
/// than that cannot even be started.
int most_threads() {
  return 8 * available_threads();
}

/// Number of host threads given by the environment, if any. The variables must have been checked.
std::optional<int> threads_of_environment() {
  for (auto const* variable : {"KOKKOS_NUM_THREADS", "OMP_NUM_THREADS"}) {
    auto const* const value_text = std::getenv(variable);
    if (value_text == nullptr) continue;
    std::string_view const list = value_text;
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

/// Checks that the host threads can be started: the OpenMP runtime would end the process.
void check_threads_start([[maybe_unused]] int threads) {
  if constexpr (has_openmp) {
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
    throw Error(
        ExitStatus::internal,
        Problem{"threads",
                "only " + std::to_string(started.size() + 1) + " of " + std::to_string(threads) +
                    " can be started",
                error_from(failed).problems().front().problem,
                "raise the limits of this process (ulimit -u, ulimit -v) or give --threads"});
  }
}

struct KokkosSession {
  KokkosSession() = default;
  KokkosSession(KokkosSession const&) = delete;
  KokkosSession& operator=(KokkosSession const&) = delete;
  ~KokkosSession() { Kokkos::finalize(); }
};

/// Initialises Kokkos. A missing or broken device is an error of the machine.
void initialise(Kokkos::InitializationSettings const& settings) {
  if constexpr (!on_gpu) {
    Kokkos::initialize(settings);
  } else {
    try {
      Kokkos::initialize(settings);
    } catch (std::exception const& failed) {
      std::string_view const reason = failed.what();
      Problem problem{
          "device", "no GPU can be used", std::string(reason.substr(0, reason.find('\n'))),
          "check that the driver finds a free GPU, or use an executable for CPUs (apsis.openmp)"};
      constexpr rlim_t files_needed_by_driver = 256;
      rlimit files{};
      if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files_needed_by_driver) {
        problem.advice = "raise the limit of open files (ulimit -n), which is " +
                         std::to_string(files.rlim_cur) + ": a GPU's driver opens many";
      }
      throw Error(ExitStatus::internal, std::move(problem));
    }
  }
}

}  // namespace

std::shared_ptr<void> start_kokkos(KokkosOptions const& options) {
  if (Kokkos::is_finalized()) {
    throw Error(ExitStatus::usage, Problem{"Kokkos", "cannot be started again",
                                           "this process has ended it", "start another process"});
  }
  auto const& threads = options.threads;
  if (Kokkos::is_initialized()) {
    if (threads && *threads != host_threads()) {
      usage_error("--threads " + std::to_string(*threads), "too late to choose",
                  "Kokkos runs with " + std::to_string(host_threads()) + " threads already",
                  "choose them before the first simulation of a process");
    }
    return nullptr;
  }
  check_environment();
  std::optional<ThreadBinding> binding;
  if (options.binds_threads) binding.emplace();
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
  // Kokkos would warn of binding and threads, which are decided here.
  settings.set_disable_warnings(true);
  auto const chosen = threads ? threads : threads_of_environment();
  if (!chosen && options.default_threads && build_info().backend == "openmp") {
    settings.set_num_threads(*options.default_threads);
  }
  check_threads_start(chosen.value_or(options.default_threads.value_or(available_threads())));
  initialise(settings);
  auto session = std::make_shared<KokkosSession>();
  if (binding) binding->bind();
  return session;
}

}  // namespace apsis
