// SPDX-License-Identifier: Apache-2.0
#include "exposure.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>

#include <cmath>
#include <numeric>

namespace apsis::render {

namespace {

/// Histogram bins of 1/16 of a power of two: the position of the highest bit and the four bits
/// below it.
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

double white_point(ExecutionSpace const& space, Exposure const& exposure, double percent) {
  ExposureLight const light_view{exposure.light, exposure.channels};
  std::size_t const pixels = light_view.pixels();
  // The stride has no common divisor with the width; otherwise the sample would contain only some
  // columns.
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
