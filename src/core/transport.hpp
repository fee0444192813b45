// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/execution.hpp>

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace apsis {

/// Message to a rank, which may be this rank. A Transport expects the bytes in MemorySpace.
struct Outgoing {
  std::size_t destination;  ///< rank
  std::span<std::byte const> bytes;
};
/// Buffer for a message from a rank, which may be this rank. A Transport expects it in MemorySpace.
struct Incoming {
  std::size_t origin;  ///< rank
  std::span<std::byte> bytes;
};

/// Moves buffers between the memory spaces of the ranks' bodies. Transfers are ordered with the
/// work queued on an execution space: they see the results of kernels queued before them, and
/// kernels queued after them see the received data. A call may return before either has finished.
/// All calls are collective and in the same order on all ranks.
class Transport {
 public:
  Transport(std::size_t rank, std::size_t size) : rank_(rank), size_(size) {}
  virtual ~Transport() = default;
  Transport(Transport const&) = delete;
  Transport& operator=(Transport const&) = delete;

  virtual std::string name() const = 0;

  /// Gathers the rows of all ranks on every rank. local[c] has this rank's rows of column c,
  /// columns[c] is the buffer for all rows of it. The rows of rank k begin at row firsts[k]; the
  /// last entry of `firsts` is the total number of rows.
  void gather(ExecutionSpace const& space, std::vector<std::span<std::byte const>> const& local,
              std::vector<std::span<std::byte>> const& columns,
              std::vector<std::size_t> const& firsts) {
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    std::size_t const rows = firsts.back();
    for (std::size_t k = 0; k < size_ && rows > 0; ++k) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        std::size_t const row_bytes = columns[c].size() / rows;
        APSIS_EXPECT(row_bytes * rows == columns[c].size() &&
                         local[c].size() == (firsts[rank_ + 1] - firsts[rank_]) * row_bytes,
                     "a gathered column does not have the rows of all ranks together");
        outgoing.push_back({k, local[c]});
        incoming.push_back({k, columns[c].subspan(firsts[k] * row_bytes,
                                                  (firsts[k + 1] - firsts[k]) * row_bytes)});
      }
    }
    move(space, outgoing, incoming);
    for (auto const& column : columns) traffic_.gathered_bytes += column.size();
  }
  /// Sends and receives messages. Messages between two ranks arrive in the order in which they were
  /// sent; sender and receiver must agree on the length of each.
  void exchange(ExecutionSpace const& space, std::vector<Outgoing> const& outgoing,
                std::vector<Incoming> const& incoming) {
    move(space, outgoing, incoming);
    for (auto const& message : incoming) traffic_.exchanged_bytes += message.bytes.size();
  }

  Traffic const& traffic() const { return traffic_; }
  /// With `timed`, transfers are fenced, so that traffic().seconds covers their full duration.
  void set_timed(bool timed) { timed_ = timed; }

 private:
  virtual void do_move(ExecutionSpace const& space, std::vector<Outgoing> const& outgoing,
                       std::vector<Incoming> const& incoming) = 0;

  void move(ExecutionSpace const& space, std::vector<Outgoing> const& outgoing,
            std::vector<Incoming> const& incoming) {
    using Clock = std::chrono::steady_clock;
    if (timed_) space.fence("apsis::Transport: the clock reads before buffers move");
    auto const begin = Clock::now();
    do_move(space, outgoing, incoming);
    if (timed_) space.fence("apsis::Transport: the clock reads after buffers moved");
    ++traffic_.calls;
    traffic_.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  }

  std::size_t rank_, size_;
  Traffic traffic_;
  bool timed_ = false;
};

}  // namespace apsis
