// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include <apsis/core/build_info.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/forces/kernel.hpp>
#include <apsis/io/snapshot.hpp>

#include <exception>
#include <iomanip>
#include <iostream>

namespace apsis::cli {

namespace {

/// Prints the device lines. The device may be missing: a GPU build also answers on a login node.
void print_device(std::ostream& out, RankContext const& ranks) {
  try {
    auto const kokkos = kokkos_session(std::nullopt, ranks);
    out << "device      " << device_name() << "\n"
        << "threads     " << host_threads() << " on the host\n";
    if (!ranks.leader) return;
    std::exception_ptr mismatch;
    try {
      ranks.leader->begin({std::nullopt, true}, this_member(ranks));
    } catch (Error const&) {
      mismatch = std::current_exception();  // the ranks are listed before the error is thrown
    }
    for (std::size_t k = 0; auto const& member : ranks.leader->ranks()) {
      out << "process " << std::left << std::setw(4) << k++ << printable(member.host) << ": "
          << member.device << (member.address.empty() ? "" : " at " + member.address) << ", "
          << member.threads << " threads" << (member.problem.empty() ? "" : ", cannot take part")
          << "\n";
    }
    if (mismatch) std::rethrow_exception(mismatch);
    out << "transport   " << ranks.leader->transport_name() << "\n";
  } catch (Error const&) {
    throw;
  } catch (std::runtime_error const& error) {
    std::string why = error.what();
    out << "device      none (" << printable(why.substr(0, why.find('\n'))) << ")\n";
  }
}

/// Returns the kernels chosen by `auto`, at powers of two: "split, pairwise_tile from 32768
/// bodies".
std::string describe_auto(forces::Precision precision) {
  std::string before = forces::default_kernel(precision, 0), text = before;
  for (std::size_t bodies = 1; bodies <= std::size_t{1} << 40; bodies *= 2) {
    auto const kernel = forces::default_kernel(precision, bodies);
    if (kernel != before) text += ", " + kernel + " from " + std::to_string(bodies) + " bodies";
    before = kernel;
  }
  return text;
}

ExitStatus info(RankContext const& ranks) {
  auto const build = build_info();
  std::cout << "apsis       " << build.version << "\n"
            << "git         " << build.git << "\n"
            << "backend     " << build.backend << "\n";
  print_device(std::cout, ranks);
  std::cout << "kokkos      " << build.kokkos << "\n"
            << "hdf5        " << io::hdf5_version() << "\n"
            << "compiler    " << build.compiler << ", " << build.build_type << "\n"
            << "simd        " << build.simd << "\n";
  for (auto const& precision : forces::precisions()) {
    std::cout << "auto        " << precision.name << ": " << describe_auto(precision.precision)
              << "\n";
  }
  return ExitStatus::conserved;
}

}  // namespace

Command info_command(RankContext const& ranks) {
  return {"info",
          "Print version, backend, device and build options",
          {},
          [ranks] { return info(ranks); },
          true};
}

}  // namespace apsis::cli
