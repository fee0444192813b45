// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apsis {

/// Binds every OpenMP thread to one processor, so that the scheduler does not move two threads to
/// the same core during a run. Applies only if the user did not set OMP_PROC_BIND and there are as
/// many threads as processors that this process may use: a run with fewer threads shares the
/// machine, and its threads are left to the scheduler.
///
/// Construct before Kokkos is initialised (Kokkos reads the environment); call bind() after.
class ThreadBinding {
 public:
  ThreadBinding();
  void bind() const;

 private:
  [[maybe_unused]] bool wanted_ = false;  // unused without OpenMP
};

/// Restores the affinity of the calling thread to all processors that this process could use before
/// bind(). Needed because a new thread inherits the single processor of the thread that starts it.
void unbind_this_thread();

}  // namespace apsis
