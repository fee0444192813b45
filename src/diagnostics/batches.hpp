// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>
#include <apsis/core/poll.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace apsis::diagnostics {

/// Calls launch(first, count) for consecutive ranges of [0, total). Without a poll there is one
/// range. With a poll the ranges have whole blocks and take about 0.1 s, with a fence and a call of
/// the poll between them; the first one has about `first_batch` elements.
template <class Launch>
void launch_in_batches(ExecutionSpace const& space, std::string const& label, std::size_t total,
                       std::size_t first_batch, std::size_t block, Poll const& poll,
                       Launch const& launch) {
  constexpr double longest_batch = 0.1;  // [s]
  std::size_t batch = poll ? std::max<std::size_t>(1, first_batch) : total;
  for (std::size_t first = 0; first < total;) {
    std::size_t const blocks = (batch + block - 1) / block;
    std::size_t const count = std::min(total - first, blocks * block);
    Stopwatch const watch;
    launch(first, count);
    first += count;
    if (!poll || first == total) continue;
    space.fence(label + ": a stop may be asked for");
    poll(static_cast<double>(first) / static_cast<double>(total));
    double const seconds = watch.seconds();
    if (seconds < 0.5 * longest_batch) batch = 2 * count;
    if (seconds > longest_batch) batch = std::max<std::size_t>(1, count / 2);
  }
}

}  // namespace apsis::diagnostics
