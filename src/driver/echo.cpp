// SPDX-License-Identifier: Apache-2.0
#include "echo.hpp"

#include <apsis/core/transport.hpp>

#include <chrono>
#include <span>

namespace apsis::driver {

std::vector<double> echoed(Communicator const& with, std::size_t bytes, int times) {
  Kokkos::View<std::byte*, MemorySpace> const all("apsis::driver::echo", bytes * with.size());
  Kokkos::View<std::byte*, MemorySpace> const own("apsis::driver::echo_of_own", bytes);
  std::vector<std::size_t> firsts;
  for (std::size_t k = 0; k <= with.size(); ++k) firsts.push_back(k * bytes);
  ExecutionSpace const space;
  std::vector<double> seconds;
  for (int k = 0; k < times; ++k) {
    with.gather({});  // synchronises all ranks
    auto const begin = std::chrono::steady_clock::now();
    with.transport().gather(space, {std::span(own.data(), bytes)},
                            {std::span(all.data(), all.size())}, firsts);
    space.fence("apsis::driver::echo: the clock reads an echo");
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return seconds;
}

}  // namespace apsis::driver
