// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>
#include <apsis/simulation/leader.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace apsis::simulation {

/// Gathers the descriptions of all ranks on each rank, in rank order. Collective.
std::vector<RankInfo> gather_rank_infos(Communicator const& communicator, RankInfo const& own_info);

/// Returns the description of this rank when it cannot take part because of an error.
RankInfo failed_rank(Error const& error);
/// Whether each rank has memory for its share of the `total` bodies of a run; `count` is the share
/// of this rank and `own_info` its description. Collective; call before the share is allocated. The
/// leader rank throws instead of returning false.
bool all_have_memory(std::shared_ptr<Communicator const> const& communicator, RankInfo own_info,
                     deck::Configuration const& run, std::size_t count, std::size_t total);

/// Throws if a rank cannot take part, with the status of the first such rank. Throws an internal
/// error if command lines, executables or devices differ from those of the leader rank, because
/// results depend on them.
void check_same_setup(std::vector<RankInfo> const& ranks);
/// Throws a usage error if two ranks use one accelerator.
void check_exclusive_devices(std::vector<RankInfo> const& ranks);

/// Returns the devices of each host: "a: 2 x H100; b: 1 x H100".
std::string describe_devices(std::vector<RankInfo> const& ranks);
/// Describes the hosts on which ranks have more threads than processors: all ranks of a host, or
/// those bound to the same processors. Empty if there are none.
std::string oversubscription_of(std::vector<RankInfo> const& ranks);

/// Measures the wall time of each of `times` gathers of `bytes` bytes per rank, in the memory space
/// of the bodies [s]. Collective.
std::vector<double> time_gathers(Communicator const& communicator, std::size_t bytes, int times);

}  // namespace apsis::simulation
