// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "files/json_data.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/forces/kernel.hpp>
#include <apsis/formats/snapshot.hpp>

#include <exception>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace apsis::cli {

namespace {

/// A kernel, and the least number of bodies for which `auto` selects it.
struct ChosenKernel {
  std::string name;
  std::size_t fewest_bodies;
};

struct BuildFacts {
  BuildInfo build = build_info();
  std::string hdf5 = formats::hdf5_version();
  std::string device{};          ///< empty if there is none
  std::string device_problem{};  ///< why there is no device
  int threads = 0;               ///< on the host
  std::vector<simulation::RankInfo> ranks{};
  std::string transport{};        ///< between the ranks; empty if they cannot work together
  std::exception_ptr mismatch{};  ///< why the ranks cannot work together
};

void add_ranks(BuildFacts& facts, RankContext const& ranks) {
  try {
    ranks.leader->begin({std::nullopt, true}, this_member(ranks));
    facts.transport = ranks.leader->transport_name();
  } catch (Error const&) {
    facts.mismatch = std::current_exception();  // the ranks are listed before the error is thrown
  }
  facts.ranks = ranks.leader->ranks();
}

/// Adds the facts about the device. It may be missing: a GPU build also answers on a login node.
void add_device(BuildFacts& facts, RankContext const& ranks) {
  try {
    auto const kokkos = kokkos_session(std::nullopt, ranks);
    facts.device = device_name();
    facts.threads = host_threads();
    if (ranks.leader) add_ranks(facts, ranks);
  } catch (Error const&) {
    throw;
  } catch (std::runtime_error const& error) {
    std::string_view const why = error.what();
    facts.device_problem = why.substr(0, why.find('\n'));
  }
}

/// Returns the kernels chosen by `auto`, at powers of two.
std::vector<ChosenKernel> kernels_of_auto(forces::Precision precision) {
  std::vector<ChosenKernel> chosen{{forces::default_kernel(precision, 0), 0}};
  for (std::size_t bodies = 1; bodies <= std::size_t{1} << 40; bodies *= 2) {
    auto const kernel = forces::default_kernel(precision, bodies);
    if (kernel != chosen.back().name) chosen.push_back({kernel, bodies});
  }
  return chosen;
}

/// Returns the kernels as text: "split, pairwise_tile from 32768 bodies".
std::string text_of(std::vector<ChosenKernel> const& chosen) {
  std::string text;
  for (auto const& kernel : chosen) {
    text += text.empty()
                ? kernel.name
                : ", " + kernel.name + " from " + std::to_string(kernel.fewest_bodies) + " bodies";
  }
  return text;
}

std::string text_of(BuildFacts const& facts) {
  auto const& build = facts.build;
  std::ostringstream out;
  out << "apsis       " << build.version << "\n"
      << "git         " << build.git << "\n"
      << "backend     " << build.backend << "\n";
  if (facts.device.empty()) {
    out << "device      none (" << printable(facts.device_problem) << ")\n";
  } else {
    out << "device      " << facts.device << "\n"
        << "threads     " << facts.threads << " on the host\n";
  }
  for (std::size_t k = 0; auto const& member : facts.ranks) {
    out << "process " << std::left << std::setw(4) << k++ << printable(member.host) << ": "
        << member.device << (member.address.empty() ? "" : " at " + member.address) << ", "
        << member.threads << " threads" << (member.problem.empty() ? "" : ", cannot take part")
        << "\n";
  }
  if (facts.mismatch) return out.str();
  if (!facts.transport.empty()) out << "transport   " << facts.transport << "\n";
  out << "kokkos      " << build.kokkos << "\n"
      << "hdf5        " << facts.hdf5 << "\n"
      << "compiler    " << build.compiler << ", " << build.build_type << "\n"
      << "simd        " << build.simd << "\n";
  for (auto const& precision : forces::precisions()) {
    out << "auto        " << precision.name << ": " << text_of(kernels_of_auto(precision.precision))
        << "\n";
  }
  return out.str();
}

files::JsonData data_of(BuildFacts const& facts) {
  auto const& build = facts.build;
  auto const or_null = [](std::string const& text) {
    return text.empty() ? files::JsonData() : files::JsonData(text);
  };
  files::JsonData::Array ranks;
  for (auto const& member : facts.ranks) {
    ranks.push_back(files::JsonData::Object{{"host", member.host},
                                            {"device", member.device},
                                            {"address", or_null(member.address)},
                                            {"threads", member.threads},
                                            {"problem", or_null(member.problem)}});
  }
  files::JsonData::Object kernels;
  for (auto const& precision : forces::precisions()) {
    files::JsonData::Array chosen;
    for (auto const& kernel : kernels_of_auto(precision.precision)) {
      chosen.push_back(
          files::JsonData::Object{{"kernel", kernel.name}, {"from_bodies", kernel.fewest_bodies}});
    }
    kernels.push_back({precision.name, std::move(chosen)});
  }
  return files::JsonData::Object{
      {"version", build.version},
      {"git", build.git},
      {"backend", build.backend},
      {"device", or_null(facts.device)},
      {"device_problem", or_null(facts.device_problem)},
      {"threads", facts.device.empty() ? files::JsonData() : files::JsonData(facts.threads)},
      {"ranks", std::move(ranks)},
      {"transport", or_null(facts.transport)},
      {"kokkos", build.kokkos},
      {"hdf5", facts.hdf5},
      {"compiler", build.compiler},
      {"build_type", build.build_type},
      {"simd", build.simd},
      {"auto_kernels", std::move(kernels)},
      {"text", text_of(facts)}};
}

ExitStatus info(bool json, RankContext const& ranks) {
  BuildFacts facts;
  add_device(facts, ranks);
  std::cout << (json ? files::to_json(data_of(facts)) : text_of(facts));
  if (facts.mismatch) std::rethrow_exception(facts.mismatch);
  return ExitStatus::conserved;
}

}  // namespace

Command info_command(RankContext const& ranks) {
  auto const json = std::make_shared<bool>(false);
  return {"info",
          "Print version, backend, device and build options",
          {json_option(*json)},
          [json, ranks] { return info(*json, ranks); },
          true};
}

}  // namespace apsis::cli
