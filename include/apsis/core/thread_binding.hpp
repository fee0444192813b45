// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apsis {

/// Keeps every OpenMP thread on one processor, so that the scheduler does not move two threads onto
/// one core in the middle of a run. Done only if the user did not set OMP_PROC_BIND and the threads
/// are as many as the processors this process may use: a smaller run shares the machine with others
/// and is left to the system's scheduler.
///
/// Construct before Kokkos is initialised (it reads the environment), bind() after.
class ThreadBinding {
 public:
  ThreadBinding();
  void bind() const;

 private:
  [[maybe_unused]] bool wanted_ = false;  // only an OpenMP build has threads to bind
};

/// Lets the calling thread run on every processor that this process could use before bind(): a
/// thread that is made later inherits the one processor of its maker.
void unbind_this_thread();

}  // namespace apsis
