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

/// Part of a buffer, for a process (oneself included): where bodies live (MemorySpace) if a
/// Transport moves it.
struct Outgoing {
  std::size_t to;
  std::span<std::byte const> bytes;
};
/// The same, of another process.
struct Incoming {
  std::size_t from;
  std::span<std::byte> bytes;
};

/// Moves buffers between the memories where the bodies of processes live, in the order of what is
/// queued on an execution space: what was queued before is in the buffers that are given, what is
/// queued behind finds what came. May not wait for either. All processes make the same calls in the
/// same order.
class Transport {
 public:
  Transport(std::size_t rank, std::size_t size) : rank_(rank), size_(size) {}
  virtual ~Transport() = default;
  Transport(Transport const&) = delete;
  Transport& operator=(Transport const&) = delete;

  virtual std::string name() const = 0;

  /// Puts the rows of all processes behind each other: of each column, of which this process has
  /// those in `own`, where `all` has room. Process k's begin at row firsts[k]; the last entry is
  /// the number of all.
  void gather(ExecutionSpace const& space, std::vector<std::span<std::byte const>> const& own,
              std::vector<std::span<std::byte>> const& all,
              std::vector<std::size_t> const& firsts) {
    std::vector<Outgoing> give;
    std::vector<Incoming> take;
    std::size_t const rows = firsts.back();
    for (std::size_t k = 0; k < size_ && rows > 0; ++k) {
      for (std::size_t c = 0; c < all.size(); ++c) {
        std::size_t const bytes = all[c].size() / rows;  // of a row
        APSIS_EXPECT(bytes * rows == all[c].size() &&
                         own[c].size() == (firsts[rank_ + 1] - firsts[rank_]) * bytes,
                     "a column has other rows than the processes have together");
        give.push_back({k, own[c]});
        take.push_back({k, all[c].subspan(firsts[k] * bytes, (firsts[k + 1] - firsts[k]) * bytes)});
      }
    }
    move(space, give, take);
    for (auto const& column : all) traffic_.gathered_bytes += column.size();
  }
  /// Gives to others and takes from others. Several messages between two processes come in the
  /// order in which they were given; both know how long each is.
  void exchange(ExecutionSpace const& space, std::vector<Outgoing> const& give,
                std::vector<Incoming> const& take) {
    move(space, give, take);
    for (auto const& each : take) traffic_.exchanged_bytes += each.bytes.size();
  }

  Traffic const& traffic() const { return traffic_; }
  /// From now on buffers are waited for, so that the clock sees what they take, or they are not.
  void time_moves(bool timed) { timed_ = timed; }

 private:
  virtual void do_move(ExecutionSpace const& space, std::vector<Outgoing> const& give,
                       std::vector<Incoming> const& take) = 0;

  void move(ExecutionSpace const& space, std::vector<Outgoing> const& give,
            std::vector<Incoming> const& take) {
    using Clock = std::chrono::steady_clock;
    if (timed_) space.fence("apsis::Transport: the clock reads before buffers move");
    auto const begin = Clock::now();
    do_move(space, give, take);
    if (timed_) space.fence("apsis::Transport: the clock reads after buffers moved");
    ++traffic_.calls;
    traffic_.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  }

  std::size_t rank_, size_;
  Traffic traffic_;
  bool timed_ = false;
};

}  // namespace apsis
