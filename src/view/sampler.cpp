// SPDX-License-Identifier: Apache-2.0
#include "view/sampler.hpp"

#include "core/percentile.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

namespace apsis::view {

namespace {

constexpr unsigned box_frames = 8;
constexpr std::size_t probe_count = 4096;

/// Returns the stride of the sampling order: point j is body (j stride) mod count. A stride near
/// the golden section of `count` without a common divisor visits each body once and spreads the
/// first points evenly over all bodies.
std::size_t golden_stride(std::size_t count) {
  auto stride = std::max<std::size_t>(
      1, static_cast<std::size_t>(static_cast<double>(count) * 0.6180339887498949));
  while (std::gcd(stride, count) != 1) ++stride;
  return stride;
}

/// Returns a coordinate in units of the box, or 65535 outside.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t box_coordinate(double x, double low, double per_length) {
  double const coordinate = (x - low) * per_length;
  bool const inside = coordinate >= 0.0 && coordinate < 65535.0;
  return inside ? static_cast<std::uint64_t>(coordinate) : 65535u;
}

using Probe = Kokkos::View<double* [4], Kokkos::LayoutLeft, PinnedSpace>;

template <class Real>
void probe_bodies(ExecutionSpace const& space, Bodies<Real> const& bodies, std::size_t stride,
                  std::size_t count, Probe const& probe) {
  auto const position = bodies.position, velocity = bodies.velocity;
  std::size_t const total = bodies.size();
  for_each(
      space, "apsis::view::probe", count, KOKKOS_LAMBDA(std::size_t j) {
        std::size_t const i = j * stride % total;
        auto const x = row(position, i), v = row(velocity, i);
        probe(j, 0) = x.x;
        probe(j, 1) = x.y;
        probe(j, 2) = x.z;
        probe(j, 3) = dot(v, v);
      });
  space.fence("apsis::view::probe: the host reads it");
}

using Details = Kokkos::View<double* [8], Kokkos::LayoutLeft, PinnedSpace>;

/// Copies id, mass, position and velocity of the bodies, in the order of the points.
template <class Real>
void copy_details(ExecutionSpace const& space, Bodies<Real> const& bodies, std::size_t stride,
                  Details const& details) {
  auto const all = bodies;
  std::size_t const total = bodies.size();
  for_each(
      space, "apsis::view::details", total, KOKKOS_LAMBDA(std::size_t j) {
        std::size_t const i = j * stride % total;
        auto const x = row(all.position, i), v = row(all.velocity, i);
        details(j, 0) = static_cast<double>(all.id(i));
        details(j, 1) = static_cast<double>(all.mass(i));
        details(j, 2) = x.x;
        details(j, 3) = x.y;
        details(j, 4) = x.z;
        details(j, 5) = v.x;
        details(j, 6) = v.y;
        details(j, 7) = v.z;
      });
  space.fence("apsis::view::details: the host reads them");
}

}  // namespace

void Sampler::reset() {
  frames_ = 0;
  species_ = {};
}

template <class Real>
void Sampler::find_box(Context const& context, Bodies<Real> const& bodies) {
  std::size_t const total = bodies.size(), count = std::min(total, probe_count);
  std::size_t const stride = golden_stride(total);
  if (probe_.extent(0) < count) {
    probe_ = decltype(probe_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "apsis::view::probe"),
                              probe_count);
  }
  auto const probe = probe_;
  probe_bodies(context.space, bodies, stride, count, probe);
  std::vector<double> values(count);
  double centre[3];
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t j = 0; j < count; ++j) {
      values[j] = std::isfinite(probe(j, axis)) ? probe(j, axis) : 0.0;
    }
    centre[axis] = upper_median(values);
    frame_.centre[static_cast<std::size_t>(axis)] = static_cast<float>(centre[axis]);
  }
  double square = 0.0;
  for (std::size_t j = 0; j < count; ++j) {
    values[j] = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      values[j] = std::max(values[j], std::abs(probe(j, axis) - centre[axis]));
    }
    square += probe(j, 3);
  }
  std::sort(values.begin(), values.end());
  // A box with the few far-away bodies would leave few of the 16 bits for the others.
  constexpr std::size_t few = 256;
  double const farthest = values.back();
  double const usual = count <= few ? farthest : values[count * 29 / 30];
  double const half = 1.05 * std::min(farthest, 16.0 * usual);
  bool const drawable = half > 0.0 && half < 1e37;
  frame_.half = drawable ? static_cast<float>(half) : 1.0F;
  double const speed = std::sqrt(square / static_cast<double>(count));
  if (!(speed > 1e-37 && speed < 1e37)) {
    if (frames_ == 0) frame_.speed = 1.0F;
  } else if (frames_ == 0) {
    frame_.speed = static_cast<float>(speed);
  } else {
    // The unit follows the speeds of a system that speeds up or slows down. It does so in small
    // steps, so that colours do not jump.
    constexpr double part = 0.2;
    auto const old = static_cast<double>(frame_.speed);
    frame_.speed = static_cast<float>(old * std::pow(speed / old, part));
  }
}

template <class Real>
std::shared_ptr<std::vector<BodyDetails> const> Sampler::take_details(Context const& context,
                                                                      Bodies<Real> const& bodies) {
  std::size_t const count = bodies.size();
  if (count > max_detailed_bodies) return {};
  if (details_.extent(0) == 0) {
    details_ = decltype(details_)("apsis::view::details", max_detailed_bodies);
  }
  std::size_t const stride = golden_stride(count);
  copy_details(context.space, bodies, stride, details_);
  auto const details = std::make_shared<std::vector<BodyDetails>>(count);
  for (std::size_t j = 0; j < count; ++j) {
    auto& body = (*details)[j];
    body.id = details_(j, 0);
    body.mass = details_(j, 1);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      body.position[axis] = details_(j, 2 + axis);
      body.velocity[axis] = details_(j, 5 + axis);
    }
  }
  return details;
}

std::shared_ptr<Sampler::Points> Sampler::free_points(std::size_t count) {
  for (auto& points : pool_) {
    if (points.use_count() > 1) continue;
    std::atomic_thread_fence(std::memory_order_acquire);  // the previous reader has finished
    if (points->extent(0) < count) {
      *points =
          Points(Kokkos::view_alloc(Kokkos::WithoutInitializing, "apsis::view::points"), count);
    }
    return points;
  }
  pool_.push_back(std::make_shared<Points>(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "apsis::view::points"), count));
  return pool_.back();
}

template <class Real>
Frame Sampler::take(Context const& context, Bodies<Real> const& bodies,
                    std::vector<std::uint8_t> const& species, std::uint32_t most_points) {
  std::size_t const total = bodies.size(), count = std::min<std::size_t>(total, most_points);
  if (count == 0) return {};
  if (frames_ % box_frames == 0) find_box(context, bodies);
  // Species do not change in a run. They are copied again only for another snapshot.
  if (species_.extent(0) != species.size() || species_of_ != species.data()) {
    species_of_ = species.data();
    species_ = copy_to_device(context.space, species, "apsis::view::species");
  }
  ++frames_;
  auto const memory = free_points(count);
  auto const points = *memory;
  auto const position = bodies.position, velocity = bodies.velocity;
  auto const species_column = species_;
  bool const has_species = species_column.extent(0) == total;
  std::size_t const stride = golden_stride(total);
  double const half = frame_.half, per_length = 65536.0 / (2.0 * half);
  Vec3<double> const low{frame_.centre[0] - half, frame_.centre[1] - half, frame_.centre[2] - half};
  double const per_speed = 64.0 / frame_.speed;
  for_each(
      context.space, "apsis::view::points", count, KOKKOS_LAMBDA(std::size_t j) {
        std::size_t const i = j * stride % total;
        auto const body_position = row(position, i), v = row(velocity, i);
        auto const x = box_coordinate(body_position.x, low.x, per_length);
        auto const y = box_coordinate(body_position.y, low.y, per_length);
        auto const z = box_coordinate(body_position.z, low.z, per_length);
        bool const inside = x < 65535u && y < 65535u && z < 65535u;
        double const speed = Kokkos::sqrt(dot(v, v)) * per_speed;
        auto const colour = static_cast<std::uint64_t>(speed < 255.0 ? speed : 255.0);
        auto const species_bits =
            static_cast<std::uint64_t>(has_species ? species_column(i) : no_species);
        points(j) =
            (inside ? x | y << 16 | z << 32 : 0xFFFFFFFFFFFFu) | colour << 48 | species_bits << 56;
      });
  context.space.fence("apsis::view::points: a viewer reads them");
  auto frame = frame_;
  frame.details = take_details(context, bodies);
  frame.bodies = total;
  frame.points = {reinterpret_cast<Point const*>(points.data()), count};
  frame.memory = memory;
  return frame;
}

template Frame Sampler::take(Context const&, Bodies<float> const&, std::vector<std::uint8_t> const&,
                             std::uint32_t);
template Frame Sampler::take(Context const&, Bodies<double> const&,
                             std::vector<std::uint8_t> const&, std::uint32_t);

void interpolate_bodies(ExecutionSpace const& space, Bodies<double> const& before,
                        Bodies<double> const& after, double dt, double s,
                        Bodies<double> const& now) {
  double const t = 1.0 - s;
  // Cubic Hermite polynomials and their derivatives.
  double const h00 = (1.0 + 2.0 * s) * t * t, h10 = s * t * t * dt;
  double const h01 = s * s * (3.0 - 2.0 * s), h11 = -s * s * t * dt;
  double const d = 6.0 * s * t / dt;
  double const d10 = t * (1.0 - 3.0 * s), d11 = s * (3.0 * s - 2.0);
  auto const xa = before.position, va = before.velocity;
  auto const xb = after.position, vb = after.velocity;
  auto const x = now.position, v = now.velocity;
  for_each(
      space, "apsis::view::between", now.size(), KOKKOS_LAMBDA(std::size_t i) {
        for (int k = 0; k < 3; ++k) {
          x(i, k) = h00 * xa(i, k) + h10 * va(i, k) + h01 * xb(i, k) + h11 * vb(i, k);
          v(i, k) = d * (xb(i, k) - xa(i, k)) + d10 * va(i, k) + d11 * vb(i, k);
        }
      });
}

}  // namespace apsis::view
