// SPDX-License-Identifier: Apache-2.0
#include "probe.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace apsis::domain {

bool all_say(Communicator const& with, bool yes) {
  auto const said = gathered(with, std::vector<char>{static_cast<char>(yes)});
  return std::count(said.begin(), said.end(), 1) == static_cast<std::ptrdiff_t>(with.size());
}

bool brings_what_is_given(Transport& by, Communicator const& with) {
  using Words = Kokkos::View<std::uint32_t*, MemorySpace>;
  std::size_t const size = with.size(), rank = with.rank();
  std::size_t const length = std::max<std::size_t>((std::size_t{1} << 23) / size, 1 << 14);
  Words const out(Kokkos::view_alloc(Kokkos::WithoutInitializing, "apsis::domain::probe::out"),
                  length * size);
  Words const in("apsis::domain::probe::in", length * size);
  auto const word = [=](std::size_t from, std::size_t to) {
    return static_cast<std::uint32_t>(from * size + to + 1);
  };
  std::vector<Outgoing> give;
  std::vector<Incoming> take;
  for (std::size_t k = 0; k < size; ++k) {
    auto const part = std::pair(k * length, (k + 1) * length);
    Kokkos::deep_copy(Kokkos::subview(out, part), word(rank, k));
    if (k == rank) continue;
    give.push_back({k, std::as_bytes(std::span(out.data() + k * length, length))});
    take.push_back({k, std::as_writable_bytes(std::span(in.data() + k * length, length))});
  }
  by.exchange({}, give, take);
  auto const got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), in);
  bool right = true;
  for (std::size_t k = 0; k < size; ++k) {
    auto const* const begin = got.data() + k * length;
    std::uint32_t const expected = k == rank ? 0 : word(k, rank);
    right =
        right && std::count(begin, begin + length, expected) == static_cast<std::ptrdiff_t>(length);
  }
  return right;
}

}  // namespace apsis::domain
