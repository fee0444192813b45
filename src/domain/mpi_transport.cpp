// SPDX-License-Identifier: Apache-2.0
#include "transports.hpp"
#include <apsis/core/backend.hpp>

#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace apsis::domain {

namespace {

/// Transport that passes the buffers directly to MPI.
class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(Communicator const& communicator)
      : Transport(communicator.rank(), communicator.size()),
        communicator_(mpi_communicator(communicator)) {}

  std::string name() const override { return bodies_on_host ? "MPI" : "GPU-aware MPI"; }

 private:
  void do_move(ExecutionSpace const& space, std::vector<Outgoing> const& outgoing,
               std::vector<Incoming> const& incoming) override {
    space.fence("apsis::domain::mpi_transport: MPI reads what was queued");
    send_and_receive(communicator_, outgoing, incoming);
  }

  MPI_Comm communicator_;
};

/// Whether MPI reports support for device memory. An MPI without it terminates the program at the
/// first such message, so it is not tried if MPI reports no support or nothing.
bool reports_device_support() {
  int is_supported = 0;
#if defined(OMPI_HAVE_MPI_EXT_CUDA) && OMPI_HAVE_MPI_EXT_CUDA
  if constexpr (on_cuda) is_supported = MPIX_Query_cuda_support();
#endif
#if defined(OMPI_HAVE_MPI_EXT_ROCM) && OMPI_HAVE_MPI_EXT_ROCM
  if constexpr (on_hip) is_supported = MPIX_Query_rocm_support();
#endif
#if defined(MPIX_GPU_SUPPORT_CUDA) && defined(MPIX_GPU_SUPPORT_HIP)
  if constexpr (on_gpu) {
    MPIX_GPU_query_support(on_cuda ? MPIX_GPU_SUPPORT_CUDA : MPIX_GPU_SUPPORT_HIP, &is_supported);
  }
#endif
  return is_supported != 0;
}

}  // namespace

std::unique_ptr<Transport> mpi_transport(Communicator const& communicator) {
  auto transport = std::make_unique<MpiTransport>(communicator);
  if (bodies_on_host) return transport;
  bool const works =
      is_true_on_all_ranks(communicator, reports_device_support()) &&
      is_true_on_all_ranks(communicator, delivers_messages(*transport, communicator));
  return works ? std::move(transport) : nullptr;
}

}  // namespace apsis::domain
