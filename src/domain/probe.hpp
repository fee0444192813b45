// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/transport.hpp>

namespace apsis::domain {

/// Whether `value` is true on all ranks. Collective.
bool is_true_on_all_ranks(Communicator const& communicator, bool value);

/// Whether messages between all ranks arrive unchanged. Tests large messages, which libraries move
/// by other methods than small ones. Collective.
bool delivers_messages(Transport& transport, Communicator const& communicator);

}  // namespace apsis::domain
