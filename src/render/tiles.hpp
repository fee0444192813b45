// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>
#include <apsis/render/camera.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace apsis::render {

/// A picture in square tiles, with a border of one, so large that what is drawn about a place in
/// one reaches into its neighbours and no further: of every second tile, in both directions, each
/// can be drawn by a thread of its own.
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
  /// Of a place [pixels] that is not more than a side outside.
  KOKKOS_FUNCTION std::uint32_t of(double x, double y) const {
    auto const column = static_cast<int>(x + side) / side;
    auto const row = static_cast<int>(y + side) / side;
    return static_cast<std::uint32_t>(row * columns + column);
  }
};

/// Draws bodies tile by tile, on a host: draw.tile(i, tiles) says where each is, draw.draw(i) draws
/// it. Fences. Keeps twelve bytes a body meanwhile.
template <class Draw>
void draw_by_tiles(ExecutionSpace const& space, Draw const& draw, std::size_t count,
                   Tiles const& tiles) {
  // Each stretch of bodies is sorted by one thread, and all stretches keep their order.
  std::size_t const stretches = std::clamp<std::size_t>(count / 16384, 1, 64);
  std::size_t const places = tiles.count();
  std::vector<std::uint32_t> tile(count);
  std::vector<std::size_t> order(count), begin(stretches * places), first(places + 1);
  auto const from = [&](std::size_t stretch) { return count * stretch / stretches; };
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                     Kokkos::IndexType<std::size_t>>;
  Kokkos::parallel_for("apsis::render::find_tiles", Policy(space, 0, stretches),
                       [&](std::size_t stretch) {
                         for (auto i = from(stretch); i < from(stretch + 1); ++i) {
                           tile[i] = draw.tile(i, tiles);
                           if (tile[i] != Tiles::none) ++begin[stretch * places + tile[i]];
                         }
                       });
  space.fence("apsis::render: the host counts");
  std::size_t next = 0;
  for (std::size_t place = 0; place < places; ++place) {
    first[place] = next;
    for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
      auto& here = begin[stretch * places + place];
      next += std::exchange(here, next);
    }
  }
  first[places] = next;
  Kokkos::parallel_for("apsis::render::sort_by_tiles", Policy(space, 0, stretches),
                       [&](std::size_t stretch) {
                         for (auto i = from(stretch); i < from(stretch + 1); ++i) {
                           if (tile[i] == Tiles::none) continue;
                           order[begin[stretch * places + tile[i]]++] = i;
                         }
                       });
  auto const columns = static_cast<std::size_t>(tiles.columns);
  for (std::size_t turn = 0; turn < 4; ++turn) {
    Kokkos::parallel_for("apsis::render::draw_tiles", Policy(space, 0, places).set_chunk_size(1),
                         [&](std::size_t place) {
                           bool const odd_column = place % columns % 2 == 1;
                           bool const odd_row = place / columns % 2 == 1;
                           if (odd_column != (turn % 2 == 1) || odd_row != (turn / 2 == 1)) return;
                           for (auto k = first[place]; k < first[place + 1]; ++k)
                             draw.draw(order[k]);
                         });
  }
  space.fence("apsis::render: what was drawn by is freed");
}

}  // namespace apsis::render
