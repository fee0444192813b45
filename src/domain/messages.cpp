// SPDX-License-Identifier: Apache-2.0
#include "transports.hpp"

#include <algorithm>
#include <mpi.h>

namespace apsis::domain {

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

}  // namespace apsis::domain
