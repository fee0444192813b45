// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// Remote calls: the leader rank broadcasts every operation, and the follower ranks execute it.
namespace apsis::driver {

enum class CallKind : std::uint64_t {
  begin,
  connect,
  release,
  time_gathers,
  make,
  restore,
  receive_signals,
  forget,
  method,  ///< a method of SimulationMethods on a simulation
};

struct RemoteCall {
  CallKind kind;
  std::uint64_t simulation = 0;
  std::uint64_t method = 0;
  std::uint64_t arguments[2]{};  ///< parameters of the call, or the packed arguments of the method
};

// Bits of the Boolean fields of SharingOptions, for CallKind::begin.
constexpr std::uint64_t devices_bit = 1, signals_bit = 2;

void broadcast_call(Communicator const& communicator, RemoteCall const& call);
RemoteCall receive_call(Communicator const& communicator);

/// Broadcasts a text from the leader rank to all ranks. Collective.
std::string broadcast_text(Communicator const& communicator, std::string const& text = {});

/// Gathers signals from all ranks; the leader rank handles all of them. Collective.
void gather_signals(Communicator const& communicator);

}  // namespace apsis::driver
