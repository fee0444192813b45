// SPDX-License-Identifier: Apache-2.0
#include "transports.hpp"

namespace apsis::domain {

std::unique_ptr<Transport> make_transport(Communicator const& communicator) {
  if (auto nccl = nccl_transport(communicator)) return nccl;
  if (auto mpi = mpi_transport(communicator)) return mpi;
  return pinned_transport(communicator);
}

}  // namespace apsis::domain
