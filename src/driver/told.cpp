// SPDX-License-Identifier: Apache-2.0
#include "told.hpp"

#include <apsis/core/error.hpp>
#include <apsis/core/rows.hpp>
#include <apsis/driver/signals.hpp>

#include <csignal>
#include <cstring>
#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

namespace apsis::driver {

static_assert(std::is_trivially_copyable_v<Told>);

void tell(Communicator const& others, Told const& what) {
  of_the_first(others, std::as_bytes(std::span(&what, 1)));
}

Told hear(Communicator const& leader) {
  auto const bytes = of_the_first(leader, {});
  Told what{};
  APSIS_EXPECT(bytes.size() == sizeof what, "what the leader tells is as long as what is heard");
  std::memcpy(&what, bytes.data(), sizeof what);
  return what;
}

std::string text_of_the_first(Communicator const& with, std::string const& text) {
  auto const bytes = of_the_first(with, std::as_bytes(std::span(text)));
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

void hear_of_signals(Communicator const& with) {
  int const own[2]{with.rank() == 0 ? Signals::stop() : Signals::take_stop(),
                   Signals::take_checkpoint_request() ? SIGUSR1 : 0};
  auto const all = gathered(with, std::vector<int>(std::begin(own), std::end(own)));
  if (with.rank() != 0) return;
  for (int const signal : all) {
    if (signal != 0) Signals::pass_on(signal);
  }
}

}  // namespace apsis::driver
