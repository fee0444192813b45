// SPDX-License-Identifier: Apache-2.0
#include "remote_call.hpp"

#include "core/rows.hpp"
#include "core/signals.hpp"
#include <apsis/core/error.hpp>

#include <csignal>
#include <cstring>
#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

namespace apsis::simulation {

static_assert(std::is_trivially_copyable_v<RemoteCall>);

void broadcast_call(Communicator const& communicator, RemoteCall const& call) {
  broadcast(communicator, std::as_bytes(std::span(&call, 1)));
}

RemoteCall receive_call(Communicator const& communicator) {
  auto const bytes = broadcast(communicator, {});
  RemoteCall call{};
  APSIS_EXPECT(bytes.size() == sizeof call, "a received call must have the size of a RemoteCall");
  std::memcpy(&call, bytes.data(), sizeof call);
  return call;
}

std::string broadcast_text(Communicator const& communicator, std::string const& text) {
  auto const bytes = broadcast(communicator, std::as_bytes(std::span(text)));
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

void gather_signals(Communicator const& communicator) {
  int const own_signals[2]{
      communicator.rank() == 0 ? Signals::stop_signal() : Signals::take_stop_signal(),
      Signals::take_checkpoint_request() ? SIGUSR1 : 0};
  auto const all_signals =
      gather_values(communicator, std::vector<int>(std::begin(own_signals), std::end(own_signals)));
  if (communicator.rank() != 0) return;
  for (int const signal : all_signals) {
    if (signal != 0) Signals::deliver(signal);
  }
}

}  // namespace apsis::simulation
