// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
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

/// The device line of a machine that may lack the device: a GPU build also answers on a login node.
void print_device(std::ostream& out, Together const& with) {
  try {
    auto const kokkos = kokkos_session(std::nullopt, with);
    out << "device      " << device_name() << "\n"
        << "threads     " << host_threads() << " on the host\n";
    if (!with.leader) return;
    std::exception_ptr unlike;
    try {
      with.leader->begin({std::nullopt, true}, this_member(with));
    } catch (Error const&) {
      unlike = std::current_exception();  // what runs where is wanted all the more
    }
    for (std::size_t k = 0; auto const& member : with.leader->ranks()) {
      out << "process " << std::left << std::setw(4) << k++ << printable(member.host) << ": "
          << member.device << (member.address.empty() ? "" : " at " + member.address) << ", "
          << member.threads << " threads" << (member.problem.empty() ? "" : ", cannot take part")
          << "\n";
    }
    if (unlike) std::rethrow_exception(unlike);
    out << "transport   " << with.leader->transport_name() << "\n";
  } catch (Error const&) {
    throw;
  } catch (std::runtime_error const& error) {
    std::string why = error.what();
    out << "device      none (" << printable(why.substr(0, why.find('\n'))) << ")\n";
  }
}

/// "split, pairwise_tile from 32768 bodies": what `auto` stands for, by powers of two.
std::string what_auto_picks(forces::Precision precision) {
  std::string before = forces::default_kernel(precision, 0), text = before;
  for (std::size_t bodies = 1; bodies <= std::size_t{1} << 40; bodies *= 2) {
    auto const kernel = forces::default_kernel(precision, bodies);
    if (kernel != before) text += ", " + kernel + " from " + std::to_string(bodies) + " bodies";
    before = kernel;
  }
  return text;
}

ExitStatus info(Together const& with) {
  auto const build = build_info();
  std::cout << "apsis       " << build.version << "\n"
            << "git         " << build.git << "\n"
            << "backend     " << build.backend << "\n";
  print_device(std::cout, with);
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

Command info_command(Together const& with) {
  return {
      "info", "Print version, backend, device and build", {}, [with] { return info(with); }, true};
}

}  // namespace apsis::cli
