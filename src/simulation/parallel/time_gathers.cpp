// SPDX-License-Identifier: Apache-2.0
#include "core/transport.hpp"
#include "rank_infos.hpp"

#include <chrono>
#include <span>

namespace apsis::simulation {

std::vector<double> time_gathers(Communicator const& communicator, std::size_t bytes, int times) {
  Kokkos::View<std::byte*, MemorySpace> const all_bytes("apsis::simulation::time_gathers::all",
                                                        bytes * communicator.size());
  Kokkos::View<std::byte*, MemorySpace> const own_bytes("apsis::simulation::time_gathers::own",
                                                        bytes);
  std::vector<std::size_t> offsets;
  for (std::size_t k = 0; k <= communicator.size(); ++k) offsets.push_back(k * bytes);
  ExecutionSpace const space;
  std::vector<double> seconds;
  for (int k = 0; k < times; ++k) {
    communicator.gather({});  // synchronises all ranks
    auto const begin = std::chrono::steady_clock::now();
    communicator.transport().gather(space, {std::span(own_bytes.data(), bytes)},
                                    {std::span(all_bytes.data(), all_bytes.size())}, offsets);
    space.fence("apsis::simulation::time_gathers: the clock reads after a gather");
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return seconds;
}

}  // namespace apsis::simulation
