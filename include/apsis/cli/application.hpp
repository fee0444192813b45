// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace apsis {
class Communicator;
}

namespace apsis::cli {

/// The apsis command: reads the command line and does what it says. Returns the exit status of a
/// run that was done; everything else that is wrong is thrown as apsis::Error. `has_mpi`: whether
/// this executable was built with MPI.
int application(int argc, char** argv, bool has_mpi);

/// Processes that were started together, as one of them sees them.
struct StartedTogether {
  std::shared_ptr<Communicator const> communicator;
  int threads;             ///< of the host, that are this process's own
  std::string processors;  ///< of the host, that it may use; as in driver::RankInfo
  std::function<void(int status)> end_all;  ///< at once, whatever they do; does not return
};

/// The same of processes that share their runs: the first does what the command line says, the
/// others what the first tells them. All return the same status; exceptions are reported here.
int application(int argc, char** argv, StartedTogether const& together);

/// Prints the exception in flight to standard error, one line a problem, and returns its exit
/// status. For main's catch.
int report_exception() noexcept;

}  // namespace apsis::cli
