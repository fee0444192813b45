// SPDX-License-Identifier: Apache-2.0
#include "painter.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/diagnostics/shrinking_sphere.hpp>
#include <apsis/render/develop.hpp>
#include <apsis/render/photographer.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::render {

namespace {

using Index = Kokkos::IndexType<std::size_t>;

/// A number that follows another without haste: it stays while they are close, and else goes a
/// small part of the way.
double followed(double now, double wanted, double close, double step) {
  if (now <= 0.0) return wanted;
  if (wanted <= 0.0 || std::abs(std::log(wanted / now)) < std::log1p(close)) return now;
  return now * std::clamp(wanted / now, 1.0 / (1.0 + step), 1.0 + step);
}

template <class Real>
KOKKOS_INLINE_FUNCTION Vec3<double> row(VectorColumns<Real> const& of, std::size_t i) {
  return {static_cast<double>(of(i, 0)), static_cast<double>(of(i, 1)),
          static_cast<double>(of(i, 2))};
}

/// Numbers above 0 in steps of 1/16 of a power of two: the first bits of how a double is stored.
constexpr int dropped_bits = 48;
constexpr std::size_t extent_bins = std::size_t{1} << (63 - dropped_bits);

/// Half of what must be seen so that all bodies are, or all but one in thirty where they are many:
/// those of a cluster fly far.
template <class Real>
double half_extent(Context const& context, Bodies<Real> const& bodies, Projection const& camera,
                   double width_over_height) {
  constexpr double few = 256.0;
  constexpr double share = 29.0 / 30.0;
  auto const position = bodies.position;
  Kokkos::View<std::uint32_t*, MemorySpace> count(
      Kokkos::view_alloc(context.space, "apsis::render::extent"), extent_bins);
  Kokkos::parallel_for(
      "apsis::render::extent",
      Kokkos::RangePolicy<ExecutionSpace, Index>(context.space, 0, bodies.size()),
      KOKKOS_LAMBDA(std::size_t i) {
        auto const seen = row(position, i) - camera.target;
        double const across = Kokkos::abs(dot(seen, camera.right)) / width_over_height;
        double const high = Kokkos::abs(dot(seen, camera.up));
        double const needed = across > high ? across : high;
        if (!(needed < 1e300)) return;
        auto const bits = Kokkos::bit_cast<std::uint64_t>(needed);
        Kokkos::atomic_inc(&count(static_cast<std::size_t>(bits >> dropped_bits)));
      });
  std::vector<std::uint32_t> host(extent_bins);
  Kokkos::View<std::uint32_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> view(
      host.data(), extent_bins);
  Kokkos::deep_copy(context.space, view, count);
  context.space.fence("apsis::render::extent: the host reads it");
  double all = 0.0;
  for (auto const each : host) all += each;
  double const wanted = all <= few ? all : share * all;
  double seen = 0.0;
  for (std::size_t bin = 0; bin < extent_bins; ++bin) {
    seen += host[bin];
    if (seen > 0.0 && seen >= wanted) {
      auto const bits = static_cast<std::uint64_t>(bin + 1) << dropped_bits;
      return std::bit_cast<double>(bits);
    }
  }
  return 0.0;
}

}  // namespace

template <class Real>
Vec3<double> Photographer::target(Context const& context, Bodies<Real> const& bodies) const {
  switch (shot_.follow) {
    case Follow::origin:
      return {};
    case Follow::centre_of_mass:
      return diagnostics::mass_centre(context, bodies);
    case Follow::density_centre:
      return diagnostics::shrinking_sphere_centre(context, bodies);
    default:
      break;
  }
  auto const id = bodies.id;
  auto const body = shot_.body;
  auto const none = bodies.size();
  auto const found = smallest<std::size_t>(
      context, "apsis::render::find", bodies.size(),
      KOKKOS_LAMBDA(std::size_t i) { return id(i) == body ? i : none; });
  APSIS_VALIDATE(
      found < none,
      {"body", "is not there", "no body has the id " + std::to_string(body), "follow another one"});
  auto const position = bodies.position;
  return fixed_order_sum<Vec3<double>>(
      context, "apsis::render::find", 1,
      KOKKOS_LAMBDA(std::size_t) { return row(position, found); });
}

template <class Real>
void Photographer::aim(Context const& context, Bodies<Real> const& bodies, double time) {
  camera_.lens = shot_.lens;
  camera_.field_of_view = shot_.field_of_view;
  camera_.up = shot_.up;
  camera_.from = shot_.orbit == 0.0 ? shot_.from : turned(shot_.from, shot_.up, shot_.orbit * time);
  camera_.target = target(context, bodies);
  double const nearer = std::pow(shot_.zoom, time);
  if (shot_.extent) {
    camera_.extent = *shot_.extent / nearer;
  } else {
    constexpr double margin = 1.15;
    auto const& size = shot_.size;
    camera_.extent = 1.0;
    auto const half =
        half_extent(context, bodies, projection(camera_, size),
                    static_cast<double>(size.width) / static_cast<double>(size.height));
    extent_ = followed(extent_, 2.0 * margin * half, 0.25, 0.02);
    camera_.extent = extent_ > 0.0 ? extent_ / nearer : 1.0;
  }
  // Zooms have no end of their own.
  camera_.extent = std::clamp(camera_.extent, 1e-150, 1e150);
}

template <class Real>
Tint Photographer::tint(Context const& context, Bodies<Real> const& bodies) {
  Tint of;
  of.by = shot_.colour;
  of.weight = shot_.weight;
  auto const count = std::max<double>(1.0, static_cast<double>(bodies.size()));
  auto const mass = bodies.mass;
  if (of.weight == Weight::mass) {
    of.mean_mass = fixed_order_sum<double>(
                       context, "apsis::render::mean_mass", bodies.size(),
                       KOKKOS_LAMBDA(std::size_t i) { return static_cast<double>(mass(i)); }) /
                   count;
  }
  if (of.by == ColourBy::density) return of;
  std::vector<Light> lights;
  if (of.by == ColourBy::species || of.by == ColourBy::id) {
    for (auto const& pixel : kinds) lights.push_back(light_of(pixel));
  } else {
    for (auto const& pixel : palette(shot_.palette)) lights.push_back(light_of(pixel));
  }
  of.lights = decltype(of.lights)(
      Kokkos::view_alloc(context.space, Kokkos::WithoutInitializing, "apsis::render::lights"),
      lights.size());
  auto const mirror = Kokkos::create_mirror_view(of.lights);
  for (std::size_t i = 0; i < lights.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) mirror(i, c) = lights[i][c];
  }
  Kokkos::deep_copy(of.lights, mirror);
  if (of.by == ColourBy::speed) {
    if (fastest_ == 0.0) {
      auto const velocity = bodies.velocity;
      double const squares = fixed_order_sum<double>(
          context, "apsis::render::mean_square_speed", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
            auto const v = row(velocity, i);
            return dot(v, v);
          });
      // Twice the root mean square: one in a hundred of a Maxwellian is faster.
      fastest_ = std::isfinite(squares) ? 2.0 * std::sqrt(squares / count) : 0.0;
    }
    of.one = fastest_ > 0.0 ? fastest_ : 1.0;
  }
  if (of.by == ColourBy::mass) {
    double const most = largest<double>(
        context, "apsis::render::most_mass", bodies.size(),
        KOKKOS_LAMBDA(std::size_t i) { return static_cast<double>(mass(i)); });
    double const least = smallest<double>(
        context, "apsis::render::least_mass", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
          auto const m = static_cast<double>(mass(i));
          return m > 0.0 ? m : 1e300;
        });
    if (most > 0.0) {
      of.zero = std::log(least);
      of.one = std::log(most);
    }
    if (!(of.one > of.zero)) {  // all alike: the middle of the palette
      of.one = of.zero + 1.0;
      of.zero -= 1.0;
    }
  }
  return of;
}

template <class Real>
void Photographer::remember(Context const& context, Bodies<Real> const& bodies, double time) {
  if (shot_.trail == 0) return;
  bool const same = past_.empty() || past_.back().state.extent(0) == bodies.size();
  if (!same) past_.clear();
  Past now{time, camera_.target,
           decltype(Past::state)(Kokkos::view_alloc(context.space, Kokkos::WithoutInitializing,
                                                    "apsis::render::past"),
                                 bodies.size())};
  auto const state = now.state;
  auto const position = bodies.position;
  auto const velocity = bodies.velocity;
  auto const target = camera_.target;
  Kokkos::parallel_for(
      "apsis::render::remember",
      Kokkos::RangePolicy<ExecutionSpace, Index>(context.space, 0, bodies.size()),
      KOKKOS_LAMBDA(std::size_t i) {
        auto const place = row(position, i) - target;
        auto const v = row(velocity, i);
        state(i, 0) = place.x;
        state(i, 1) = place.y;
        state(i, 2) = place.z;
        state(i, 3) = v.x;
        state(i, 4) = v.y;
        state(i, 5) = v.z;
      });
  past_.push_back(std::move(now));
  while (past_.size() > static_cast<std::size_t>(shot_.trail) + 1) past_.pop_front();
}

template <class Real>
void Photographer::draw_trails(ExecutionSpace const& space, Bodies<Real> const& bodies,
                               Column<std::uint8_t> const& species, Projection const& projection,
                               Tint const& tint, Exposure const& exposure) const {
  Painter const painter(exposure);
  Colourist<Real> const colourist(bodies, species, tint);
  double const radius = std::max(1.0, shot_.glow * shot_.size.height);
  for (std::size_t k = 1; k < past_.size(); ++k) {
    auto const& before = past_[k - 1];
    auto const& after = past_[k];
    double const dt = after.time - before.time;
    if (!(dt > 0.0)) continue;
    // Older parts are fainter; the newest have two fifths of a body's light.
    double const age = static_cast<double>(k) / static_cast<double>(past_.size());
    double const fade = 0.4 * age * age;
    auto const drift = (1.0 / dt) * (after.target - before.target);
    auto const target = camera_.target;
    auto const first = before.state, second = after.state;
    Kokkos::parallel_for(
        "apsis::render::trail", Kokkos::RangePolicy<ExecutionSpace, Index>(space, 0, bodies.size()),
        KOKKOS_LAMBDA(std::size_t i) {
          double const amount = colourist.amount(i);
          if (amount < 0.0) return;
          float colour[3] = {1.0F, 1.0F, 1.0F};
          colourist(i, painter.channels, colour);
          Vec3<double> const a{first(i, 0), first(i, 1), first(i, 2)};
          Vec3<double> const b{second(i, 0), second(i, 1), second(i, 2)};
          auto const va = dt * (Vec3<double>{first(i, 3), first(i, 4), first(i, 5)} - drift);
          auto const vb = dt * (Vec3<double>{second(i, 3), second(i, 4), second(i, 5)} - drift);
          auto const from = projection(a + target), to = projection(b + target);
          double const dx = to.x - from.x, dy = to.y - from.y;
          double const chord = Kokkos::sqrt(dx * dx + dy * dy);
          if (!(chord < 1e5)) return;
          int const points = 1 + static_cast<int>(1.6 * chord);
          double const light = fade * Painter::peak(radius, amount);
          for (int p = 0; p < points; ++p) {
            // The cubic that has the places and the velocities of both ends.
            double const s = (p + 0.5) / points, r = 1.0 - s;
            auto const at = (r * r * (1.0 + 2.0 * s)) * a + (s * s * (1.0 + 2.0 * r)) * b +
                            (s * r * r) * va - (s * s * r) * vb;
            auto const place = projection(at + target);
            if (painter.touches(place, 1.0)) painter.point(place, light, colour);
          }
        });
  }
}

template <class Real>
Image Photographer::take(Context const& context, Bodies<Real> const& bodies,
                         std::vector<std::uint8_t> const& species, double time) {
  auto const& space = context.space;
  aim(context, bodies, time);
  auto const of = tint(context, bodies);
  Column<std::uint8_t> kind(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "apsis::render::species"),
      of.by == ColourBy::species ? species.size() : 0);
  if (kind.extent(0) > 0) {
    Kokkos::deep_copy(
        space, kind,
        Kokkos::View<std::uint8_t const*, Kokkos::HostSpace,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>(species.data(), species.size()));
    space.fence("apsis::render: the species were copied");
  }
  auto const view = projection(camera_, shot_.size);
  Exposure const exposure(space, shot_.size, of.by == ColourBy::density ? 1 : 3);
  Brush brush;
  brush.largest = std::max(1.0, shot_.glow * shot_.size.height);
  expose(space, bodies, kind, view, brush, of, exposure);
  remember(context, bodies, time);
  draw_trails(space, bodies, kind, view, of, exposure);
  white_ = followed(white_, white_point(space, exposure, shot_.white), 0.1, 0.05);
  return develop(space, exposure, shot_.stretch, white_, palette(shot_.palette));
}

void Photographer::exchange(ExecutionSpace const& space, SavedState& state,
                            std::string const& name) {
  state.exchange(name + "/extent", extent_);
  state.exchange(name + "/white", white_);
  state.exchange(name + "/fastest", fastest_);
  std::uint64_t kept = past_.size();
  std::uint64_t bodies = past_.empty() ? 0 : past_.front().state.extent(0);
  state.exchange(name + "/past", kept);
  state.exchange(name + "/bodies", bodies);
  APSIS_VALIDATE(kept <= static_cast<std::uint64_t>(shot_.trail) + 1 &&
                     kept * bodies <= most_trail_points + bodies,
                 {name, "has more trails than it can", "the checkpoint is damaged",
                  "start the run again with --force"});
  past_.resize(kept);
  for (std::size_t k = 0; k < kept; ++k) {
    auto& past = past_[k];
    auto const here = name + "/" + std::to_string(k);
    if (past.state.extent(0) != bodies) {
      past.state = decltype(past.state)(Kokkos::view_alloc(space, "apsis::render::past"), bodies);
    }
    state.exchange(here + "/time", past.time);
    state.exchange(here + "/target_x", past.target.x);
    state.exchange(here + "/target_y", past.target.y);
    state.exchange(here + "/target_z", past.target.z);
    state.exchange(space, here + "/state", past.state);
  }
}

template Image Photographer::take(Context const&, Bodies<float> const&,
                                  std::vector<std::uint8_t> const&, double);
template Image Photographer::take(Context const&, Bodies<double> const&,
                                  std::vector<std::uint8_t> const&, double);

}  // namespace apsis::render
