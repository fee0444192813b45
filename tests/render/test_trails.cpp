// SPDX-License-Identifier: Apache-2.0
#include "render/photographer.hpp"
#include "support/relative.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace apsis;
using namespace apsis::render;

namespace {

/// A heavy body at rest at the origin, and one on a circle of radius 1 with the period 1.
HostBodies circle(double time) {
  HostBodies bodies(2);
  double const angle = 2.0 * std::numbers::pi * time;
  bodies.mass = {1.0, 1e-9};
  bodies.id = {0, 1};
  bodies.position[1] = {std::cos(angle), std::sin(angle), 0.0};
  bodies.velocity[1] = 2.0 * std::numbers::pi * Vec3<double>{-std::sin(angle), std::cos(angle), 0};
  return bodies;
}

Shot shot_of_circle() {
  Shot shot;
  shot.size = {400, 400};
  shot.lens = Lens::orthographic;
  shot.eye_direction = {0.0, 0.0, 1.0};
  shot.up = {0.0, 1.0, 0.0};
  shot.follow = Follow::origin;
  shot.extent = 4.0;  // 100 pixels are the radius of the circle
  shot.colour = ColourBy::id;
  shot.glow = 0.005;
  shot.trail = 10;
  shot.label = false;
  return shot;
}

/// Where a picture is lit: radii [radius of the circle] of the pixels outside the discs of the
/// bodies, and the number of directions, of 72, that are lit.
struct Ring {
  double least = 1e9, greatest = 0.0;
  int directions = 0;
};

Ring ring_in(Image const& image, Vec3<double> const& body) {
  Ring ring;
  std::array<bool, 72> lit{};
  for (int y = 0; y < 400; ++y) {
    for (int x = 0; x < 400; ++x) {
      if (image.pixels[static_cast<std::size_t>(400 * y + x)] == Pixel{}) continue;
      double const right = (x + 0.5 - 200.0) / 100.0, up = (200.0 - y - 0.5) / 100.0;
      double const radius = std::hypot(right, up);
      bool const in_disc = radius < 0.05 || std::hypot(right - body.x, up - body.y) < 0.05;
      if (in_disc) continue;
      ring.least = std::min(ring.least, radius);
      ring.greatest = std::max(ring.greatest, radius);
      double const turn = std::atan2(up, right) / (2.0 * std::numbers::pi) + 0.5;
      lit[static_cast<std::size_t>(std::min(71.0, 72.0 * turn))] = true;
    }
  }
  ring.directions = static_cast<int>(std::count(lit.begin(), lit.end(), true));
  return ring;
}

/// Takes pictures at intervals [period], with this number of states from one to the next.
Image last_of_series(Photographer& photographer, double interval, int pictures, int states) {
  Context const context{ExecutionSpace()};
  Image image({1, 1});
  for (int k = 0; k < pictures * states; ++k) {
    double const time = interval * k / states;
    auto const bodies = to_device<double>(context.space, circle(time));
    if (k % states == 0) {
      image = photographer.take(context, bodies, {}, time);
    } else {
      photographer.record(context, bodies, time);
    }
    context.space.fence();
  }
  return image;
}

}  // namespace

TEST_CASE("a trail follows a circle, also where a picture is taken once in two revolutions") {
  struct Series {
    double interval;
    int pictures, states;
  };
  for (auto const& series : {Series{0.125, 9, 1}, Series{0.24, 6, 1}, Series{0.7, 4, 16},
                             Series{1.9, 3, 16}, Series{1.0, 3, 8}}) {
    CAPTURE(series.interval);
    Photographer photographer(shot_of_circle());
    auto const image =
        last_of_series(photographer, series.interval, series.pictures, series.states);
    CHECK(photographer.trail_breaks() == 0);
    CHECK(photographer.trail_parts() ==
          2 * static_cast<std::uint64_t>((series.pictures - 1) * series.states));
    auto const ring = ring_in(image, circle(series.interval * (series.pictures - 1)).position[1]);
    // A pixel is 0.01; a cubic over a quarter of a revolution misses the circle by 0.016.
    CHECK(ring.least > 0.965);
    CHECK(ring.greatest < 1.035);
    CHECK(ring.directions >= 70);  // the disc of the body hides some
  }
}

TEST_CASE(
    "a trail has gaps where a body turns too far between two pictures, and they are counted") {
  for (double const interval : {0.3, 0.5, 0.75, 1.0, 1.25, 1.43, 2.1}) {
    CAPTURE(interval);
    Photographer photographer(shot_of_circle());
    auto const image = last_of_series(photographer, interval, 5, 1);
    CHECK(photographer.trail_breaks() == 4);
    CHECK(photographer.trail_parts() == 8);  // the heavy body rests
    CHECK(ring_in(image, circle(4.0 * interval).position[1]).directions == 0);
  }
}

TEST_CASE("a trail reaches back over its number of pictures, with the states between them" *
          testing::thread_counts) {
  auto shot = shot_of_circle();
  shot.trail = 2;
  for (int const states : {1, 4}) {
    CAPTURE(states);
    Photographer photographer(shot);
    auto const image = last_of_series(photographer, 0.125, 9, states);
    CHECK(photographer.trail_parts() == 2 * 2 * static_cast<std::uint64_t>(states));
    auto const ring = ring_in(image, circle(1.0).position[1]);
    CHECK(ring.directions >= 16);
    CHECK(ring.directions <= 19);  // a quarter of 72
  }
}

TEST_CASE("trails of few bodies have as many states as memory allows") {
  Shot shot;
  CHECK(states_per_picture(shot, 10) == 1);
  shot.trail = 100;
  CHECK(states_per_picture(shot, 2) == 16);
  CHECK(states_per_picture(shot, 1024) == 16);
  CHECK(states_per_picture(shot, 1025) == 1);
  shot.trail = 10000;
  CHECK(states_per_picture(shot, 100) == 4);
  CHECK(states_per_picture(shot, 1024) == 1);
}

TEST_CASE("the colours of values are visible on black, and their range belongs to the picture") {
  for (auto const& name : palette_names()) {
    CAPTURE(name);
    auto const colours = value_colours(name);
    CHECK(colours.size() > palette_size / 2);
    CHECK(colours.back() == palette(name).back());
    for (auto const& pixel : colours) CHECK(std::max({pixel[0], pixel[1], pixel[2]}) >= 64);
  }
  Context const context{ExecutionSpace()};
  auto const bodies = to_device<double>(context.space, circle(0.0));
  auto const range = [&](ColourBy colour) {
    auto shot = shot_of_circle();
    shot.colour = colour;
    Photographer photographer(shot);
    photographer.take(context, bodies, {}, 0.0);
    return photographer.colour_range();
  };
  CHECK_FALSE(range(ColourBy::density).has_value());
  CHECK_FALSE(range(ColourBy::id).has_value());
  auto const speeds = range(ColourBy::speed), masses = range(ColourBy::mass);
  REQUIRE(speeds.has_value());
  CHECK(speeds->least == 0.0);
  // Twice the root mean square of 0 and 2 pi.
  CHECK(speeds->greatest == apsis::testing::approximately(2.0 * std::numbers::pi * std::sqrt(2.0)));
  REQUIRE(masses.has_value());
  CHECK(masses->least == 1e-9);
  CHECK(masses->greatest == 1.0);
  CHECK(masses->logarithmic);
}
