// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"

#include <algorithm>
#include <mpi.h>

namespace apsis::domain {

namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 30;  // MPI 3 counts with int

/// Pieces that an int counts.
template <class Byte, class Begin>
void each_piece(std::span<Byte> whole, Begin const& begin) {
  while (!whole.empty()) {
    std::size_t const count = std::min(whole.size(), most_at_once);
    begin(whole.data(), static_cast<int>(count));
    whole = whole.subspan(count);
  }
}

}  // namespace

void send_and_receive(std::vector<Outgoing> const& give, std::vector<Incoming> const& take) {
  std::vector<MPI_Request> under_way;
  for (auto const& message : take) {
    each_piece(message.bytes, [&](void* data, int count) {
      MPI_Irecv(data, count, MPI_BYTE, static_cast<int>(message.from), 0, MPI_COMM_WORLD,
                &under_way.emplace_back());
    });
  }
  for (auto const& message : give) {
    each_piece(message.bytes, [&](void const* data, int count) {
      MPI_Isend(data, count, MPI_BYTE, static_cast<int>(message.to), 0, MPI_COMM_WORLD,
                &under_way.emplace_back());
    });
  }
  MPI_Waitall(static_cast<int>(under_way.size()), under_way.data(), MPI_STATUSES_IGNORE);
}

}  // namespace apsis::domain
