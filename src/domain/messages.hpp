// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/transport.hpp"

#include <mpi.h>
#include <vector>

namespace apsis::domain {

/// Returns the communicator of MPI behind that of Processes.
MPI_Comm mpi_communicator(Communicator const& communicator);

/// Sends and receives messages of any length with MPI, all at the same time. The buffers must be in
/// memory that MPI can access. Returns after all messages are complete.
void send_and_receive(MPI_Comm communicator, std::vector<Outgoing> const& outgoing,
                      std::vector<Incoming> const& incoming);

}  // namespace apsis::domain
