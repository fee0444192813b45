// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>
#include <apsis/core/execution.hpp>

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace apsis {

/// Part of a buffer, for another process: where bodies live (MemorySpace) if a Transport moves it.
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

  /// Completes a buffer that has a part of each process, of which this one has filled its own.
  /// Process k's begins at firsts[k]; the last entry is the end of all [bytes].
  void gather(ExecutionSpace const& space, std::span<std::byte> all,
              std::vector<std::size_t> const& firsts) {
    auto const part = [&](std::size_t k) {
      return all.subspan(firsts[k], firsts[k + 1] - firsts[k]);
    };
    std::vector<Outgoing> give;
    std::vector<Incoming> take;
    for (std::size_t k = 0; k < size_; ++k) {
      if (k == rank_) continue;
      give.push_back({k, part(rank_)});
      take.push_back({k, part(k)});
    }
    move(space, give, take);
    traffic_.gathered_bytes += firsts.back();
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
