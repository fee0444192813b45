// SPDX-License-Identifier: Apache-2.0
#include "transports.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace apsis::domain
