// SPDX-License-Identifier: Apache-2.0
#include "transports.hpp"

namespace apsis::domain {

std::unique_ptr<Transport> make_transport(Communicator const& with) {
  if (auto by_nccl = nccl_transport(with)) return by_nccl;
  if (auto by_mpi = mpi_transport(with)) return by_mpi;
  return pinned_transport(with);
}

}  // namespace apsis::domain
