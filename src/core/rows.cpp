// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <apsis/core/error.hpp>

#include <algorithm>

namespace apsis {

namespace {

using Bytes = std::vector<std::byte>;

}  // namespace

Bytes gather_rows(Communicator const& communicator, std::span<std::byte const> local,
                  std::size_t columns) {
  std::vector<Bytes> pieces(communicator.size());
  pieces.front().assign(local.begin(), local.end());
  auto const parts = communicator.exchange(pieces);
  Bytes table;
  if (communicator.rank() != 0) return table;
  for (std::size_t k = 0; k < columns; ++k) {
    for (auto const& part : parts) {
      auto const length = static_cast<std::ptrdiff_t>(part.size() / columns);
      auto const begin = part.begin() + static_cast<std::ptrdiff_t>(k) * length;
      table.insert(table.end(), begin, begin + length);
    }
  }
  return table;
}

void scatter_rows(Communicator const& communicator, std::span<std::byte const> table,
                  std::span<std::byte> local, std::size_t columns) {
  auto const lengths = gather_values(communicator, std::vector{local.size() / columns});
  std::vector<Bytes> pieces(communicator.size());
  auto rest = table;
  for (std::size_t k = 0; k < columns && communicator.rank() == 0; ++k) {
    for (std::size_t rank = 0; rank < communicator.size(); ++rank) {
      APSIS_EXPECT(rest.size() >= lengths[rank], "the table has the rows of all ranks");
      auto const part = rest.first(lengths[rank]);
      pieces[rank].insert(pieces[rank].end(), part.begin(), part.end());
      rest = rest.subspan(lengths[rank]);
    }
  }
  auto const received = communicator.exchange(pieces).front();
  APSIS_EXPECT(received.size() == local.size() && (communicator.rank() != 0 || rest.empty()),
               "the table has the rows of all ranks");
  std::copy(received.begin(), received.end(), local.begin());
}

Bytes broadcast(Communicator const& communicator, std::span<std::byte const> bytes) {
  return communicator.gather(communicator.rank() == 0 ? bytes : std::span<std::byte const>());
}

}  // namespace apsis
