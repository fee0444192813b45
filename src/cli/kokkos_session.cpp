// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/core/build_info.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/thread_binding.hpp>

#include <string>

namespace apsis::cli {

std::shared_ptr<void> kokkos_session(std::optional<int> threads) {
  ThreadBinding const binding;
  Kokkos::InitializationSettings settings;
  if (threads) {
    auto const option = "--threads " + std::to_string(*threads);
    auto const backend = build_info().backend;
    if (backend != "openmp" && *threads != 1) {
      usage_error(option, "no threads to choose", "this is apsis." + backend,
                  "leave the option out");
    }
    // More threads than processors are for tests; far more cannot even be started.
    int const most = 8 * available_threads();
    if (*threads > most) {
      usage_error(option, "too many threads",
                  "this process may use " + std::to_string(available_threads()) + " processors",
                  "ask for at most " + std::to_string(most));
    }
    settings.set_num_threads(*threads);
  }
  // What Kokkos would warn of, binding and threads, was decided here.
  settings.set_disable_warnings(true);
  Kokkos::initialize(settings);
  std::shared_ptr<void> session(nullptr, [](void*) { Kokkos::finalize(); });
  binding.bind();
  return session;
}

}  // namespace apsis::cli
