// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace apsis {

class Transport;

/// What a process has heard of the others so far.
struct Traffic {
  double seconds = 0.0;  ///< that it waited for it, while nothing else was done
  std::uint64_t calls = 0;
  std::uint64_t gathered_bytes = 0;   ///< that all got of all
  std::uint64_t exchanged_bytes = 0;  ///< that came for this process alone
};

/// How the processes that share one run hear of each other. All of them make the same calls in the
/// same order.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual std::size_t rank() const = 0;  ///< of this process
  virtual std::size_t size() const = 0;  ///< processes

  /// What moves buffers between the memories where bodies live. All of them ask for the first time
  /// at once, and as long as Kokkos lives.
  virtual Transport& transport() const = 0;

  // On the host. Both block until all have given.

  /// What every process gave, first to last, on each of them.
  std::vector<std::byte> gather(std::span<std::byte const> own) const {
    auto const begin = Clock::now();
    auto all = do_gather(own);
    heard_since(begin);
    traffic_.gathered_bytes += all.size();
    return all;
  }
  /// What every process gave for this one, first to last; `pieces` has one for each.
  std::vector<std::vector<std::byte>> exchange(
      std::vector<std::vector<std::byte>> const& pieces) const {
    auto const begin = Clock::now();
    auto got = do_exchange(pieces);
    heard_since(begin);
    for (auto const& piece : got) traffic_.exchanged_bytes += piece.size();
    return got;
  }

  Traffic const& traffic() const { return traffic_; }

 private:
  using Clock = std::chrono::steady_clock;

  virtual std::vector<std::byte> do_gather(std::span<std::byte const> own) const = 0;
  virtual std::vector<std::vector<std::byte>> do_exchange(
      std::vector<std::vector<std::byte>> const& pieces) const = 0;

  void heard_since(Clock::time_point begin) const {
    ++traffic_.calls;
    traffic_.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  }

  mutable Traffic traffic_;
};

/// The values of all processes, in their order.
template <class T>
std::vector<T> gathered(Communicator const& with, std::vector<T> const& own) {
  auto const bytes = with.gather(std::as_bytes(std::span(own)));
  std::vector<T> all(bytes.size() / sizeof(T));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

}  // namespace apsis
