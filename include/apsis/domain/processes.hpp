// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

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

/// Name and version of the MPI. Communicators of a program must be of the same one.
std::string mpi_library();

/// Communicator of the program, as a handle of Fortran, which is a number in every MPI:
/// MPI_Comm_c2f(communicator), or communicator.py2f() of mpi4py.
struct CommunicatorHandle {
  int fortran;
};

/// Ranks that share a run. Only the thread that created an object communicates. Errors of MPI
/// itself terminate all ranks.
class Processes {
 public:
  /// All ranks that were started together (MPI_COMM_WORLD). Initialises MPI and finalises it at the
  /// end, unless the program has initialised it; messages are then separate from those of the
  /// program. Throws an internal error for an MPI without support of programs with threads
  /// (MPI_THREAD_FUNNELED).
  Processes();
  /// The ranks of a communicator of a program that has initialised MPI; MPI stays initialised.
  /// Messages are separate from those of the program. Collective, as the destructor. Throws a usage
  /// error for MPI_COMM_NULL, for an intercommunicator, and if MPI is not initialised.
  explicit Processes(CommunicatorHandle handle);
  /// Finalises MPI if the constructor has initialised it. A rank that ends before the others leaves
  /// them waiting for its messages: therefore the last handler of an exception must call abort().
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
  bool finalises_ = false;  ///< MPI, at the end
};

}  // namespace apsis::domain
