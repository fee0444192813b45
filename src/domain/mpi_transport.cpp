// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"
#include "probe.hpp"
#include "transports.hpp"

#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace apsis::domain {

namespace {

class MpiTransport final : public Transport {
 public:
  using Transport::Transport;

  std::string name() const override {
    return bodies_on_host ? "MPI" : "MPI that takes the GPUs' memory";
  }

 private:
  void do_move(ExecutionSpace const& space, std::vector<Outgoing> const& give,
               std::vector<Incoming> const& take) override {
    space.fence("apsis::domain::mpi_transport: MPI reads what was queued");
    send_and_receive(give, take);
  }
};

/// What MPI says of itself. One that does not know ends the program at the first such message, so
/// it is not tried where it says no, or nothing.
bool says_it_takes_devices() {
#if defined(KOKKOS_ENABLE_CUDA) && defined(OMPI_HAVE_MPI_EXT_CUDA) && OMPI_HAVE_MPI_EXT_CUDA
  return MPIX_Query_cuda_support() == 1;
#elif defined(KOKKOS_ENABLE_HIP) && defined(OMPI_HAVE_MPI_EXT_ROCM) && OMPI_HAVE_MPI_EXT_ROCM
  return MPIX_Query_rocm_support() == 1;
#elif (defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)) && \
    defined(MPIX_GPU_SUPPORT_CUDA) && defined(MPIX_GPU_SUPPORT_HIP)
  int is = 0;
#if defined(KOKKOS_ENABLE_CUDA)
  MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is);
#else
  MPIX_GPU_query_support(MPIX_GPU_SUPPORT_HIP, &is);
#endif
  return is != 0;
#else
  return false;
#endif
}

}  // namespace

std::unique_ptr<Transport> mpi_transport(Communicator const& with) {
  auto by_mpi = std::make_unique<MpiTransport>(with.rank(), with.size());
  if (bodies_on_host) return by_mpi;
  bool const works =
      all_say(with, says_it_takes_devices()) && all_say(with, brings_what_is_given(*by_mpi, with));
  return works ? std::move(by_mpi) : nullptr;
}

}  // namespace apsis::domain
