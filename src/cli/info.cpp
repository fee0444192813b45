// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/core/build_info.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/forces/kernel.hpp>
#include <apsis/io/snapshot.hpp>

#include <iostream>

namespace apsis::cli {

namespace {

/// The device line of a machine that may lack the device: a GPU build also answers on a login node.
void print_device(std::ostream& out) {
  try {
    auto const kokkos = kokkos_session(std::nullopt);
    out << "device      " << device_name() << "\n"
        << "threads     " << host_threads() << " on the host\n";
  } catch (Error const&) {
    throw;
  } catch (std::runtime_error const& error) {
    std::string why = error.what();
    out << "device      none (" << why.substr(0, why.find('\n')) << ")\n";
  }
}

/// "split, pairwise_tile from 32768 bodies": what `auto` stands for, by powers of two.
std::string what_auto_picks(forces::Precision precision) {
  std::string before = forces::picked_kernel(precision, 0), text = before;
  for (std::size_t bodies = 1; bodies <= std::size_t{1} << 40; bodies *= 2) {
    auto const kernel = forces::picked_kernel(precision, bodies);
    if (kernel != before) text += ", " + kernel + " from " + std::to_string(bodies) + " bodies";
    before = kernel;
  }
  return text;
}

ExitStatus info() {
  auto const build = build_info();
  std::cout << "apsis       " << build.version << "\n"
            << "git         " << build.git << "\n"
            << "backend     " << build.backend << "\n";
  print_device(std::cout);
  std::cout << "kokkos      " << build.kokkos << "\n"
            << "hdf5        " << io::hdf5_version() << "\n"
            << "compiler    " << build.compiler << ", " << build.build_type << "\n"
            << "simd        " << build.simd << "\n";
  for (auto const& precision : forces::precisions()) {
    std::cout << "auto        " << precision.name << ": " << what_auto_picks(precision.precision)
              << "\n";
  }
  return ExitStatus::conserved;
}

}  // namespace

Command info_command() {
  return {"info", "Print version, backend, device and build", {}, info};
}

}  // namespace apsis::cli
