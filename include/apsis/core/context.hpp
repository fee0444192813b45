// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>
#include <apsis/core/execution.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace apsis {

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

/// Whether there are other processes that have bodies of the run.
inline bool is_shared(Context const& context) {
  return context.communicator && context.communicator->size() > 1;
}

/// The values of all processes, in their order.
template <class T>
std::vector<T> gathered(Context const& context, std::vector<T> own) {
  return context.communicator ? gathered(*context.communicator, own) : own;
}

}  // namespace apsis
