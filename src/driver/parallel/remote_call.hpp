// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// Remote calls: the leader rank broadcasts every operation, and the follower ranks execute it.
namespace apsis::driver {

/// Operations that the leader rank requests from the follower ranks.
enum class CallKind : std::uint64_t {
  begin,            ///< initialise the process and gather the descriptions of all ranks
  connect,          ///< set up the transport between the ranks
  release,          ///< end the process with a status
  time_gathers,     ///< measure collective gathers
  make,             ///< make a simulation of a deck
  restore,          ///< restore a simulation from a saved state
  receive_signals,  ///< take part in gather_signals()
  forget,           ///< destroy a simulation
  method,           ///< a method of SimulationMethods on a simulation
};

/// Message of the leader rank to the follower ranks. Trivially copyable.
struct RemoteCall {
  CallKind kind;
  std::uint64_t simulation = 0;  ///< number of the simulation
  std::uint64_t method = 0;      ///< index in SimulationMethods, for CallKind::method
  std::uint64_t arguments[2]{};  ///< parameters of the call, or the packed arguments of the method
};

// Bits of the Boolean fields of SharingOptions, for CallKind::begin.
constexpr std::uint64_t devices_bit = 1, signals_bit = 2;

/// Broadcasts a call from the leader rank. Every follower rank must be in receive_call().
void broadcast_call(Communicator const& communicator, RemoteCall const& call);
/// Waits for the next call of the leader rank.
RemoteCall receive_call(Communicator const& communicator);

/// Broadcasts a text from the leader rank to all ranks. Collective.
std::string broadcast_text(Communicator const& communicator, std::string const& text = {});

/// Gathers signals from all ranks; the leader rank handles all of them. Collective.
void gather_signals(Communicator const& communicator);

}  // namespace apsis::driver
