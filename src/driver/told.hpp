// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// What the leader tells the others, who do nothing else than what they are told.
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
  act,  ///< one of the acts, on one of their simulations
};

struct Told {
  Call call;
  std::uint64_t simulation = 0;
  std::uint64_t act = 0;
  std::uint64_t numbers[2]{};  ///< of a call, or the arguments of an act as they lie in memory
};

// What Sharing says of yes and no, in Call::begin.
constexpr std::uint64_t devices_bit = 1, signals_bit = 2;

void tell(Communicator const& others, Told const& what);
Told hear(Communicator const& leader);

/// The text of the first process, on all of them.
std::string text_of_the_first(Communicator const& with, std::string const& text = {});

/// Signals may come to any process: all call it, and the leader heeds them all.
void hear_of_signals(Communicator const& with);

}  // namespace apsis::driver
