// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/exposure.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/host_bodies.hpp>

namespace apsis::render {

/// Adds light to an exposure. `Alone`: no other thread draws on its pixels, so no atomics.
template <bool Alone>
struct Painter {
  Kokkos::View<std::uint64_t*, MemorySpace> light;
  int width, height, channels;

  explicit Painter(Exposure const& exposure)
      : light(exposure.light),
        width(exposure.size.width),
        height(exposure.size.height),
        channels(exposure.channels) {}

  /// Whether a disc about a position touches the picture; false if the position is not finite.
  KOKKOS_FUNCTION bool touches(Projection::PixelPosition const& centre, double radius) const {
    return centre.ahead && centre.x > -radius && centre.x < width + radius && centre.y > -radius &&
           centre.y < height + radius;
  }

  KOKKOS_FUNCTION void add(int x, int y, double amount, Vec3<float> const& colour) const {
    if (x < 0 || x >= width || y < 0 || y >= height) return;
    put_pixel(
        static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x),
        amount, colour);
  }

  KOKKOS_FUNCTION void put_pixel(std::size_t pixel, double amount,
                                 Vec3<float> const& colour) const {
    if (channels == 1) return put(pixel, amount);
    put(3 * pixel, amount * static_cast<double>(colour.x));
    put(3 * pixel + 1, amount * static_cast<double>(colour.y));
    put(3 * pixel + 2, amount * static_cast<double>(colour.z));
  }

  KOKKOS_FUNCTION void put(std::size_t index, double amount) const {
    auto const whole = static_cast<std::uint64_t>(amount + 0.5);
    if constexpr (Alone) {
      light(index) += whole;
    } else if (whole > 0) {
      Kokkos::atomic_add(&light(index), whole);
    }
  }

  /// Shares light among the four pixels around the position.
  KOKKOS_FUNCTION void point(Projection::PixelPosition const& centre, double amount,
                             Vec3<float> const& colour) const {
    double const left = Kokkos::floor(centre.x - 0.5), top = Kokkos::floor(centre.y - 0.5);
    double const to_right = centre.x - 0.5 - left, to_bottom = centre.y - 0.5 - top;
    auto const x = static_cast<int>(left), y = static_cast<int>(top);
    add(x, y, amount * (1.0 - to_right) * (1.0 - to_bottom), colour);
    add(x + 1, y, amount * to_right * (1.0 - to_bottom), colour);
    add(x, y + 1, amount * (1.0 - to_right) * to_bottom, colour);
    add(x + 1, y + 1, amount * to_right * to_bottom, colour);
  }

  /// Light of the central pixel of a disc.
  KOKKOS_FUNCTION static double peak(double radius, double amount) {
    constexpr double pi = 3.14159265358979323846;
    return amount * 4.0 / (pi * radius * radius);
  }

  /// Draws a disc that fades as (1 - r^2 / R^2)^3; its integral is pi R^2 / 4.
  KOKKOS_FUNCTION void disc(Projection::PixelPosition const& centre, double radius, double amount,
                            Vec3<float> const& colour) const {
    double const inverse = 1.0 / (radius * radius);
    double const middle = peak(radius, amount);
    int const first_x = clamp_to(centre.x - radius, width),
              last_x = clamp_to(centre.x + radius + 1.0, width);
    int const first_y = clamp_to(centre.y - radius, height),
              last_y = clamp_to(centre.y + radius + 1.0, height);
    for (int y = first_y; y < last_y; ++y) {
      double const dy = y + 0.5 - centre.y;
      double const left = 1.0 - dy * dy * inverse;
      auto const start = static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
      for (int x = first_x; x < last_x; ++x) {
        double const dx = x + 0.5 - centre.x;
        double const rest = left - dx * dx * inverse;
        double const share = rest > 0.0 ? rest * rest * rest : 0.0;
        put_pixel(start + static_cast<std::size_t>(x), middle * share, colour);
      }
    }
  }

  KOKKOS_FUNCTION static int clamp_to(double x, int end) {
    return x > 0.0 ? (x < end ? static_cast<int>(x) : end) : 0;
  }
};

template <class Real>
struct Colourist {
  VectorColumns<Real> velocity;
  Column<Real> mass;
  Column<std::uint64_t> id;
  Column<std::uint8_t> species;
  Tint tint;

  Colourist(Bodies<Real> const& bodies, Column<std::uint8_t> species_column, Tint body_tint)
      : velocity(bodies.velocity),
        mass(bodies.mass),
        id(bodies.id),
        species(std::move(species_column)),
        tint(std::move(body_tint)) {}

  KOKKOS_FUNCTION std::size_t kind(std::size_t i) const {
    return species.extent(0) > 0 ? species(i) : std::size_t{species_types::dark};
  }

  /// Row of `tint.lights` with the colour of a body.
  KOKKOS_FUNCTION std::size_t row_of_light(std::size_t i) const {
    auto const rows = tint.lights.extent(0);
    if (tint.colour_by == ColourBy::species) return kind(i) % rows;
    if (tint.colour_by == ColourBy::id) return static_cast<std::size_t>(id(i) % rows);
    auto const v = row(velocity, i);
    double const value = tint.colour_by == ColourBy::speed
                             ? Kokkos::sqrt(dot(v, v))
                             : Kokkos::log(static_cast<double>(mass(i)));
    double const share = (value - tint.zero) / (tint.one - tint.zero);
    double const last = static_cast<double>(rows - 1);
    // The conditions send NaN to 0.
    return static_cast<std::size_t>(share > 0.0 ? (share < 1.0 ? share * last + 0.5 : last) : 0.0);
  }

  KOKKOS_FUNCTION Vec3<float> operator()(std::size_t i, int channels) const {
    if (channels == 1) return {1.0F, 1.0F, 1.0F};
    auto const row = row_of_light(i);
    return {tint.lights(row, 0), tint.lights(row, 1), tint.lights(row, 2)};
  }

  /// Light of a body; negative if the body gives none.
  KOKKOS_FUNCTION double amount(std::size_t i) const {
    if (tint.species >= 0 && kind(i) != static_cast<std::size_t>(tint.species)) return -1.0;
    if (tint.weight == Weight::bodies) return one_light;
    double const light = one_light * static_cast<double>(mass(i)) / tint.mean_mass;
    return light >= 0.0 && light < 0x1p62 ? light : -1.0;
  }
};

}  // namespace apsis::render
