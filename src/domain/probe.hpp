// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/transport.hpp>

namespace apsis::domain {

/// Whether every process says so.
bool all_say(Communicator const& with, bool yes);

/// Whether messages between all processes come as they were given, large ones too, which libraries
/// move in other ways than small ones.
bool brings_what_is_given(Transport& by, Communicator const& with);

}  // namespace apsis::domain
