// SPDX-License-Identifier: Apache-2.0
#include "survey.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/diagnostics/shrinking_sphere.hpp>
#include <apsis/render/develop.hpp>
#include <apsis/render/photographer.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::render {

namespace {

/// A number that follows another without haste: it stays while they are close, and else goes a
/// small part of the way.
double followed(double now, double wanted, double close, double step) {
  if (now <= 0.0) return wanted;
  if (wanted <= 0.0 || std::abs(std::log(wanted / now)) < std::log1p(close)) return now;
  return now * std::clamp(wanted / now, 1.0 / (1.0 + step), 1.0 + step);
}

/// A body that is alone shines among few; among many it is one of them.
Brush brush_for(Shot const& shot, std::size_t bodies) {
  constexpr double few = 30000.0;
  double const share = few / std::max(few, static_cast<double>(bodies));
  Brush brush;
  brush.largest = std::max(1.0, shot.glow * shot.size.height * std::sqrt(std::sqrt(share)));
  return brush;
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
  auto const place = place_of(context, bodies, *shot_.body);
  APSIS_VALIDATE(place.has_value(),
                 {"body", "is not there", "no body has the id " + std::to_string(*shot_.body),
                  "follow another one"});
  return *place;
}

template <class Real>
void Photographer::aim(Context const& context, Bodies<Real> const& bodies,
                       Column<std::uint8_t> const& kind, double time) {
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
        half_extent(context, bodies, {kind, shot_.species ? int{*shot_.species} : -1},
                    projection(camera_, size),
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
  if (shot_.species) of.species = *shot_.species;
  if (of.weight == Weight::mass) of.mean_mass = mean_mass(context, bodies);
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
  Kokkos::deep_copy(context.space, of.lights, mirror);
  context.space.fence("apsis::render: the mirror is freed");
  if (of.by == ColourBy::speed) {
    // Twice the root mean square: one in a hundred of a Maxwellian is faster.
    fastest_ = followed(fastest_, 2.0 * rms_speed(context, bodies), 0.25, 0.02);
    of.one = fastest_ > 0.0 ? fastest_ : 1.0;
  }
  if (of.by == ColourBy::mass) {
    auto const [least, most] = mass_range(context, bodies);
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
void Photographer::draw_trails(ExecutionSpace const& space, Bodies<Real> const& bodies,
                               Column<std::uint8_t> const& species, Projection const& view,
                               Tint const& of, double radius, double time,
                               Exposure const& exposure) {
  if (shot_.trail == 0) return;
  bool const same = past_.empty() || past_.back().state.extent(0) == bodies.size();
  if (!same) past_.clear();
  past_.push_back(past_of(space, bodies, camera_.target, time));
  while (past_.size() > static_cast<std::size_t>(shot_.trail) + 1) past_.pop_front();
  for (std::size_t k = 1; k < past_.size(); ++k) {
    // Older parts are fainter; the newest have two fifths of a body's light.
    double const age = static_cast<double>(k) / static_cast<double>(past_.size());
    draw_trail(space, bodies, species, past_[k - 1], past_[k], camera_.target, view, of, radius,
               0.4 * age * age, exposure);
  }
}

template <class Real>
Image Photographer::take(Context const& context, Bodies<Real> const& bodies,
                         std::vector<std::uint8_t> const& species, double time) {
  auto const& space = context.space;
  Column<std::uint8_t> kind(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "apsis::render::species"),
      shot_.colour == ColourBy::species || shot_.species ? species.size() : 0);
  if (kind.extent(0) > 0) {
    Kokkos::deep_copy(
        space, kind,
        Kokkos::View<std::uint8_t const*, Kokkos::HostSpace,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>(species.data(), species.size()));
    space.fence("apsis::render: the species were copied");
  }
  aim(context, bodies, kind, time);
  auto const of = tint(context, bodies);
  auto const view = projection(camera_, shot_.size);
  int const channels = of.by == ColourBy::density ? 1 : 3;
  if (exposure_.size.pixels() == 0) {
    exposure_ = Exposure(space, shot_.size, channels);
  } else {
    Kokkos::deep_copy(space, exposure_.light, std::uint64_t{0});
  }
  auto const& exposure = exposure_;
  auto const brush = brush_for(shot_, bodies.size());
  expose(space, bodies, kind, view, brush, of, exposure);
  draw_trails(space, bodies, kind, view, of, brush.largest, time, exposure);
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
  bool const sound = kept <= static_cast<std::uint64_t>(shot_.trail) + 1 &&
                     (kept == 0 || bodies <= most_trail_points);
  APSIS_VALIDATE(sound || !state.restores(),
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
