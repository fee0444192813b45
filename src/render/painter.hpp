// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/bodies/row.hpp>
#include <apsis/render/exposure.hpp>

namespace apsis::render {

/// Puts light on an exposure, from kernels. `Alone`: nobody else draws where it does.
template <bool Alone>
struct Painter {
  Kokkos::View<std::uint64_t*, MemorySpace> light;
  int width, height, channels;

  explicit Painter(Exposure const& exposure)
      : light(exposure.light),
        width(exposure.size.width),
        height(exposure.size.height),
        channels(exposure.channels) {}

  /// Whether a disc about a place touches the picture; false for what is not finite.
  KOKKOS_FUNCTION bool touches(Projection::Place const& at, double radius) const {
    return at.ahead && at.x > -radius && at.x < width + radius && at.y > -radius &&
           at.y < height + radius;
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

  KOKKOS_FUNCTION void put(std::size_t where, double amount) const {
    auto const whole = static_cast<std::uint64_t>(amount + 0.5);
    if constexpr (Alone) {
      light(where) += whole;
    } else if (whole > 0) {
      Kokkos::atomic_add(&light(where), whole);
    }
  }

  /// Shared among the four pixels whose centres are around the place.
  KOKKOS_FUNCTION void point(Projection::Place const& at, double amount,
                             Vec3<float> const& colour) const {
    double const left = Kokkos::floor(at.x - 0.5), top = Kokkos::floor(at.y - 0.5);
    double const to_right = at.x - 0.5 - left, to_bottom = at.y - 0.5 - top;
    auto const x = static_cast<int>(left), y = static_cast<int>(top);
    add(x, y, amount * (1.0 - to_right) * (1.0 - to_bottom), colour);
    add(x + 1, y, amount * to_right * (1.0 - to_bottom), colour);
    add(x, y + 1, amount * (1.0 - to_right) * to_bottom, colour);
    add(x + 1, y + 1, amount * to_right * to_bottom, colour);
  }

  /// The light in the middle of a disc.
  KOKKOS_FUNCTION static double peak(double radius, double amount) {
    constexpr double pi = 3.14159265358979323846;
    return amount * 4.0 / (pi * radius * radius);
  }

  /// A disc that fades as (1 - r^2 / R^2)^3, whose integral is pi R^2 / 4.
  KOKKOS_FUNCTION void disc(Projection::Place const& at, double radius, double amount,
                            Vec3<float> const& colour) const {
    double const inverse = 1.0 / (radius * radius);
    double const middle = peak(radius, amount);
    int const first_x = within(at.x - radius, width), last_x = within(at.x + radius + 1.0, width);
    int const first_y = within(at.y - radius, height), last_y = within(at.y + radius + 1.0, height);
    for (int y = first_y; y < last_y; ++y) {
      double const dy = y + 0.5 - at.y;
      double const left = 1.0 - dy * dy * inverse;
      auto const start = static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
      for (int x = first_x; x < last_x; ++x) {
        double const dx = x + 0.5 - at.x;
        double const rest = left - dx * dx * inverse;
        double const share = rest > 0.0 ? rest * rest * rest : 0.0;
        put_pixel(start + static_cast<std::size_t>(x), middle * share, colour);
      }
    }
  }

  KOKKOS_FUNCTION static int within(double x, int end) {
    return x > 0.0 ? (x < end ? static_cast<int>(x) : end) : 0;
  }
};

/// What colour each body has.
template <class Real>
struct Colourist {
  VectorColumns<Real> velocity;
  Column<Real> mass;
  Column<std::uint64_t> id;
  Column<std::uint8_t> species;
  Tint tint;

  Colourist(Bodies<Real> const& bodies, Column<std::uint8_t> of_species, Tint of_light)
      : velocity(bodies.velocity),
        mass(bodies.mass),
        id(bodies.id),
        species(std::move(of_species)),
        tint(std::move(of_light)) {}

  KOKKOS_FUNCTION std::size_t kind(std::size_t i) const {
    return species.extent(0) > 0 ? species(i) : std::size_t{species_types::dark};
  }

  /// The row of the body's light.
  KOKKOS_FUNCTION std::size_t row_of_light(std::size_t i) const {
    auto const rows = tint.lights.extent(0);
    if (tint.by == ColourBy::species) return kind(i) % rows;
    if (tint.by == ColourBy::id) return static_cast<std::size_t>(id(i) % rows);
    auto const v = row(velocity, i);
    double const value = tint.by == ColourBy::speed ? Kokkos::sqrt(dot(v, v))
                                                    : Kokkos::log(static_cast<double>(mass(i)));
    double const share = (value - tint.zero) / (tint.one - tint.zero);
    double const last = static_cast<double>(rows - 1);
    // Written so that what is not a number ends at 0.
    return static_cast<std::size_t>(share > 0.0 ? (share < 1.0 ? share * last + 0.5 : last) : 0.0);
  }

  KOKKOS_FUNCTION Vec3<float> operator()(std::size_t i, int channels) const {
    if (channels == 1) return {1.0F, 1.0F, 1.0F};
    auto const of = row_of_light(i);
    return {tint.lights(of, 0), tint.lights(of, 1), tint.lights(of, 2)};
  }

  /// The light that a body gives; below 0 if it can give none.
  KOKKOS_FUNCTION double amount(std::size_t i) const {
    if (tint.species >= 0 && kind(i) != static_cast<std::size_t>(tint.species)) return -1.0;
    if (tint.weight == Weight::bodies) return one_light;
    double const all = one_light * static_cast<double>(mass(i)) / tint.mean_mass;
    return all >= 0.0 && all < 0x1p62 ? all : -1.0;
  }
};

}  // namespace apsis::render
