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

/// Communication statistics of one rank since the start of the run.
struct Traffic {
  double seconds = 0.0;  ///< wall time blocked in communication [s]
  std::uint64_t calls = 0;
  std::uint64_t gathered_bytes = 0;   ///< received in gathers, the rank's own bytes included
  std::uint64_t exchanged_bytes = 0;  ///< received in exchanges, addressed to this rank
};

/// Communication between the ranks that share one run. Every call is collective: all ranks make the
/// same calls in the same order.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual std::size_t rank() const = 0;  ///< rank of this process
  virtual std::size_t size() const = 0;  ///< number of ranks

  /// The transport that moves buffers between the memory spaces of the ranks' bodies. The first
  /// call is collective. Call only while Kokkos is initialised.
  virtual Transport& transport() const = 0;

  // Host buffers. Both calls block until all ranks have contributed.

  /// Returns the contributions of all ranks on every rank, concatenated in rank order.
  std::vector<std::byte> gather(std::span<std::byte const> local) const {
    auto const begin = Clock::now();
    auto gathered_bytes = do_gather(local);
    record_call(begin);
    traffic_.gathered_bytes += gathered_bytes.size();
    return gathered_bytes;
  }
  /// Sends pieces[k] to rank k. Returns the pieces that each rank sent to this rank, in rank order.
  /// `pieces` has size() entries.
  std::vector<std::vector<std::byte>> exchange(
      std::vector<std::vector<std::byte>> const& pieces) const {
    auto const begin = Clock::now();
    auto received = do_exchange(pieces);
    record_call(begin);
    for (auto const& piece : received) traffic_.exchanged_bytes += piece.size();
    return received;
  }

  Traffic const& traffic() const { return traffic_; }

 private:
  using Clock = std::chrono::steady_clock;

  virtual std::vector<std::byte> do_gather(std::span<std::byte const> local) const = 0;
  virtual std::vector<std::vector<std::byte>> do_exchange(
      std::vector<std::vector<std::byte>> const& pieces) const = 0;

  void record_call(Clock::time_point begin) const {
    ++traffic_.calls;
    traffic_.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  }

  mutable Traffic traffic_;
};

/// The values of all ranks, concatenated in rank order. Collective.
template <class T>
std::vector<T> gather_values(Communicator const& communicator, std::vector<T> const& local) {
  auto const bytes = communicator.gather(std::as_bytes(std::span(local)));
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace apsis
