// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/transport.hpp>

#include <vector>

namespace apsis::domain {

/// By MPI, all at once, to and from memory that MPI can read and write. Messages may be of any
/// length. Returns when all have come and gone.
void send_and_receive(std::vector<Outgoing> const& give, std::vector<Incoming> const& take);

}  // namespace apsis::domain
