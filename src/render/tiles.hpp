// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/camera.hpp"
#include <apsis/core/execution.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace apsis::render {

/// Division of a picture into square tiles, with a border of one tile. A tile is so large that
/// anything drawn about a point inside it reaches its neighbours at most. Therefore all tiles of
/// one parity (every second tile in both directions) can be drawn at the same time, one thread
/// each.
///
///    0 1 0 1     Four passes, one for each number: tiles of equal number
///    2 3 2 3     do not touch each other.
///    0 1 0 1
struct Tiles {
  static constexpr std::uint32_t none = 0xffffffffU;

  int side, columns, rows;

  Tiles(Size size, double largest_radius)
      : side(std::max(64, 2 * static_cast<int>(largest_radius) + 4)),
        columns(size.width / side + 3),
        rows(size.height / side + 3) {}

  std::size_t count() const {
    return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  }
  /// Returns the tile of a position [pixels] that is at most one side outside the picture.
  KOKKOS_FUNCTION std::uint32_t tile_at(double x, double y) const {
    auto const column = static_cast<int>(x + side) / side;
    auto const row = static_cast<int>(y + side) / side;
    return static_cast<std::uint32_t>(row * columns + column);
  }
};

/// Draws bodies tile by tile, on a host. draw.tile(i, tiles) returns the tile of body i,
/// draw.draw(i) draws it. Fences. Needs twelve bytes of memory per body.
template <class Draw>
void draw_by_tiles(ExecutionSpace const& space, Draw const& draw, std::size_t count,
                   Tiles const& tiles) {
  // One thread sorts each block of bodies. Blocks keep their order, so the result is deterministic.
  std::size_t const blocks = std::clamp<std::size_t>(count / 16384, 1, 64);
  std::size_t const places = tiles.count();
  std::vector<std::uint32_t> tile(count);
  std::vector<std::size_t> order(count), begin(blocks * places), first(places + 1);
  auto const block_begin = [&](std::size_t block) { return count * block / blocks; };
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                     Kokkos::IndexType<std::size_t>>;
  Kokkos::parallel_for("apsis::render::find_tiles", Policy(space, 0, blocks),
                       [&](std::size_t block) {
                         for (auto i = block_begin(block); i < block_begin(block + 1); ++i) {
                           tile[i] = draw.tile(i, tiles);
                           if (tile[i] != Tiles::none) ++begin[block * places + tile[i]];
                         }
                       });
  space.fence("apsis::render: the host counts");
  std::size_t next = 0;
  for (std::size_t place = 0; place < places; ++place) {
    first[place] = next;
    for (std::size_t block = 0; block < blocks; ++block) {
      auto& start = begin[block * places + place];
      next += std::exchange(start, next);
    }
  }
  first[places] = next;
  Kokkos::parallel_for("apsis::render::sort_by_tiles", Policy(space, 0, blocks),
                       [&](std::size_t block) {
                         for (auto i = block_begin(block); i < block_begin(block + 1); ++i) {
                           if (tile[i] == Tiles::none) continue;
                           order[begin[block * places + tile[i]]++] = i;
                         }
                       });
  auto const columns = static_cast<std::size_t>(tiles.columns);
  for (std::size_t pass = 0; pass < 4; ++pass) {
    Kokkos::parallel_for("apsis::render::draw_tiles", Policy(space, 0, places).set_chunk_size(1),
                         [&](std::size_t place) {
                           bool const odd_column = place % columns % 2 == 1;
                           bool const odd_row = place / columns % 2 == 1;
                           if (odd_column != (pass % 2 == 1) || odd_row != (pass / 2 == 1)) return;
                           for (auto k = first[place]; k < first[place + 1]; ++k)
                             draw.draw(order[k]);
                         });
  }
  space.fence("apsis::render: what was drawn by is freed");
}

}  // namespace apsis::render
