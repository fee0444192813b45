// SPDX-License-Identifier: Apache-2.0
#include "transports.hpp"

#include <apsis/core/backend.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/views.hpp>

#include <algorithm>
#include <cstdint>

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

using Pinned = Kokkos::View<std::byte*, PinnedSpace>;

/// Transport that copies buffers to pinned host memory and sends them with MPI.
class PinnedTransport final : public Transport {
 public:
  explicit PinnedTransport(Communicator const& communicator)
      : Transport(communicator.rank(), communicator.size()),
        communicator_(mpi_communicator(communicator)),
        rank_(communicator.rank()) {}

  std::string name() const override { return "MPI through pinned memory"; }

 private:
  void do_move(ExecutionSpace const& space, std::vector<Outgoing> const& outgoing,
               std::vector<Incoming> const& incoming) override {
    std::vector<Outgoing> remote_outgoing;
    std::vector<Incoming> remote_incoming;
    copy_local(space, outgoing, incoming, remote_outgoing, remote_incoming);
    move_remote(space, remote_outgoing, remote_incoming);
  }

  /// Copies the messages of this rank to itself on the device; returns the messages to and from
  /// other ranks in `remote_outgoing` and `remote_incoming`.
  void copy_local(ExecutionSpace const& space, std::vector<Outgoing> const& outgoing,
                  std::vector<Incoming> const& incoming, std::vector<Outgoing>& remote_outgoing,
                  std::vector<Incoming>& remote_incoming) const {
    std::vector<std::span<std::byte const>> local;
    for (auto const& message : outgoing) {
      if (message.destination == rank_) {
        local.push_back(message.bytes);
      } else {
        remote_outgoing.push_back(message);
      }
    }
    std::size_t copied = 0;
    for (auto const& message : incoming) {
      if (message.origin != rank_) {
        remote_incoming.push_back(message);
        continue;
      }
      auto const source = local.at(copied++);
      Kokkos::deep_copy(space, unmanaged<MemorySpace>(message.bytes),
                        unmanaged<MemorySpace>(source));
    }
  }

  void move_remote(ExecutionSpace const& space, std::vector<Outgoing> const& outgoing,
                   std::vector<Incoming> const& incoming) {
    auto out = staging_buffer(space, out_, outgoing), in = staging_buffer(space, in_, incoming);
    std::vector<Outgoing> staged_out;
    for (auto const& message : outgoing) {
      auto const stage = next(out, message.bytes.size());
      Kokkos::deep_copy(space, unmanaged<PinnedSpace>(stage),
                        unmanaged<MemorySpace>(message.bytes));
      staged_out.push_back({message.destination, stage});
    }
    std::vector<Incoming> staged_in;
    for (auto const& message : incoming) {
      staged_in.push_back({message.origin, next(in, message.bytes.size())});
    }
    // The copies from the stage of the last call are complete after this fence as well.
    space.fence("apsis::domain::pinned_transport: MPI reads what was copied");
    send_and_receive(communicator_, staged_out, staged_in);
    for (std::size_t k = 0; k < incoming.size(); ++k) {
      Kokkos::deep_copy(space, unmanaged<MemorySpace>(incoming[k].bytes),
                        unmanaged<PinnedSpace>(staged_in[k].bytes));
    }
  }

  /// Returns the start of a pinned buffer, grown to the total size of the messages.
  template <class Messages>
  static std::span<std::byte> staging_buffer(ExecutionSpace const& space, Pinned& buffer,
                                             Messages const& messages) {
    std::size_t bytes = 0;
    for (auto const& message : messages) bytes += message.bytes.size();
    if (buffer.extent(0) < bytes) {
      space.fence("apsis::domain::pinned_transport: copies from the old buffer are complete");
      buffer = {};
      buffer = Pinned(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "apsis::domain::pinned_transport::stage"),
          bytes);
    }
    return {buffer.data(), bytes};
  }
  /// Takes the next part off a buffer.
  static std::span<std::byte> next(std::span<std::byte>& rest, std::size_t bytes) {
    auto const part = rest.first(bytes);
    rest = rest.subspan(bytes);
    return part;
  }

  MPI_Comm communicator_;
  std::size_t rank_;
  Pinned out_, in_;
};

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

std::unique_ptr<Transport> pinned_transport(Communicator const& communicator) {
  return std::make_unique<PinnedTransport>(communicator);
}

}  // namespace apsis::domain
