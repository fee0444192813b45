// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// Remote calls: the leader rank broadcasts every operation, and the follower ranks execute it.
namespace apsis::driver {

enum class Call : std::uint64_t {
  begin,
  connect,
  release,
  echo,
  make,
  restore,
  hear_signals,
  forget,
  act,  ///< a method of SimulationMethods on a simulation
};

struct Told {
  Call call;
  std::uint64_t simulation = 0;
  std::uint64_t act = 0;
  std::uint64_t numbers[2]{};  ///< parameters of the call, or the packed arguments of the method
};

// Bits of the Boolean fields of SharingOptions, for CallKind::begin.
constexpr std::uint64_t devices_bit = 1, signals_bit = 2;

void tell(Communicator const& others, Told const& what);
Told hear(Communicator const& leader);

/// Broadcasts a text from the leader rank to all ranks. Collective.
std::string text_of_the_first(Communicator const& with, std::string const& text = {});

/// Gathers signals from all ranks; the leader rank handles all of them. Collective.
void hear_of_signals(Communicator const& with);

}  // namespace apsis::driver
