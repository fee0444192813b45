// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/context.hpp>

#include <cstddef>
#include <memory>
#include <string>

/// Processes that share a run, by MPI 3. Only in executables that were built with APSIS_ENABLE_MPI.
namespace apsis::domain {

/// What a process may use of its host.
struct Place {
  int threads = 1;  ///< as many as it may keep busy, if all processes there do the same
  /// That it may run on: a '1' for each by its number, a '0' for each other.
  std::string processors{};
};

/// Whether this process was started by a launcher of MPI: where it was not, MPI need not be there.
bool launched();

/// The processes that were started together. One lives from the beginning of main() to its end, and
/// only the thread that made it communicates. Whatever MPI itself finds wrong ends all of them.
class Processes {
 public:
  /// Initialises MPI.
  Processes();
  /// Finalises it. A process that merely ends leaves the others waiting for what it will never
  /// give: who catches an exception last calls abort().
  ~Processes();
  Processes(Processes const&) = delete;
  Processes& operator=(Processes const&) = delete;

  std::size_t rank() const { return communicator_->rank(); }
  std::size_t size() const { return communicator_->size(); }

  /// Of all of them. Messages may be of any length; an answer is in the order of the processes,
  /// whoever gave first. O(bytes) memory besides what is given and got.
  std::shared_ptr<Communicator const> communicator() const { return communicator_; }

  /// Where this one is. All of them ask at once.
  Place place() const;

  /// Ends all of them at once with this status, whatever the others do.
  [[noreturn]] void abort(int status) const;

 private:
  std::shared_ptr<Communicator const> communicator_;
};

}  // namespace apsis::domain
