// SPDX-License-Identifier: Apache-2.0
#include "transports.hpp"

#include <apsis/core/backend.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace apsis::domain {

std::unique_ptr<Transport> make_transport(Communicator const& communicator) {
  if (auto nccl = nccl_transport(communicator)) return nccl;
  if (auto mpi = mpi_transport(communicator)) return mpi;
  return pinned_transport(communicator);
}

bool is_true_on_all_ranks(Communicator const& communicator, bool value) {
  auto const values = gather_values(communicator, std::vector<char>{static_cast<char>(value)});
  return std::count(values.begin(), values.end(), 1) ==
         static_cast<std::ptrdiff_t>(communicator.size());
}

bool delivers_messages(Transport& transport, Communicator const& communicator) {
  using Words = Kokkos::View<std::uint32_t*, MemorySpace>;
  std::size_t const size = communicator.size(), rank = communicator.rank();
  std::size_t const length = std::max<std::size_t>((std::size_t{1} << 23) / size, 1 << 14);
  Words const out(Kokkos::view_alloc(Kokkos::WithoutInitializing, "apsis::domain::probe::out"),
                  length * size);
  Words const in("apsis::domain::probe::in", length * size);
  // Each message consists of a word that is unique for the pair of ranks.
  auto const word = [=](std::size_t sender, std::size_t receiver) {
    return static_cast<std::uint32_t>(sender * size + receiver + 1);
  };
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (std::size_t k = 0; k < size; ++k) {
    auto const part = std::pair(k * length, (k + 1) * length);
    Kokkos::deep_copy(Kokkos::subview(out, part), word(rank, k));
    if (k == rank) continue;
    outgoing.push_back({k, std::as_bytes(std::span(out.data() + k * length, length))});
    incoming.push_back({k, std::as_writable_bytes(std::span(in.data() + k * length, length))});
  }
  transport.exchange({}, outgoing, incoming);
  auto const received = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), in);
  bool is_correct = true;
  for (std::size_t k = 0; k < size; ++k) {
    auto const* const begin = received.data() + k * length;
    std::uint32_t const expected = k == rank ? 0 : word(k, rank);
    is_correct = is_correct &&
                 std::count(begin, begin + length, expected) == static_cast<std::ptrdiff_t>(length);
  }
  return is_correct;
}

namespace {

constexpr std::size_t max_piece = std::size_t{1} << 30;  // counts of MPI 3 are int

/// Calls transfer(data, count) for each piece of a message; the size of a piece fits in an int.
template <class Byte, class Transfer>
void for_each_piece(std::span<Byte> message, Transfer const& transfer) {
  while (!message.empty()) {
    std::size_t const count = std::min(message.size(), max_piece);
    transfer(message.data(), static_cast<int>(count));
    message = message.subspan(count);
  }
}

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

void send_and_receive(MPI_Comm communicator, std::vector<Outgoing> const& outgoing,
                      std::vector<Incoming> const& incoming) {
  std::vector<MPI_Request> requests;
  for (auto const& message : incoming) {
    for_each_piece(message.bytes, [&](void* data, int count) {
      MPI_Irecv(data, count, MPI_BYTE, static_cast<int>(message.origin), 0, communicator,
                &requests.emplace_back());
    });
  }
  for (auto const& message : outgoing) {
    for_each_piece(message.bytes, [&](void const* data, int count) {
      MPI_Isend(data, count, MPI_BYTE, static_cast<int>(message.destination), 0, communicator,
                &requests.emplace_back());
    });
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

std::unique_ptr<Transport> mpi_transport(Communicator const& communicator) {
  auto transport = std::make_unique<MpiTransport>(communicator);
  if (bodies_on_host) return transport;
  bool const works =
      is_true_on_all_ranks(communicator, reports_device_support()) &&
      is_true_on_all_ranks(communicator, delivers_messages(*transport, communicator));
  return works ? std::move(transport) : nullptr;
}

}  // namespace apsis::domain
