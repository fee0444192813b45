// SPDX-License-Identifier: Apache-2.0
#include "forces/fmm/interaction_lists.hpp"
#include "forces/fmm/traversal.hpp"
#include "lanes/lane_group.hpp"
#include "support/suites.hpp"
#include <apsis/core/backend.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace apsis;
using namespace apsis::forces::fmm;

namespace {

constexpr int lanes_of_lists = by_backend(16, 32);
using ListGroup = LaneGroup<lanes_of_lists>;

constexpr std::size_t list_count = 40;

KOKKOS_INLINE_FUNCTION CellId length_of_list(std::size_t list) {
  return static_cast<CellId>(list * 37 % 211);
}
KOKKOS_INLINE_FUNCTION CellId entry_of_list(std::size_t list, CellId k) {
  return static_cast<CellId>(list * 1000 + k);
}

/// Pushes two of three lanes at a time, so that blocks end anywhere.
struct WriteLists {
  using Group = ListGroup;
  struct Scratch {};
  InteractionLists lists;
  std::uint32_t limit;

  KOKKOS_FUNCTION void operator()(Group const& group, Scratch&, std::size_t list) const {
    ListWriter<Group> writer(group, lists, list_count, list, limit);
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

/// Reads several consecutive lists.
struct ReadLists {
  using Group = ListGroup;
  struct Scratch {
    CellId cells[lanes_of_lists];
  };
  InteractionLists storage;
  int lists_per_reader;
  Kokkos::View<CellId**, Kokkos::LayoutRight, MemorySpace>
      result;  ///< number of entries, then the entries

  KOKKOS_FUNCTION void operator()(Group const& group, Scratch& scratch, std::size_t j) const {
    ListReader<Group> reader(group, storage, j * static_cast<std::size_t>(lists_per_reader),
                             lists_per_reader);
    CellId total = 0;
    while (true) {
      group.sync();
      int const count = reader.read(scratch.cells, j % 2 == 0 ? lanes_of_lists : 5);
      group.sync();
      if (count == 0) break;
      group.each(count,
                 [&](int k) { result(j, 1 + total + static_cast<CellId>(k)) = scratch.cells[k]; });
      total += static_cast<CellId>(count);
    }
    if (group.leads()) result(j, 0) = total;
  }
};

struct Lists {
  ExecutionSpace space;
  InteractionLists storage;
  Kokkos::View<std::uint64_t[2], MemorySpace> used{"used"};

  explicit Lists(std::size_t blocks) {
    storage.prepare(space, list_count, "apsis::testing::lists", BlockUsage(used.data()));
    storage.ensure_blocks(space, blocks, 1.0, "apsis::testing::lists");
  }
  std::vector<std::uint64_t> write(std::uint32_t limit = ~std::uint32_t{0}) {
    Kokkos::deep_copy(used, std::uint64_t{0});
    for_groups(space, "apsis::testing::write_lists", list_count, WriteLists{storage, limit});
    auto const counts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), used);
    return {counts(0), counts(1)};
  }
  std::vector<CellId> read(int lists_per_reader, std::size_t j) {
    std::size_t const readers = list_count / static_cast<std::size_t>(lists_per_reader);
    decltype(ReadLists::result) const result("found", readers, 2000);
    for_groups(space, "apsis::testing::read_lists", readers,
               ReadLists{storage, lists_per_reader, result});
    auto const entries = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
    std::vector<CellId> read;
    for (std::size_t k = 0; k < entries(j, 0); ++k) read.push_back(entries(j, 1 + k));
    return read;
  }
};

std::uint64_t further_blocks() {
  std::uint64_t blocks = 0;
  for (std::size_t list = 0; list < list_count; ++list) {
    if (length_of_list(list) > 0) blocks += (length_of_list(list) - 1) / ListBlocks::size;
  }
  return blocks;
}

}  // namespace

TEST_CASE("interaction lists: one or several lists are read as they were written" *
          testing::thread_counts) {
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

TEST_CASE("interaction lists: consecutive cells use as many blocks as they need" *
          testing::thread_counts) {
  constexpr CellId first = 4096, count = 3 * ListBlocks::size + 5;
  Lists lists(list_count);
  Kokkos::deep_copy(lists.storage.counts, 0u);
  Kokkos::parallel_for("apsis::testing::list_all",
                       Kokkos::RangePolicy<ExecutionSpace>(lists.space, 0, count),
                       ListConsecutive{lists.storage, first, count});
  std::vector<CellId> expected;
  for (CellId k = 0; k < count; ++k) expected.push_back(first + k);
  CHECK(lists.read(1, 0) == expected);
}

TEST_CASE("source parts: each cell and body is owned by one part, which visits its ancestors" *
          testing::thread_counts) {
  auto const tree = CellTree::make(40000, 8);
  for (CellId const parts : {1u, 2u, 32u, 64u}) {
    for (int const level : {0, 3, 7, tree.depth}) {
      CAPTURE(parts);
      CAPTURE(level);
      std::size_t wrong = 0;
      std::vector<std::size_t> owned(parts, 0);
      auto const check_parts = [&](CellId id, CellId above) {
        int owners = 0;
        for (CellId number = 0; number < parts; ++number) {
          SourcePart const part{number, parts, level};
          bool const visits = part.visits(tree, id), owns = part.owns(tree, id);
          if (owns) ++owned[number];
          owners += owns ? 1 : 0;
          wrong += (owns && !visits) || (visits && !part.visits(tree, above)) ? 1u : 0u;
        }
        wrong += owners == 1 ? 0u : 1u;
      };
      for (CellId cell = 2; cell < tree.rows(); ++cell) check_parts(cell, cell / 2);
      for (CellId i = 0; i < 40000; ++i) check_parts(body_flag | i, tree.first_leaf() + i / 8);
      CHECK(wrong == 0);
      // Every part owns something if there are enough cells.
      if (level >= 7) CHECK(*std::min_element(owned.begin(), owned.end()) * parts > 20000);
    }
  }
}

TEST_CASE("interaction lists: missing blocks are counted" * testing::thread_counts) {
  Lists few(list_count + 3);
  CHECK(few.write()[0] == further_blocks());
  Lists enough(list_count + further_blocks());
  CHECK(enough.write(200)[1] == 1);
  CHECK(enough.write(210)[1] == 0);
}
