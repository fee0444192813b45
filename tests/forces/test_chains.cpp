// SPDX-License-Identifier: Apache-2.0
#include "forces/fmm/chains.hpp"
#include "forces/fmm/lists.hpp"
#include <apsis/core/lane_group.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace apsis;
using namespace apsis::forces::fmm;

namespace {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
constexpr int lanes_of_lists = 32;
#else
constexpr int lanes_of_lists = 16;
#endif
using ListGroup = LaneGroup<lanes_of_lists>;

constexpr std::size_t list_count = 40;

KOKKOS_INLINE_FUNCTION CellId length_of_list(std::size_t list) {
  return static_cast<CellId>(list * 37 % 211);
}
KOKKOS_INLINE_FUNCTION CellId entry_of_list(std::size_t list, CellId k) {
  return static_cast<CellId>(list * 1000 + k);
}

/// Two of three lanes at a time, so that blocks end anywhere.
struct WriteLists {
  using Group = ListGroup;
  struct Room {};
  Chains chains;
  std::uint32_t most;

  KOKKOS_FUNCTION void operator()(Group const& group, Room&, std::size_t list) const {
    ChainWriter<Group> writer(group, chains, list_count, list, most);
    LaneMask which = 0;
    for (int lane = 0; lane < Group::width; ++lane) {
      if (lane % 3 != 1) which |= LaneMask{1} << lane;
    }
    CellId const length = length_of_list(list);
    for (CellId written = 0; written < length;) {
      auto const left = static_cast<int>(length - written);
      LaneMask const now = Kokkos::popcount(which) <= left ? which : first_of(which, left);
      auto const cells = group.numbers([&](int lane) {
        return entry_of_list(
            list, written + static_cast<CellId>(Kokkos::popcount(which & first_lanes(lane))));
      });
      writer.push(cells, now);
      written += static_cast<CellId>(Kokkos::popcount(now));
    }
    writer.finish();
  }
};

/// So many lists from one on.
struct ReadLists {
  using Group = ListGroup;
  struct Room {
    CellId cells[lanes_of_lists];
  };
  Chains chains;
  int lists;
  Kokkos::View<CellId**, Kokkos::LayoutRight, MemorySpace> found;  ///< how many, then which

  KOKKOS_FUNCTION void operator()(Group const& group, Room& room, std::size_t j) const {
    ChainReader<Group> reader(group, chains, j * static_cast<std::size_t>(lists), lists);
    CellId all = 0;
    while (true) {
      group.sync();
      int const count = reader.take(room.cells, j % 2 == 0 ? lanes_of_lists : 5);
      group.sync();
      if (count == 0) break;
      group.each(count, [&](int k) { found(j, 1 + all + static_cast<CellId>(k)) = room.cells[k]; });
      all += static_cast<CellId>(count);
    }
    if (group.leads()) found(j, 0) = all;
  }
};

struct Lists {
  ExecutionSpace space;
  Chains chains;
  Kokkos::View<std::uint64_t[2], MemorySpace> used{"used"};

  explicit Lists(std::size_t blocks) {
    chains.start(space, list_count, "apsis::testing::lists", BlocksUsed(used.data()));
    chains.has(space, blocks, 1.0, "apsis::testing::lists");
  }
  std::vector<std::uint64_t> write(std::uint32_t most = ~std::uint32_t{0}) {
    Kokkos::deep_copy(used, std::uint64_t{0});
    for_groups(space, "apsis::testing::write_lists", list_count, WriteLists{chains, most});
    auto const counts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), used);
    return {counts(0), counts(1)};
  }
  std::vector<CellId> read(int lists, std::size_t j) {
    std::size_t const readers = list_count / static_cast<std::size_t>(lists);
    decltype(ReadLists::found) const found("found", readers, 2000);
    for_groups(space, "apsis::testing::read_lists", readers, ReadLists{chains, lists, found});
    auto const all = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
    std::vector<CellId> read;
    for (std::size_t k = 0; k < all(j, 0); ++k) read.push_back(all(j, 1 + k));
    return read;
  }
};

std::uint64_t further_blocks() {
  std::uint64_t blocks = 0;
  for (std::size_t list = 0; list < list_count; ++list) {
    if (length_of_list(list) > 0) blocks += (length_of_list(list) - 1) / Blocks::size;
  }
  return blocks;
}

}  // namespace

TEST_CASE("chains: lists are read as they were written, one or several") {
  Lists lists(list_count + further_blocks());
  auto const used = lists.write();
  CHECK(used[0] == further_blocks());
  CHECK(used[1] == 0);
  for (int const together : {1, 4}) {
    for (std::size_t first = 0; first < list_count / static_cast<std::size_t>(together); ++first) {
      std::vector<CellId> expected;
      for (int k = 0; k < together; ++k) {
        std::size_t const list =
            first * static_cast<std::size_t>(together) + static_cast<std::size_t>(k);
        for (CellId i = 0; i < length_of_list(list); ++i) {
          expected.push_back(entry_of_list(list, i));
        }
      }
      CHECK(lists.read(together, first) == expected);
    }
  }
}

TEST_CASE("chains: cells that follow each other, in as many blocks as they need") {
  constexpr CellId first = 4096, count = 3 * Blocks::size + 5;
  Lists lists(list_count);
  Kokkos::deep_copy(lists.chains.counts, 0u);
  Kokkos::parallel_for("apsis::testing::list_all",
                       Kokkos::RangePolicy<ExecutionSpace>(lists.space, 0, count),
                       ListAll{lists.chains, first, count});
  std::vector<CellId> expected;
  for (CellId k = 0; k < count; ++k) expected.push_back(first + k);
  CHECK(lists.read(1, 0) == expected);
}

TEST_CASE("parts of what is looked at: each cell and body is one part's, who finds it from above") {
  auto const division = Division::of(40000, 8);
  for (CellId const parts : {1u, 2u, 32u, 64u}) {
    for (int const level : {0, 3, 7, division.depth}) {
      CAPTURE(parts);
      CAPTURE(level);
      std::size_t wrong = 0;
      std::vector<std::size_t> owned(parts, 0);
      auto const look = [&](CellId id, CellId above) {
        int owners = 0;
        for (CellId number = 0; number < parts; ++number) {
          Part const part{number, parts, level};
          bool const reaches = part.reaches(division, id), owns = part.owns(division, id);
          if (owns) ++owned[number];
          owners += owns ? 1 : 0;
          wrong += (owns && !reaches) || (reaches && !part.reaches(division, above)) ? 1u : 0u;
        }
        wrong += owners == 1 ? 0u : 1u;
      };
      for (CellId cell = 2; cell < division.rows(); ++cell) look(cell, cell / 2);
      for (CellId i = 0; i < 40000; ++i) look(one_body | i, division.first_leaf() + i / 8);
      CHECK(wrong == 0);
      // All have something to do where there are cells enough.
      if (level >= 7) CHECK(*std::min_element(owned.begin(), owned.end()) * parts > 20000);
    }
  }
}

TEST_CASE("chains: what is missing is counted") {
  Lists few(list_count + 3);
  CHECK(few.write()[0] == further_blocks());
  Lists enough(list_count + further_blocks());
  CHECK(enough.write(200)[1] == 1);
  CHECK(enough.write(210)[1] == 0);
}
