// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/transport.hpp"

#include <memory>
#include <mpi.h>

namespace apsis::domain {

/// Returns the communicator of MPI behind that of Processes.
MPI_Comm mpi_communicator(Communicator const& communicator);

/// Sends and receives messages of any length with MPI, all at the same time. The buffers must be in
/// memory that MPI can access. Returns after all messages are complete.
void send_and_receive(MPI_Comm communicator, std::vector<Outgoing> const& outgoing,
                      std::vector<Incoming> const& incoming);

/// Creates the first of these transports that works on all ranks: NCCL (or RCCL), if each rank has
/// its own accelerator; MPI, if it can access the memory of the bodies; MPI through pinned host
/// memory. Collective. The transport must be destroyed before Kokkos::finalize().
std::unique_ptr<Transport> make_transport(Communicator const& communicator);

// The single transports; the first two are null if they do not work on all ranks. Collective.
std::unique_ptr<Transport> nccl_transport(Communicator const& communicator);
std::unique_ptr<Transport> mpi_transport(Communicator const& communicator);
std::unique_ptr<Transport> pinned_transport(Communicator const& communicator);

/// Whether `value` is true on all ranks. Collective.
bool is_true_on_all_ranks(Communicator const& communicator, bool value);

/// Whether messages between all ranks arrive unchanged. Tests large messages, which libraries move
/// by other methods than small ones. Collective.
bool delivers_messages(Transport& transport, Communicator const& communicator);

}  // namespace apsis::domain
