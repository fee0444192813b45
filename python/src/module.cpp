// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

#include <apsis/core/error.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/kokkos_session.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/simulation/leader.hpp>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <nanobind/stl/string.h>
#include <pthread.h>

namespace apsis::python {

std::atomic<std::size_t> Counted::count = 0;

namespace {

std::atomic<bool> forked = false;

void note_fork() {
  if (Kokkos::is_initialized()) forked = true;
}

}  // namespace

bool is_forked() {
  return forked;
}

void check_not_forked() {
  if (!forked) return;
  throw Error(ExitStatus::usage, {"process", "was forked from one with a simulation",
                                  "the threads of its kernels do not exist here",
                                  "start it with multiprocessing.get_context('spawn')"});
}

std::shared_ptr<simulation::Leader>& current_leader() {
  static std::shared_ptr<simulation::Leader> leader;
  return leader;
}

void start_kokkos(std::optional<int> threads, std::optional<int> default_threads) {
  check_not_forked();
  static std::shared_ptr<void>* session = nullptr;
  auto started = apsis::start_kokkos({.threads = threads, .default_threads = default_threads});
  if (!started) return;
  session = new std::shared_ptr<void>(std::move(started));
  std::atexit([] {
    if (Counted::count == 0 && !forked) session->reset();
  });
}

}  // namespace apsis::python

NB_MODULE(_apsis, extension) {
  namespace nb = nanobind;
  using namespace apsis;
  nb::set_leak_warnings(false);  // arrays may live to the end of the process
  pthread_atfork(nullptr, nullptr, python::note_fork);
  python::bind_errors(extension);
  python::bind_arrays(extension);
  python::bind_simulation(extension);
  python::bind_run(extension);
  python::bind_mpi(extension);
  extension.def("build", [] {
    auto const build = build_info();
    nb::dict result;
    result["version"] = build.version;
    result["git"] = build.git;
    result["backend"] = build.backend;
    result["compiler"] = build.compiler;
    result["kokkos"] = build.kokkos;
    result["simd"] = build.simd;
    return result;
  });
}
