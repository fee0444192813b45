// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
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

/// Where a run's work is done: the execution space that its kernels are queued on, and whom its
/// sums are shared with (nobody by default: the process has all bodies). An execution space alone
/// is a context, and a context is good wherever a kernel only wants its execution space.
struct Context {
  ExecutionSpace space;
  std::shared_ptr<Communicator const> communicator;

  Context(ExecutionSpace const& on = {}, std::shared_ptr<Communicator const> with = nullptr)
      : space(on), communicator(std::move(with)) {}
  operator ExecutionSpace const&() const { return space; }
};

/// The values of all processes, in their order.
template <class T>
std::vector<T> gathered(Context const& context, std::vector<T> own) {
  if (!context.communicator) return own;
  auto const bytes = context.communicator->gather(std::as_bytes(std::span<T const>(own)));
  std::vector<T> all(bytes.size() / sizeof(T));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

}  // namespace apsis
