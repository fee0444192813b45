// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/transport.hpp>

#include <vector>

namespace apsis::domain {

/// Sends and receives messages of any length with MPI, all at the same time. The buffers must be in
/// memory that MPI can access. Returns after all messages are complete.
void send_and_receive(std::vector<Outgoing> const& outgoing, std::vector<Incoming> const& incoming);

}  // namespace apsis::domain
