// SPDX-License-Identifier: Apache-2.0
#include "survey.hpp"

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/core/views.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace apsis::render {

namespace {

/// Histogram of numbers above 0 in steps of 1/16 of a power of two: the leading bits of a double.
constexpr int dropped_bits = 48;
constexpr std::size_t extent_bins = std::size_t{1} << (63 - dropped_bits);

}  // namespace

template <class Real>
double half_extent(Context const& context, Bodies<Real> const& bodies, DrawnBodies const& drawn,
                   Projection const& camera, double width_over_height) {
  constexpr double few = 256.0;
  constexpr double share = 29.0 / 30.0;
  // An even sample of this many bodies is accurate enough.
  constexpr std::size_t sample_size = std::size_t{1} << 17;
  std::size_t const stride = drawn.species < 0 ? 1 + bodies.size() / sample_size : 1;
  auto const position = bodies.position;
  Kokkos::View<std::uint32_t*, MemorySpace> count(
      Kokkos::view_alloc(context.space, "apsis::render::extent"), extent_bins);
  for_each(
      context.space, "apsis::render::extent", (bodies.size() + stride - 1) / stride,
      KOKKOS_LAMBDA(std::size_t i) {
        if (!drawn(i * stride)) return;
        auto const relative = row(position, i * stride) - camera.target;
        double const across = Kokkos::abs(dot(relative, camera.right)) / width_over_height;
        double const high = Kokkos::abs(dot(relative, camera.up));
        double const needed = across > high ? across : high;
        if (!(needed < 1e300)) return;
        auto const bits = Kokkos::bit_cast<std::uint64_t>(needed);
        Kokkos::atomic_inc(&count(static_cast<std::size_t>(bits >> dropped_bits)));
      });
  std::vector<std::uint32_t> host(extent_bins);
  Kokkos::deep_copy(context.space, unmanaged(host), count);
  context.space.fence("apsis::render::extent: the host reads it");
  double total = 0.0;
  for (auto const each : host) total += each;
  double const wanted = total <= few ? total : share * total;
  double counted = 0.0;
  for (std::size_t bin = 0; bin < extent_bins; ++bin) {
    counted += host[bin];
    if (counted > 0.0 && counted >= wanted) {
      if (bin == 0) return 0.0;
      auto const bits = static_cast<std::uint64_t>(bin + 1) << dropped_bits;
      return std::bit_cast<double>(bits);
    }
  }
  return 0.0;
}

template <class Real>
std::optional<Vec3<double>> find_position(Context const& context, Bodies<Real> const& bodies,
                                          std::uint64_t body) {
  auto const id = bodies.id;
  auto const none = bodies.size();
  auto const index = smallest<std::size_t>(
      context, "apsis::render::find", bodies.size(),
      KOKKOS_LAMBDA(std::size_t i) { return id(i) == body ? i : none; });
  if (index >= none) return std::nullopt;
  auto const position = bodies.position;
  return fixed_order_sum<Vec3<double>>(
      context, "apsis::render::find", 1,
      KOKKOS_LAMBDA(std::size_t) { return row(position, index); });
}

template <class Real>
double mean_mass(Context const& context, Bodies<Real> const& bodies) {
  auto const mass = bodies.mass;
  return fixed_order_sum<double>(
             context, "apsis::render::mean_mass", bodies.size(),
             KOKKOS_LAMBDA(std::size_t i) { return static_cast<double>(mass(i)); }) /
         std::max<double>(1.0, static_cast<double>(bodies.size()));
}

template <class Real>
MassRange mass_range(Context const& context, Bodies<Real> const& bodies) {
  auto const mass = bodies.mass;
  double const most = largest<double>(
      context, "apsis::render::most_mass", bodies.size(),
      KOKKOS_LAMBDA(std::size_t i) { return static_cast<double>(mass(i)); });
  if (!(most > 0.0)) return {0.0, 0.0};
  double const least = smallest<double>(
      context, "apsis::render::least_mass", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        auto const m = static_cast<double>(mass(i));
        return m > 0.0 ? m : most;
      });
  return {least, most};
}

template <class Real>
double rms_speed(Context const& context, Bodies<Real> const& bodies) {
  auto const velocity = bodies.velocity;
  double const squares = fixed_order_sum<double>(
      context, "apsis::render::rms_speed", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        auto const v = row(velocity, i);
        return dot(v, v);
      });
  if (!std::isfinite(squares)) return 0.0;
  return std::sqrt(squares / std::max<double>(1.0, static_cast<double>(bodies.size())));
}

template std::optional<Vec3<double>> find_position(Context const&, Bodies<float> const&,
                                                   std::uint64_t);
template double half_extent(Context const&, Bodies<float> const&, DrawnBodies const&,
                            Projection const&, double);
template double mean_mass(Context const&, Bodies<float> const&);
template MassRange mass_range(Context const&, Bodies<float> const&);
template double rms_speed(Context const&, Bodies<float> const&);
template std::optional<Vec3<double>> find_position(Context const&, Bodies<double> const&,
                                                   std::uint64_t);
template double half_extent(Context const&, Bodies<double> const&, DrawnBodies const&,
                            Projection const&, double);
template double mean_mass(Context const&, Bodies<double> const&);
template MassRange mass_range(Context const&, Bodies<double> const&);
template double rms_speed(Context const&, Bodies<double> const&);

}  // namespace apsis::render
