// SPDX-License-Identifier: Apache-2.0
#include "render/exposure.hpp"

#include "painter.hpp"
#include "tiles.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/backend.hpp>

namespace apsis::render {

namespace {

/// Side of the squares in which bodies are counted to estimate their separation [pixels].
constexpr int square = 8;

struct CountTag {};
struct DrawTag {};

template <class Real, bool Alone>
struct Draw {
  VectorColumns<Real> position;
  Projection projection;
  Painter<Alone> painter;
  Colourist<Real> colourist;
  Brush brush;
  int squares;  ///< number of squares in a row
  Kokkos::View<std::uint32_t*, MemorySpace> crowd;

  KOKKOS_FUNCTION Projection::PixelPosition place(std::size_t i) const {
    return projection(row(position, i));
  }

  /// Returns the square of a position. Squares extend one beyond the picture, so that bodies at its
  /// edge have neighbours.
  KOKKOS_FUNCTION std::size_t square_of(Projection::PixelPosition const& centre) const {
    auto const column = static_cast<int>(centre.x + square) / square;
    auto const row = static_cast<int>(centre.y + square) / square;
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(squares) +
           static_cast<std::size_t>(column);
  }

  KOKKOS_FUNCTION void operator()(CountTag, std::size_t i) const {
    auto const centre = place(i);
    if (colourist.amount(i) < 0.0) return;
    if (painter.touches(centre, square)) Kokkos::atomic_inc(&crowd(square_of(centre)));
  }

  /// Returns the tile of the body's centre, for drawing tile by tile; Tiles::none if the body is
  /// not visible.
  KOKKOS_FUNCTION std::uint32_t tile(std::size_t i, Tiles const& tiles) const {
    auto const centre = place(i);
    if (!painter.touches(centre, brush.largest)) return Tiles::none;
    return tiles.tile_at(centre.x, centre.y);
  }

  KOKKOS_FUNCTION void operator()(DrawTag, std::size_t i) const { draw(i); }

  KOKKOS_FUNCTION void draw(std::size_t i) const {
    auto const centre = place(i);
    double const amount = colourist.amount(i);
    if (!painter.touches(centre, brush.largest) || amount < 0.0) return;
    double const neighbours =
        painter.touches(centre, square) ? static_cast<double>(crowd(square_of(centre))) : 1.0;
    auto const colour = colourist(i, painter.channels);
    double const wanted = brush.spread * square / Kokkos::sqrt(neighbours);
    double const radius = wanted < brush.largest ? wanted : brush.largest;
    if (radius <= 1.5) {
      painter.point(centre, amount, colour);
    } else {
      painter.disc(centre, radius, amount, colour);
    }
  }
};

using Index = Kokkos::IndexType<std::size_t>;

}  // namespace

Exposure::Exposure(ExecutionSpace const& space, Size picture_size, int channel_count)
    : size(picture_size),
      channels(channel_count),
      light(Kokkos::view_alloc(space, "apsis::render::exposure"),
            static_cast<std::size_t>(picture_size.width) *
                static_cast<std::size_t>(picture_size.height) *
                static_cast<std::size_t>(channel_count)) {}

template <class Real>
void expose(ExecutionSpace const& space, Bodies<Real> const& bodies,
            Column<std::uint8_t> const& species, Projection const& projection, Brush const& brush,
            Tint const& tint, Exposure const& exposure) {
  auto const [width, height] = exposure.size;
  int const columns = (width + 2 * square) / square + 1;
  int const rows = (height + 2 * square) / square + 1;
  // On a host an atomic addition waits for memory. Tile by tile, each thread has its pixels to
  // itself.
  Draw<Real, !on_gpu> const draw{
      bodies.position,
      projection,
      Painter<!on_gpu>(exposure),
      Colourist<Real>(bodies, species, tint),
      brush,
      columns,
      Kokkos::View<std::uint32_t*, MemorySpace>(
          Kokkos::view_alloc(space, "apsis::render::crowd"),
          static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows))};
  Kokkos::parallel_for(
      "apsis::render::count",
      Kokkos::RangePolicy<ExecutionSpace, CountTag, Index>(space, 0, bodies.size()), draw);
  if constexpr (!on_gpu) {
    draw_by_tiles(space, draw, bodies.size(), Tiles(exposure.size, brush.largest));
  } else {
    Kokkos::parallel_for(
        "apsis::render::draw",
        Kokkos::RangePolicy<ExecutionSpace, DrawTag, Index>(space, 0, bodies.size()), draw);
  }
}

template void expose(ExecutionSpace const&, Bodies<float> const&, Column<std::uint8_t> const&,
                     Projection const&, Brush const&, Tint const&, Exposure const&);
template void expose(ExecutionSpace const&, Bodies<double> const&, Column<std::uint8_t> const&,
                     Projection const&, Brush const&, Tint const&, Exposure const&);

}  // namespace apsis::render
