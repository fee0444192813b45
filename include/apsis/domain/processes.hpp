// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/context.hpp>

#include <cstddef>
#include <memory>
#include <string>

/// Ranks that share a run, by MPI 3. Only in executables that are built with APSIS_ENABLE_MPI.
namespace apsis::domain {

/// Processors of its host that a rank may use.
struct Place {
  int threads = 1;  ///< number of threads of this rank, such that the ranks of the host share it
  /// Processors on which the rank may run, by number: '1' if allowed, '0' if not.
  std::string processors{};
};

/// Whether this process was started by an MPI launcher. If not, MPI is not needed.
bool launched();

/// All ranks that were started together (MPI_COMM_WORLD). An object exists from the beginning to
/// the end of main(), and only the thread that created it communicates. Errors of MPI itself
/// terminate all ranks.
class Processes {
 public:
  /// Initialises MPI.
  Processes();
  /// Finalises MPI. A rank that ends before the others leaves them waiting for its messages:
  /// therefore the last handler of an exception must call abort().
  ~Processes();
  Processes(Processes const&) = delete;
  Processes& operator=(Processes const&) = delete;

  std::size_t rank() const { return communicator_->rank(); }
  std::size_t size() const { return communicator_->size(); }

  /// Communicator of all ranks. Messages may be of any length; results are in the order of ranks.
  /// Needs O(bytes) memory in addition to the messages.
  std::shared_ptr<Communicator const> communicator() const { return communicator_; }

  /// Processors that this rank may use. Collective.
  Place place() const;

  /// Terminates all ranks immediately with this exit status.
  [[noreturn]] void abort(int status) const;

 private:
  std::shared_ptr<Communicator const> communicator_;
};

}  // namespace apsis::domain
