// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>
#include <apsis/simulation/leader.hpp>
#include <apsis/simulation/simulation.hpp>

#include <cstdint>
#include <string>

/// Remote calls: the leader rank broadcasts every operation, and the follower ranks execute it
/// (follow.cpp).
namespace apsis::simulation {

/// Operations that the leader rank requests from the follower ranks. From `advance` on they are
/// member functions of Simulation, which each rank calls on its own simulation.
enum class Operation : std::uint64_t {
  begin,            ///< initialise the process and gather the descriptions of all ranks
  connect,          ///< set up the transport between the ranks
  release,          ///< end the process with a status
  time_gathers,     ///< measure collective gathers
  receive_signals,  ///< take part in gather_signals()
  make,             ///< make a simulation of a deck
  restore,          ///< restore a simulation from a saved state
  forget,           ///< destroy a simulation
  advance,
  set_time_step,
  reverse_time,
  mark,
  roll_back,
  save,  ///< exchange() with a state that is saved
  whole,
  with_accelerations,
  measure,
  closest_approach,
  coarsest_passage,
  not_finite,
  time_solver,
};

/// Message of the leader rank to the follower ranks. Trivially copyable.
struct RemoteCall {
  Operation operation;
  std::uint64_t simulation = 0;  ///< number of the simulation

  // Arguments of the operation in the comment; unused by the others.
  SharingOptions options{};      // begin
  ExitStatus status{};           // release
  std::uint64_t bytes = 0;       // time_gathers
  int times = 0;                 // time_gathers
  std::uint64_t bodies = 0;      // make, restore: of all ranks
  bool use_all_threads = false;  // make, restore
  std::uint64_t steps = 0;       // advance
  FollowUp follow_up{};          // advance
  double time_step = 0.0;        // set_time_step
  bool potentials = false;       // whole
  Since since{};                 // closest_approach
  unsigned measured = 0;         // time_solver
};

/// Broadcasts a call from the leader rank. Every follower rank must be in receive_call().
void broadcast_call(Communicator const& communicator, RemoteCall const& call);
/// Waits for the next call of the leader rank.
RemoteCall receive_call(Communicator const& communicator);

/// Broadcasts a text from the leader rank to all ranks. Collective.
std::string broadcast_text(Communicator const& communicator, std::string const& text = {});

/// Gathers signals from all ranks; the leader rank handles all of them. Collective.
void gather_signals(Communicator const& communicator);

}  // namespace apsis::simulation
