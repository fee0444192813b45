// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

#include <functional>
#include <memory>
#include <string>

namespace apsis {
class Communicator;
}

namespace apsis::cli {

/// Runs the `apsis` command given by the command line. Returns the exit status of a completed run;
/// every other failure is thrown as apsis::Error. `has_mpi`: whether this executable was built with
/// MPI. `measures`: those of the program of bench/.
int application(int argc, char** argv, bool has_mpi, Measures measures);

/// One of several ranks that a launcher started together.
struct RankSetup {
  std::shared_ptr<Communicator const> communicator;
  int threads;             ///< host threads of this rank
  std::string processors;  ///< processors that this rank may use; format of RankInfo::processors
  std::function<void(int status)> abort_all;  ///< ends all ranks at once; does not return
  Measures measures;
};

/// Runs the command on several ranks: the leader rank obeys the command line, the follower ranks
/// obey the leader. All return the same status; exceptions are reported here.
int application(int argc, char** argv, RankSetup const& rank);

/// Prints the current exception, a line per problem, and returns its exit status. For main.
int report_exception() noexcept;

/// Replaces this process by the program of bench/ (`apsis-bench.<backend>`, beside this one) if the
/// command line may need it and it is there: signals and the exit status are its own. Called before
/// the constructors of libraries: neither MPI nor the OpenMP runtime has begun, which would bind
/// the process to a processor.
void start_bench_program(int argc, char** argv, char** environment);

/// In the program of bench/: throws an error if a program of another build started it.
void check_starting_program(int argc, char** argv);

/// Makes sure that a process ended by a library (exit(), abort(), or a crash for lack of memory)
/// prints a line and has status 70, like every internal error; status 1 would mean a broken limit.
/// Uses no library. Acts once: called before the constructors of libraries where possible, and in
/// the first line of main.
void report_unintended_exit();

/// Marks the coming exit as intended and returns its status. For return statements of main.
int intend_exit(int status);

}  // namespace apsis::cli
