// SPDX-License-Identifier: Apache-2.0
#include "render/exposure.hpp"

#include "painter.hpp"
#include "render/image.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/views.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace apsis::render {

namespace {

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

  /// Returns the tile of the body's centre; Tiles::none if the body is not visible.
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

/// Histogram bins of 1/16 of a power of two: the highest bit and the four bits below it.
constexpr int bins_per_power = 16;
constexpr std::size_t bins = 64 * bins_per_power;

KOKKOS_INLINE_FUNCTION std::size_t bin_of(std::uint64_t light) {
  int power = 0;
  for (int step = 32; step > 0; step /= 2) {
    if (light >> (power + step) != 0) power += step;
  }
  std::uint64_t const fraction =
      power >= 4 ? (light >> (power - 4)) & 15U : (light << (4 - power)) & 15U;
  return static_cast<std::size_t>(power) * bins_per_power + static_cast<std::size_t>(fraction);
}

double lower_end(std::size_t bin) {
  auto const power = static_cast<int>(bin / bins_per_power);
  return std::ldexp(1.0 + static_cast<double>(bin % bins_per_power) / bins_per_power, power);
}

struct ExposureLight {
  Kokkos::View<std::uint64_t*, MemorySpace> light;
  int channels;

  KOKKOS_FUNCTION std::size_t pixels() const {
    return light.extent(0) / static_cast<std::size_t>(channels);
  }
  KOKKOS_FUNCTION std::uint64_t brightest(std::size_t pixel) const {
    std::uint64_t most = 0;
    for (int c = 0; c < channels; ++c) {
      auto const each =
          light(pixel * static_cast<std::size_t>(channels) + static_cast<std::size_t>(c));
      most = each > most ? each : most;
    }
    return most;
  }
};

/// Returns the brightness on a screen, 0 ... 1; above 1 for light above white.
KOKKOS_INLINE_FUNCTION float stretched(Stretch stretch, float x) {
  switch (stretch) {
    case Stretch::linear:
      // Approximately the inverse of a screen's transfer function.
      return Kokkos::pow(x, 1.0F / 2.2F);
    case Stretch::asinh:
      // log form of asinh; single precision is enough, because a screen shows three digits
      return Kokkos::log(30.0F * x + Kokkos::sqrt(900.0F * x * x + 1.0F)) / 4.0946224F;
    default:
      return Kokkos::log(1.0F + 1000.0F * x) / 6.9087548F;
  }
}

/// Number of steps of the table of the approximate inverse transfer function of a screen.
constexpr std::size_t gamma_size = 4096;

struct DevelopKernel {
  ExposureLight light_view;
  Stretch stretch;
  double white;
  Kokkos::View<Pixel*, MemorySpace> palette;
  Kokkos::View<float*, MemorySpace> gamma;
  Kokkos::View<Pixel*, MemorySpace> out;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const most = light_view.brightest(i);
    if (most == 0) {
      out(i) = light_view.channels == 1 ? palette(0) : Pixel{0, 0, 0};
      return;
    }
    auto const x = static_cast<float>(static_cast<double>(most) / white);
    float const brightness = Kokkos::fmin(stretched(stretch, x), 1.0F);
    if (light_view.channels == 1) {
      auto const row = static_cast<int>(brightness * (palette_size - 1) + 0.5F);
      auto const last = static_cast<int>(palette_size) - 1;
      out(i) = palette(static_cast<std::size_t>(row < last ? row : last));
      return;
    }
    // Light brighter than white loses its colour, as on photographic film.
    float const beyond = x > 1.0F ? Kokkos::fmin((x - 1.0F) / 8.0F, 1.0F) : 0.0F;
    Pixel pixel{};
    for (std::size_t c = 0; c < 3; ++c) {
      auto const part = static_cast<float>(static_cast<double>(light_view.light(3 * i + c)) /
                                           static_cast<double>(most));
      float const colour = gamma(static_cast<std::size_t>(part * (gamma_size - 1) + 0.5F));
      pixel[c] = static_cast<std::uint8_t>(
          255.0F * brightness * (colour + beyond * (1.0F - colour)) + 0.5F);
    }
    out(i) = pixel;
  }
};

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
  // Tile by tile, each thread has its pixels alone: atomic additions wait for memory on a host.
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

double white_point(ExecutionSpace const& space, Exposure const& exposure, double percent) {
  ExposureLight const light_view{exposure.light, exposure.channels};
  std::size_t const pixels = light_view.pixels();
  // Without a common divisor with the width, else the sample would have only some columns.
  std::size_t stride = 1 + pixels / (std::size_t{1} << 19);
  while (std::gcd(stride, static_cast<std::size_t>(exposure.size.width)) > 1) ++stride;
  Kokkos::View<std::uint32_t*, MemorySpace> count(
      Kokkos::view_alloc(space, "apsis::render::white_point"), bins);
  for_each(
      space, "apsis::render::white_point", pixels / stride, KOKKOS_LAMBDA(std::size_t i) {
        auto const light = light_view.brightest(i * stride);
        if (light > 0) Kokkos::atomic_inc(&count(bin_of(light)));
      });
  std::vector<std::uint32_t> host(bins);
  Kokkos::deep_copy(space, unmanaged(host), count);
  space.fence("apsis::render::white_point: the host reads it");
  double lit = 0.0;
  for (auto const each : host) lit += each;
  double const wanted = lit * percent / 100.0;
  double counted = 0.0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    counted += host[bin];
    if (counted > 0.0 && counted >= wanted) return lower_end(bin + 1);
  }
  return 0.0;
}

Image develop(ExecutionSpace const& space, Exposure const& exposure, Stretch stretch, double white,
              std::array<Pixel, palette_size> const& palette) {
  Image image(exposure.size);
  auto const colours = copy_to_device(space, palette, "apsis::render::palette");
  auto const out = uninitialised<Kokkos::View<Pixel*, MemorySpace>>(space, "apsis::render::develop",
                                                                    image.pixels.size());
  std::vector<float> steps(gamma_size);
  for (std::size_t i = 0; i < gamma_size; ++i) {
    steps[i] = static_cast<float>(std::pow(static_cast<double>(i) / (gamma_size - 1.0), 1.0 / 2.2));
  }
  auto const gamma = copy_to_device(space, steps, "apsis::render::gamma");
  for_each(space, "apsis::render::develop", image.pixels.size(),
           DevelopKernel{{exposure.light, exposure.channels},
                         stretch,
                         white > 0.0 ? white : one_light,
                         colours,
                         gamma,
                         out});
  Kokkos::deep_copy(space, unmanaged(image.pixels), out);
  space.fence("apsis::render::develop: the host reads it");
  return image;
}

}  // namespace apsis::render
