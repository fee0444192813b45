// SPDX-License-Identifier: Apache-2.0
#include "transports.hpp"
#include <apsis/core/execution.hpp>
#include <apsis/core/views.hpp>

namespace apsis::domain {

namespace {

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

std::unique_ptr<Transport> pinned_transport(Communicator const& communicator) {
  return std::make_unique<PinnedTransport>(communicator);
}

}  // namespace apsis::domain
