// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/core/kokkos_session.hpp>
#include <apsis/core/machine.hpp>

namespace apsis::cli {

simulation::RankInfo this_member(RankContext const& ranks) {
  simulation::RankInfo member;
  member.host = host_name();
  member.device = device_name();
  member.address = device_address();
  member.executable = this_executable();
  member.threads = host_threads();
  member.processors = ranks.processors;
  member.command_line = ranks.command_line;
  return member;
}

std::shared_ptr<void> kokkos_session(std::optional<int> threads, RankContext const& ranks) {
  return start_kokkos(
      {.threads = threads, .default_threads = ranks.threads, .binds_threads = true});
}

}  // namespace apsis::cli
