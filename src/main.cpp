// SPDX-License-Identifier: Apache-2.0
#include "cli/application.hpp"
#include "cli/messages.hpp"
#include "core/program.hpp"
#include "core/thread_binding.hpp"
#include <apsis/formats/snapshot.hpp>

#include <csignal>

#if APSIS_ENABLE_MPI
#include <apsis/domain/processes.hpp>
#endif
#if APSIS_IS_BENCH
#include "measures.hpp"
#endif

namespace {

#if APSIS_IS_BENCH
constexpr apsis::cli::Measures measures = apsis::benchmark::measure;
#else
constexpr apsis::cli::Measures measures = nullptr;
#endif

int application(int argc, char** argv) {
#if APSIS_ENABLE_MPI
  if (apsis::domain::launched()) {
    apsis::domain::Processes const processes;
    auto const place = processes.place();
    if (processes.size() > 1) {
      return apsis::cli::application(argc, argv,
                                     {processes.communicator(), place.threads, place.processors,
                                      [&](int status) { processes.abort(status); }, measures});
    }
  }
#endif
  return apsis::cli::application(argc, argv, APSIS_ENABLE_MPI, measures);
}

// (clang compiles this file for the device as well, which has no such function.)
#if defined(__ELF__) && !defined(__HIP_DEVICE_COMPILE__)
void before_libraries(int argc, char** argv, char** environment) {
  if (!APSIS_IS_BENCH) apsis::cli::start_bench_program(argc, argv, environment);
  apsis::cli::choose_message_format(argc, argv);
  apsis::cli::report_unintended_exit();
  apsis::hide_refused_openmp_variables(environment);
}
/// Called before the constructors of libraries, which may need memory that is not available, and
/// before the OpenMP runtime reads its variables.
[[gnu::section(".preinit_array"), gnu::used,
  maybe_unused]] void (*const start)(int, char**, char**) = before_libraries;
#endif

}  // namespace

int main(int argc, char** argv) {
  apsis::cli::choose_message_format(argc, argv);
  apsis::cli::report_unintended_exit();
  // A file that must not grow (ulimit -f) is reported as a write error with status 74.
  std::signal(SIGXFSZ, SIG_IGN);
  apsis::name_program(argc > 0 ? argv[0] : nullptr);
  try {
    apsis::formats::disable_hdf5_cleanup();
    if (APSIS_IS_BENCH) apsis::cli::check_starting_program(argc, argv);
    return apsis::cli::intend_exit(application(argc, argv));
  } catch (...) {
    return apsis::cli::intend_exit(apsis::cli::report_exception());
  }
}
