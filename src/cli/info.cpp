// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "kokkos_session.hpp"
#include <apsis/core/build_info.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/forces/kernel.hpp>

#include <iostream>

namespace apsis::cli {

namespace {

/// The device line of a machine that may lack the device: a GPU build also answers on a login node.
void print_device(std::ostream& out) {
  try {
    KokkosSession const kokkos(std::nullopt);
    out << "device      " << device_name() << "\n"
        << "threads     " << host_threads() << " on the host\n";
  } catch (Error const&) {
    throw;
  } catch (std::runtime_error const& error) {
    std::string why = error.what();
    out << "device      none (" << why.substr(0, why.find('\n')) << ")\n";
  }
}

ExitStatus info() {
  auto const build = build_info();
  std::cout << "apsis       " << build.version << "\n"
            << "git         " << build.git << "\n"
            << "backend     " << build.backend << "\n";
  print_device(std::cout);
  std::cout << "kokkos      " << build.kokkos << "\n"
            << "compiler    " << build.compiler << ", " << build.build_type << "\n"
            << "simd        " << build.simd << "\n";
  for (auto const& precision : forces::precisions()) {
    auto const below = forces::split_below(precision.precision);
    std::cout << "auto        " << precision.name << ": "
              << forces::picked_kernel(precision.precision, below);
    if (below > 0) {
      std::cout << ", below " << below << " bodies "
                << forces::picked_kernel(precision.precision, 0);
    }
    std::cout << "\n";
  }
  return ExitStatus::conserved;
}

}  // namespace

Command info_command(CLI::App& parent) {
  return {parent.add_subcommand("info", "Print version, backend, device and build"), info};
}

}  // namespace apsis::cli
