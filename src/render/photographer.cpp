// SPDX-License-Identifier: Apache-2.0
#include "render/photographer.hpp"

#include "diagnostics/shrinking_sphere.hpp"
#include "exposure.hpp"
#include "render/image.hpp"
#include "survey.hpp"
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/core/views.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace apsis::render {

namespace {

/// Returns a smoothed setting: unchanged while it is within `close` of the wanted value, otherwise
/// moved toward it by at most the factor 1 + `step`.
double smoothed(double now, double wanted, double close, double step) {
  if (now <= 0.0) return wanted;
  if (wanted <= 0.0 || std::abs(std::log(wanted / now)) < std::log1p(close)) return now;
  return now * std::clamp(wanted / now, 1.0 / (1.0 + step), 1.0 + step);
}

/// Returns the brush. Isolated bodies are drawn smaller when there are many bodies in total.
Brush brush_for(Shot const& shot, std::size_t bodies) {
  constexpr double few = 30000.0;
  double const share = few / std::max(few, static_cast<double>(bodies));
  Brush brush;
  brush.largest = std::max(1.0, shot.glow * shot.size.height * std::sqrt(std::sqrt(share)));
  return brush;
}

Legend legend_of_species(Shot const& shot, std::size_t bodies,
                         std::vector<std::uint8_t> const& species) {
  std::array<bool, species_types::count> is_there{};
  for (auto const kind : species) {
    if (kind < is_there.size()) is_there.at(kind) = true;
  }
  if (species.empty() && bodies > 0) is_there[species_types::dark] = true;
  Legend legend;
  for (std::size_t kind = 0; kind < is_there.size(); ++kind) {
    bool const is_drawn = is_there.at(kind) && (!shot.species || *shot.species == kind);
    if (is_drawn) legend.entries.push_back({kinds.at(kind), species_types::names.at(kind)});
  }
  return legend;
}

Legend legend_of_remainders() {
  Legend legend;
  for (std::size_t k = 0; k < id_colours.size(); ++k) {
    legend.entries.push_back({id_colours.at(k), std::to_string(k)});
  }
  legend.quantity = "id modulo " + std::to_string(id_colours.size());
  return legend;
}

}  // namespace

template <class Real>
Vec3<double> Photographer::find_target(Context const& context, Bodies<Real> const& bodies) const {
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
  auto const place = find_position(context, bodies, *shot_.body);
  APSIS_VALIDATE(place.has_value(),
                 {"body", "does not exist", "no body has the id " + std::to_string(*shot_.body),
                  "give the id of another body"});
  return *place;
}

template <class Real>
void Photographer::aim(Context const& context, Bodies<Real> const& bodies,
                       Column<std::uint8_t> const& kind, double time) {
  camera_.lens = shot_.lens;
  camera_.field_of_view = shot_.field_of_view;
  camera_.up = shot_.up;
  camera_.eye_direction = shot_.orbit == 0.0
                              ? shot_.eye_direction
                              : rotate(shot_.eye_direction, shot_.up, shot_.orbit * time);
  camera_.target = find_target(context, bodies);
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
    extent_ = smoothed(extent_, 2.0 * margin * half, 0.25, 0.02);
    camera_.extent = extent_ > 0.0 ? extent_ / nearer : 1.0;
  }
  // The exponential zoom has no end of its own.
  camera_.extent = std::clamp(camera_.extent, 1e-150, 1e150);
}

template <class Real>
Tint Photographer::make_tint(Context const& context, Bodies<Real> const& bodies) {
  colour_range_.reset();
  Tint body_tint;
  body_tint.colour_by = shot_.colour;
  body_tint.weight = shot_.weight;
  if (shot_.species) body_tint.species = *shot_.species;
  if (body_tint.weight == Weight::mass) body_tint.mean_mass = mean_mass(context, bodies);
  if (body_tint.colour_by == ColourBy::density) return body_tint;
  std::vector<Light> lights;
  if (body_tint.colour_by == ColourBy::species) {
    for (auto const& pixel : kinds) lights.push_back(light_of(pixel));
  } else if (body_tint.colour_by == ColourBy::id) {
    for (auto const& pixel : id_colours) lights.push_back(light_of(pixel));
  } else {
    for (auto const& pixel : value_colours(shot_.palette)) lights.push_back(light_of(pixel));
  }
  body_tint.lights = decltype(body_tint.lights)(
      Kokkos::view_alloc(context.space, Kokkos::WithoutInitializing, "apsis::render::lights"),
      lights.size());
  auto const mirror = Kokkos::create_mirror_view(body_tint.lights);
  for (std::size_t i = 0; i < lights.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) mirror(i, c) = lights[i][c];
  }
  Kokkos::deep_copy(context.space, body_tint.lights, mirror);
  context.space.fence("apsis::render: the mirror is freed");
  if (body_tint.colour_by == ColourBy::speed) {
    // Twice the root mean square speed: about one body in a hundred of a Maxwellian is faster.
    fastest_ = smoothed(fastest_, 2.0 * rms_speed(context, bodies), 0.25, 0.02);
    body_tint.one = fastest_ > 0.0 ? fastest_ : 1.0;
    if (fastest_ > 0.0) colour_range_ = {0.0, fastest_, dimension::velocity, false};
  }
  if (body_tint.colour_by == ColourBy::mass) {
    auto const [least, most] = mass_range(context, bodies);
    if (most > 0.0) {
      body_tint.zero = std::log(least);
      body_tint.one = std::log(most);
      if (most > least && least > 0.0) colour_range_ = {least, most, dimension::mass, true};
    }
    if (!(body_tint.one > body_tint.zero)) {  // all masses equal: use the middle of the palette
      body_tint.one = body_tint.zero + 1.0;
      body_tint.zero -= 1.0;
    }
  }
  return body_tint;
}

template <class Real>
void Photographer::push_trail_state(ExecutionSpace const& space, Bodies<Real> const& bodies,
                                    Vec3<double> const& target, double time, bool of_picture) {
  bool const same_bodies =
      trail_states_.empty() || trail_states_.back().state.extent(0) == bodies.size();
  if (!same_bodies) trail_states_.clear();
  trail_states_.push_back(record_trail_state(space, bodies, target, time));
  trail_states_.back().of_picture = of_picture;
  auto pictures = std::count_if(trail_states_.begin(), trail_states_.end(),
                                [](TrailState const& state) { return state.of_picture; });
  while (pictures > shot_.trail + 1) {
    do {
      if (trail_states_.front().of_picture) --pictures;
      trail_states_.pop_front();
    } while (!trail_states_.front().of_picture);
  }
}

template <class Real>
void Photographer::record(Context const& context, Bodies<Real> const& bodies, double time) {
  if (shot_.trail == 0) return;
  push_trail_state(context.space, bodies, find_target(context, bodies), time, false);
}

template <class Real>
void Photographer::draw_trails(ExecutionSpace const& space, Bodies<Real> const& bodies,
                               Column<std::uint8_t> const& species, Projection const& view,
                               Tint const& body_tint, double radius, Exposure const& exposure) {
  if (breaks_.extent(0) == 0) {
    breaks_ = decltype(breaks_)(
        Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "apsis::render::breaks"), 1);
  }
  Kokkos::deep_copy(space, breaks_, std::uint64_t{0});
  for (std::size_t k = 1; k < trail_states_.size(); ++k) {
    // Older segments are fainter; the newest has two fifths of a body's light.
    double const age = static_cast<double>(k) / static_cast<double>(trail_states_.size());
    draw_trail(space, bodies, species, trail_states_[k - 1], trail_states_[k], camera_.target, view,
               body_tint, radius, 0.4 * age * age, exposure, breaks_);
  }
  trail_parts_ = (trail_states_.size() - 1) * bodies.size();
}

std::uint64_t Photographer::trail_breaks() const {
  if (breaks_.extent(0) == 0) return 0;
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), breaks_)(0);
}

template <class Real>
Image Photographer::take(Context const& context, Bodies<Real> const& bodies,
                         std::vector<std::uint8_t> const& species, double time,
                         std::vector<std::string> const& names) {
  auto const& space = context.space;
  Column<std::uint8_t> kind;
  if (shot_.colour == ColourBy::species || shot_.species) {
    kind = copy_to_device(space, species, "apsis::render::species");
    space.fence("apsis::render: the species were copied");
  }
  aim(context, bodies, kind, time);
  auto const body_tint = make_tint(context, bodies);
  legend_ = make_legend(space, shot_, bodies.id, species, names);
  auto const view = projection(camera_, shot_.size);
  int const channels = body_tint.colour_by == ColourBy::density ? 1 : 3;
  if (exposure_.size.pixels() == 0) {
    exposure_ = Exposure(space, shot_.size, channels);
  } else {
    Kokkos::deep_copy(space, exposure_.light, std::uint64_t{0});
  }
  auto const& exposure = exposure_;
  auto const brush = brush_for(shot_, bodies.size());
  expose(space, bodies, kind, view, brush, body_tint, exposure);
  if (shot_.trail > 0) {
    push_trail_state(space, bodies, camera_.target, time, true);
    draw_trails(space, bodies, kind, view, body_tint, brush.largest, exposure);
  }
  white_ = smoothed(white_, white_point(space, exposure, shot_.white), 0.1, 0.05);
  return develop(space, exposure, shot_.stretch, white_, palette(shot_.palette));
}

void Photographer::exchange(ExecutionSpace const& space, SavedState& state,
                            std::string const& name) {
  state.exchange(name + "/extent", extent_);
  state.exchange(name + "/white", white_);
  state.exchange(name + "/fastest", fastest_);
  std::uint64_t count = trail_states_.size();
  std::uint64_t bodies = trail_states_.empty() ? 0 : trail_states_.front().state.extent(0);
  state.exchange(name + "/past", count);
  state.exchange(name + "/bodies", bodies);
  bool const sound = count <= static_cast<std::uint64_t>(shot_.trail + 1) *
                                  static_cast<std::uint64_t>(most_states_per_picture + 1) &&
                     (count == 0 || bodies <= most_trail_points);
  APSIS_VALIDATE(sound || !state.restores(),
                 {name, "has more trails than allowed", "the checkpoint is damaged",
                  "start the run again with --force"});
  trail_states_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    auto& state_then = trail_states_[k];
    auto const prefix = name + "/" + std::to_string(k);
    if (state_then.state.extent(0) != bodies) {
      state_then.state =
          decltype(state_then.state)(Kokkos::view_alloc(space, "apsis::render::past"), bodies);
    }
    state.exchange(prefix + "/time", state_then.time);
    std::uint64_t of_picture = state_then.of_picture ? 1 : 0;
    state.exchange(prefix + "/of_picture", of_picture);
    state_then.of_picture = of_picture != 0;
    state.exchange(prefix + "/target_x", state_then.target.x);
    state.exchange(prefix + "/target_y", state_then.target.y);
    state.exchange(prefix + "/target_z", state_then.target.z);
    state.exchange(space, prefix + "/state", state_then.state);
  }
}

template void Photographer::record(Context const&, Bodies<float> const&, double);
template void Photographer::record(Context const&, Bodies<double> const&, double);
template Image Photographer::take(Context const&, Bodies<float> const&,
                                  std::vector<std::uint8_t> const&, double,
                                  std::vector<std::string> const&);
template Image Photographer::take(Context const&, Bodies<double> const&,
                                  std::vector<std::uint8_t> const&, double,
                                  std::vector<std::string> const&);

Legend make_legend(ExecutionSpace const& space, Shot const& shot, Column<std::uint64_t> const& ids,
                   std::vector<std::uint8_t> const& species,
                   std::vector<std::string> const& names) {
  auto const bodies = ids.extent(0);
  if (shot.colour == ColourBy::species) return legend_of_species(shot, bodies, species);
  if (shot.colour != ColourBy::id) return {};
  if (bodies > most_listed_bodies) return legend_of_remainders();
  auto const host_ids = Kokkos::create_mirror_view(Kokkos::HostSpace(), ids);
  Kokkos::deep_copy(space, host_ids, ids);
  space.fence("apsis::render: ids for the legend");
  Legend legend;
  for (std::size_t i = 0; i < bodies; ++i) {
    bool const is_drawn =
        !shot.species || (species.empty() ? species_types::dark : species[i]) == *shot.species;
    if (!is_drawn) continue;
    auto const name = names.empty() ? std::string() : names[i];
    legend.entries.push_back({id_colours.at(host_ids(i) % id_colours.size()),
                              name.empty() ? "body " + std::to_string(host_ids(i)) : name});
  }
  return legend;
}

}  // namespace apsis::render
