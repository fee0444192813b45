// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/core/rows.hpp>

#include <algorithm>

namespace apsis {

namespace {

using Bytes = std::vector<std::byte>;

}  // namespace

Bytes collect_rows(Communicator const& with, std::span<std::byte const> own, std::size_t columns) {
  std::vector<Bytes> pieces(with.size());
  pieces.front().assign(own.begin(), own.end());
  auto const parts = with.exchange(pieces);
  Bytes all;
  if (with.rank() != 0) return all;
  for (std::size_t k = 0; k < columns; ++k) {
    for (auto const& part : parts) {
      auto const length = static_cast<std::ptrdiff_t>(part.size() / columns);
      auto const begin = part.begin() + static_cast<std::ptrdiff_t>(k) * length;
      all.insert(all.end(), begin, begin + length);
    }
  }
  return all;
}

void distribute_rows(Communicator const& with, std::span<std::byte const> all,
                     std::span<std::byte> own, std::size_t columns) {
  auto const lengths = gathered(with, std::vector{own.size() / columns});
  std::vector<Bytes> pieces(with.size());
  auto rest = all;
  for (std::size_t k = 0; k < columns && with.rank() == 0; ++k) {
    for (std::size_t to = 0; to < with.size(); ++to) {
      APSIS_EXPECT(rest.size() >= lengths[to], "the table has the rows of all processes");
      auto const part = rest.first(lengths[to]);
      pieces[to].insert(pieces[to].end(), part.begin(), part.end());
      rest = rest.subspan(lengths[to]);
    }
  }
  auto const got = with.exchange(pieces).front();
  APSIS_EXPECT(got.size() == own.size() && (with.rank() != 0 || rest.empty()),
               "the table has the rows of all processes");
  std::copy(got.begin(), got.end(), own.begin());
}

Bytes of_the_first(Communicator const& with, std::span<std::byte const> own) {
  return with.gather(with.rank() == 0 ? own : std::span<std::byte const>());
}

}  // namespace apsis
