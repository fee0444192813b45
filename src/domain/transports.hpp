// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/transport.hpp>

#include <memory>

namespace apsis::domain {

/// The first of these that works here, on all processes: NCCL (or RCCL) between accelerators of
/// which each process has its own, MPI where it takes the memory of bodies, MPI through pinned
/// memory of the host. All processes call it at once; it lives as long as Kokkos at most.
std::unique_ptr<Transport> make_transport(Communicator const& with);

// Its parts. The first two are nothing where they do not work on every process.
std::unique_ptr<Transport> nccl_transport(Communicator const& with);
std::unique_ptr<Transport> mpi_transport(Communicator const& with);
std::unique_ptr<Transport> pinned_transport(Communicator const& with);

}  // namespace apsis::domain
