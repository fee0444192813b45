// SPDX-License-Identifier: Apache-2.0
#include "painter.hpp"
#include "render/photographer.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/backend.hpp>

namespace apsis::render {

namespace {

/// Whether a body that moves from a to b turns by less than a quarter of a revolution, so that a
/// cubic follows its path. `va` and `vb` are the velocities at both ends times the time between. On
/// a circle, the velocities are at right angles after a quarter; after a whole revolution and more
/// the chord is much shorter than the velocities say. False for NaN.
KOKKOS_FUNCTION bool follows_cubic(Vec3<double> const& a, Vec3<double> const& b,
                                   Vec3<double> const& va, Vec3<double> const& vb) {
  if (!(dot(va, vb) > 0.0)) return dot(va, va) == 0.0 || dot(vb, vb) == 0.0;
  auto const missed = (b - a) - 0.5 * (va + vb);
  double const most = 0.3 * 0.3;  // 0.11 on a circle after a quarter, 1 after a revolution
  return dot(missed, missed) < most * Kokkos::max(dot(va, va), dot(vb, vb));
}

}  // namespace

template <class Real>
TrailState record_trail_state(ExecutionSpace const& space, Bodies<Real> const& bodies,
                              Vec3<double> const& target, double time) {
  TrailState now{time, false, target,
                 decltype(TrailState::state)(
                     Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "apsis::render::past"),
                     bodies.size())};
  auto const state = now.state;
  auto const position = bodies.position;
  auto const velocity = bodies.velocity;
  for_each(
      space, "apsis::render::past_of", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        auto const place = row(position, i) - target;
        auto const v = row(velocity, i);
        state(i, 0) = place.x;
        state(i, 1) = place.y;
        state(i, 2) = place.z;
        state(i, 3) = v.x;
        state(i, 4) = v.y;
        state(i, 5) = v.z;
      });
  return now;
}

template <class Real>
void draw_trail(ExecutionSpace const& space, Bodies<Real> const& bodies,
                Column<std::uint8_t> const& species, TrailState const& before,
                TrailState const& after, Vec3<double> const& target, Projection const& projection,
                Tint const& tint, double radius, double fade, Exposure const& exposure,
                Kokkos::View<std::uint64_t*, MemorySpace> const& breaks) {
  double const dt = after.time - before.time;
  if (!(dt > 0.0)) return;
  Painter<false> const painter(exposure);
  Colourist<Real> const colourist(bodies, species, tint);
  auto const drift = (1.0 / dt) * (after.target - before.target);
  auto const first = before.state, second = after.state;
  for_each(
      space, "apsis::render::draw_trail", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        double const amount = colourist.amount(i);
        if (amount < 0.0) return;
        auto const colour = colourist(i, painter.channels);
        Vec3<double> const a{first(i, 0), first(i, 1), first(i, 2)};
        Vec3<double> const b{second(i, 0), second(i, 1), second(i, 2)};
        auto const va = dt * (Vec3<double>{first(i, 3), first(i, 4), first(i, 5)} - drift);
        auto const vb = dt * (Vec3<double>{second(i, 3), second(i, 4), second(i, 5)} - drift);
        if (!follows_cubic(a, b, va, vb)) {
          Kokkos::atomic_inc(&breaks(0));
          return;
        }
        auto const begin = projection(a + target), end = projection(b + target);
        double const dx = end.x - begin.x, dy = end.y - begin.y;
        double const chord = Kokkos::sqrt(dx * dx + dy * dy);
        // Excludes NaN too. A path far longer than the picture leaves separate points.
        double const longest = 4.0 * (painter.width + painter.height);
        if (!(chord < 16.0 * longest)) return;
        int const points = 1 + static_cast<int>(1.6 * (chord < longest ? chord : longest));
        double const light = fade * Painter<false>::peak(radius, amount);
        for (int p = 0; p < points; ++p) {
          double const s = (p + 0.5) / points, r = 1.0 - s;
          auto const position = (r * r * (1.0 + 2.0 * s)) * a + (s * s * (1.0 + 2.0 * r)) * b +
                                ((s * r * r) * va - (s * s * r) * vb);
          auto const place = projection(position + target);
          if (painter.touches(place, 1.0)) painter.point(place, light, colour);
        }
      });
}

template TrailState record_trail_state(ExecutionSpace const&, Bodies<float> const&,
                                       Vec3<double> const&, double);
template TrailState record_trail_state(ExecutionSpace const&, Bodies<double> const&,
                                       Vec3<double> const&, double);
template void draw_trail(ExecutionSpace const&, Bodies<float> const&, Column<std::uint8_t> const&,
                         TrailState const&, TrailState const&, Vec3<double> const&,
                         Projection const&, Tint const&, double, double, Exposure const&,
                         Kokkos::View<std::uint64_t*, MemorySpace> const&);
template void draw_trail(ExecutionSpace const&, Bodies<double> const&, Column<std::uint8_t> const&,
                         TrailState const&, TrailState const&, Vec3<double> const&,
                         Projection const&, Tint const&, double, double, Exposure const&,
                         Kokkos::View<std::uint64_t*, MemorySpace> const&);

}  // namespace apsis::render
