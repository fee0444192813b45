// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace apsis {

/// How the processes that share one run hear of each other. All of them make the same calls in the
/// same order.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual std::size_t rank() const = 0;  ///< of this process
  virtual std::size_t size() const = 0;  ///< processes

  // Both block until all have given.

  /// What every process gave, first to last, on each of them.
  virtual std::vector<std::byte> gather(std::span<std::byte const> own) const = 0;
  /// What every process gave for this one, first to last; `pieces` has one for each.
  virtual std::vector<std::vector<std::byte>> exchange(
      std::vector<std::vector<std::byte>> const& pieces) const = 0;
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
