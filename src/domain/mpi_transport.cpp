// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"
#include "transports.hpp"

#include <algorithm>
#include <cstdint>
#include <mpi.h>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace apsis::domain {

namespace {

constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;

class MpiTransport final : public Transport {
 public:
  using Transport::Transport;

  std::string name() const override { return on_host ? "MPI" : "MPI that takes the GPUs' memory"; }

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

/// Whether what the process before this one gives comes, and what this one gives goes.
bool brings_what_is_given(Communicator const& with) {
  constexpr std::size_t count = 1000;
  using Words = Kokkos::View<std::uint64_t*, MemorySpace>;
  Words const out("apsis::domain::mpi_transport::out", count);
  Words const in("apsis::domain::mpi_transport::in", count);
  Kokkos::deep_copy(out, with.rank() + 1);
  std::size_t const next = (with.rank() + 1) % with.size();
  std::size_t const before = (with.rank() + with.size() - 1) % with.size();
  auto const size = count * sizeof(std::uint64_t);
  MpiTransport(with.rank(), with.size())
      .exchange({}, {{next, {reinterpret_cast<std::byte const*>(out.data()), size}}},
                {{before, {reinterpret_cast<std::byte*>(in.data()), size}}});
  auto const got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), in);
  return std::count(got.data(), got.data() + count, before + 1) == count;
}

bool all_say(Communicator const& with, bool yes) {
  auto const said = gathered(with, std::vector<char>{static_cast<char>(yes)});
  return std::count(said.begin(), said.end(), 1) == static_cast<std::ptrdiff_t>(with.size());
}

}  // namespace

std::unique_ptr<Transport> mpi_transport(Communicator const& with) {
  bool const works = on_host || (all_say(with, says_it_takes_devices()) &&
                                 all_say(with, brings_what_is_given(with)));
  return works ? std::make_unique<MpiTransport>(with.rank(), with.size()) : nullptr;
}

}  // namespace apsis::domain
