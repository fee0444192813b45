// SPDX-License-Identifier: Apache-2.0
#include "kokkos_session.hpp"

#include <apsis/core/build_info.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/thread_binding.hpp>

#include <string>

namespace apsis::cli {

KokkosSession::KokkosSession(std::optional<int> threads) {
  ThreadBinding const binding;
  Kokkos::InitializationSettings settings;
  if (threads) {
    auto const backend = build_info().backend;
    if (backend != "openmp" && *threads != 1) {
      throw Error(ExitStatus::usage,
                  Problem{"--threads " + std::to_string(*threads), "no threads to choose",
                          "this is apsis." + backend, "leave the option out"});
    }
    settings.set_num_threads(*threads);
  }
  Kokkos::initialize(settings);
  binding.bind();
}

KokkosSession::~KokkosSession() {
  Kokkos::finalize();
}

}  // namespace apsis::cli
