// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"
#include "transports.hpp"
#include <apsis/core/pinned_space.hpp>

#include <span>
#include <string>
#include <vector>

namespace apsis::domain {

namespace {

using Pinned = Kokkos::View<std::byte*, PinnedSpace>;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

class PinnedTransport final : public Transport {
 public:
  explicit PinnedTransport(Communicator const& with)
      : Transport(with.rank(), with.size()), rank_(with.rank()) {}

  std::string name() const override { return "MPI through pinned memory"; }

 private:
  void do_move(ExecutionSpace const& space, std::vector<Outgoing> const& give,
               std::vector<Incoming> const& take) override {
    std::vector<Outgoing> out_of_here;
    std::vector<Incoming> from_others;
    copy_own(space, give, take, out_of_here, from_others);
    move_others(space, out_of_here, from_others);
  }

  /// What this process gives to itself stays where it is; the rest is left.
  void copy_own(ExecutionSpace const& space, std::vector<Outgoing> const& give,
                std::vector<Incoming> const& take, std::vector<Outgoing>& out_of_here,
                std::vector<Incoming>& from_others) const {
    std::vector<std::span<std::byte const>> own;
    for (auto const& message : give) {
      if (message.to == rank_) {
        own.push_back(message.bytes);
      } else {
        out_of_here.push_back(message);
      }
    }
    std::size_t copied = 0;
    for (auto const& message : take) {
      if (message.from != rank_) {
        from_others.push_back(message);
        continue;
      }
      auto const from = own.at(copied++);
      Kokkos::deep_copy(
          space,
          Kokkos::View<std::byte*, MemorySpace, Unmanaged>(message.bytes.data(),
                                                           message.bytes.size()),
          Kokkos::View<std::byte const*, MemorySpace, Unmanaged>(from.data(), from.size()));
    }
  }

  void move_others(ExecutionSpace const& space, std::vector<Outgoing> const& give,
                   std::vector<Incoming> const& take) {
    auto out = room_for(space, out_, give), in = room_for(space, in_, take);
    std::vector<Outgoing> staged_out;
    for (auto const& message : give) {
      auto const stage = next(out, message.bytes.size());
      Kokkos::deep_copy(
          space, Kokkos::View<std::byte*, PinnedSpace, Unmanaged>(stage.data(), stage.size()),
          Kokkos::View<std::byte const*, MemorySpace, Unmanaged>(message.bytes.data(),
                                                                 message.bytes.size()));
      staged_out.push_back({message.to, stage});
    }
    std::vector<Incoming> staged_in;
    for (auto const& message : take) {
      staged_in.push_back({message.from, next(in, message.bytes.size())});
    }
    // Also what the last call brought is where it belongs now.
    space.fence("apsis::domain::pinned_transport: MPI reads what was copied");
    send_and_receive(staged_out, staged_in);
    for (std::size_t k = 0; k < take.size(); ++k) {
      Kokkos::deep_copy(space,
                        Kokkos::View<std::byte*, MemorySpace, Unmanaged>(take[k].bytes.data(),
                                                                         take[k].bytes.size()),
                        Kokkos::View<std::byte const*, PinnedSpace, Unmanaged>(
                            staged_in[k].bytes.data(), staged_in[k].bytes.size()));
    }
  }

  /// Never smaller again.
  template <class Messages>
  static std::span<std::byte> room_for(ExecutionSpace const& space, Pinned& kept,
                                       Messages const& messages) {
    std::size_t bytes = 0;
    for (auto const& message : messages) bytes += message.bytes.size();
    if (kept.extent(0) < bytes) {
      space.fence("apsis::domain::pinned_transport: what it brought last is where it belongs");
      kept = {};
      kept = Pinned(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "apsis::domain::pinned_transport::stage"),
          bytes);
    }
    return {kept.data(), bytes};
  }
  static std::span<std::byte> next(std::span<std::byte>& rest, std::size_t bytes) {
    auto const part = rest.first(bytes);
    rest = rest.subspan(bytes);
    return part;
  }

  std::size_t rank_;
  Pinned out_, in_;
};

}  // namespace

std::unique_ptr<Transport> pinned_transport(Communicator const& with) {
  return std::make_unique<PinnedTransport>(with);
}

}  // namespace apsis::domain
