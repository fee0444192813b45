// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/core/build_info.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/core/thread_binding.hpp>
#include <apsis/driver/run_record.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <latch>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

namespace apsis::cli {

namespace {

/// What the environment says of Kokkos and OpenMP, whose own answer to nonsense is to end the
/// process: each is refused here in a line.
class Environment {
 public:
  /// Each number of a list such as "4,2".
  void check_numbers(char const* variable, int least, int most) const {
    auto const* const given = std::getenv(variable);
    if (given == nullptr) return;
    std::string_view rest = given;
    while (true) {
      auto const end = std::min(rest.find(','), rest.size());
      int value = 0;
      auto const parsed = std::from_chars(rest.data(), rest.data() + end, value);
      bool const whole = parsed.ec == std::errc() && parsed.ptr == rest.data() + end;
      if (!whole || value < least || value > most) {
        refuse(variable, given,
               "set a whole number from " + std::to_string(least) + " to " + std::to_string(most));
      }
      if (end == rest.size()) return;
      rest.remove_prefix(end + 1);
    }
  }

  void check_words(char const* variable, std::vector<std::string> const& words) const {
    auto const* const given = std::getenv(variable);
    if (given == nullptr) return;
    std::string lower(given);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (std::find(words.begin(), words.end(), lower) != words.end()) return;
    refuse(variable, given, "set one of " + quoted_list(words));
  }

 private:
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

/// The number that a variable begins with, if it is one.
std::optional<int> positive_number(char const* variable) {
  auto const* const given = std::getenv(variable);
  int const value = given != nullptr ? std::atoi(given) : 0;
  return value > 0 ? std::optional(value) : std::nullopt;
}

/// How many host threads the environment asks for, if it does.
std::optional<int> threads_of_environment() {
  for (auto const* variable : {"KOKKOS_NUM_THREADS", "OMP_NUM_THREADS"}) {
    if (auto const given = positive_number(variable)) return given;
  }
  return std::nullopt;
}

void check_environment() {
  Environment const environment;
  constexpr int most_devices = 1024;
  environment.check_numbers("KOKKOS_NUM_THREADS", 1, most_threads());
  // The OpenMP runtime warns of what is no number and does without, but not of too many.
  if (positive_number("OMP_NUM_THREADS")) {
    environment.check_numbers("OMP_NUM_THREADS", 1, most_threads());
  }
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
      throw Error(
          ExitStatus::internal,
          Problem{"device", "no GPU can be used", std::string(said.substr(0, said.find('\n'))),
                  "look whether the driver sees one that is free, or use an executable for "
                  "CPUs (apsis.openmp)"});
    }
  }
}

}  // namespace

driver::Member this_member(Together const& with) {
  driver::Member own;
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
