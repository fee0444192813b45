// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/shrinking_sphere.hpp"
#include "render/exposure.hpp"
#include "render/photographer.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>

using namespace apsis;
using namespace apsis::render;
using apsis::testing::approximately;

namespace {

HostBodies cloud(std::size_t count, double width, Vec3<double> const& centre = {}) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> normal(0.0, width);
  HostBodies bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    bodies.mass[i] = 1.0 / static_cast<double>(count);
    bodies.position[i] =
        centre + Vec3<double>{normal(generator), normal(generator), normal(generator)};
    bodies.velocity[i] = {normal(generator), normal(generator), normal(generator)};
  }
  return bodies;
}

std::vector<std::uint64_t> light_of(Exposure const& exposure) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), exposure.light);
  return {host.data(), host.data() + host.extent(0)};
}

/// Reference picture by definition: each body's disc, pixel by pixel, in long double.
std::vector<long double> plain_picture(HostBodies const& bodies, Projection const& camera,
                                       Size size, Brush const& brush) {
  constexpr int square = 8;
  struct Place {
    double x, y;
  };
  std::vector<Place> places;
  for (auto const& position : bodies.position) {
    auto const pixel = camera(position);
    places.push_back({pixel.x, pixel.y});
  }
  auto const cell = [](double x) { return std::floor((x + square) / square); };
  auto const near = [&](Place const& position, double r) {
    return position.x > -r && position.x < size.width + r && position.y > -r &&
           position.y < size.height + r;
  };
  std::vector<long double> picture(static_cast<std::size_t>(size.pixels()));
  for (auto const& position : places) {
    double neighbours = 0.0;
    for (auto const& other : places) {
      neighbours += near(other, square) && cell(other.x) == cell(position.x) &&
                    cell(other.y) == cell(position.y);
    }
    double const radius =
        std::min(brush.largest, brush.spread * square / std::sqrt(std::max(neighbours, 1.0)));
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        long double const dx = x + 0.5L - position.x, dy = y + 0.5L - position.y;
        long double share = 0.0L;
        if (radius <= 1.5) {
          share = std::max(0.0L, 1.0L - std::abs(dx)) * std::max(0.0L, 1.0L - std::abs(dy));
        } else {
          auto const rest = 1.0L - (dx * dx + dy * dy) / (radius * radius);
          if (rest > 0.0L)
            share = 4.0L / (std::numbers::pi_v<long double> * radius * radius) * rest * rest * rest;
        }
        picture[static_cast<std::size_t>(y * size.width + x)] += share * one_light;
      }
    }
  }
  return picture;
}

}  // namespace

TEST_CASE_TEMPLATE("a picture agrees with its definition in every pixel" * testing::thread_counts,
                   Real, float, double) {
  Size const size{96, 64};
  Camera camera;
  camera.extent = 4.0;
  for (auto const lens : {Lens::orthographic, Lens::perspective}) {
    camera.lens = lens;
    for (std::size_t const count : {1, 40, 3000}) {
      CAPTURE(count);
      auto bodies = cloud(count, 0.7);
      // Positions as stored, and one beyond the edge with a disc that is cut.
      bodies.position[0] = {-2.98, 1.97, 0.0};
      for (auto& position : bodies.position) {
        position = {static_cast<Real>(position.x), static_cast<Real>(position.y),
                    static_cast<Real>(position.z)};
      }
      auto const view = projection(camera, size);
      ExecutionSpace const space;
      Exposure const exposure(space, size, 1);
      Brush const brush{6.0, 1.5};
      expose(space, to_device<Real>(space, bodies), {}, view, brush, {}, exposure);
      auto const expected = plain_picture(bodies, view, size, brush);
      auto const result = light_of(exposure);
      long double worst = 0.0L;
      for (std::size_t i = 0; i < result.size(); ++i) {
        worst = std::max(worst, std::abs(static_cast<long double>(result[i]) - expected[i]));
      }
      // The light of each body is rounded to an integer in each pixel.
      CHECK(worst <= 0.5L * static_cast<long double>(count) + 0.5L);
      CHECK(worst < 60.0L);
    }
  }
}

TEST_CASE("non-finite bodies are left out and bodies behind the eye are not drawn") {
  auto bodies = cloud(5, 0.1);
  bodies.position[0].x = std::nan("");
  bodies.position[1].y = INFINITY;
  bodies.position[2] = {1e300, -1e300, 0.0};
  bodies.position[3] = {0.0, 0.0, 100.0};
  bodies.position[4] = {0.0, 0.0, 0.0};
  Camera camera;
  camera.lens = Lens::perspective;
  Size const size{64, 64};
  ExecutionSpace const space;
  Exposure const exposure(space, size, 1);
  expose(space, to_device<double>(space, bodies), {}, projection(camera, size), {}, {}, exposure);
  double total = 0.0;
  for (auto const light : light_of(exposure)) total += static_cast<double>(light);
  CHECK(total / one_light == approximately(1.0, 0.01));
}

TEST_CASE("light is shared by mass, and colours by species") {
  auto bodies = cloud(3, 0.1);
  bodies.mass = {0.0, 1.0, 5.0};
  bodies.position = {{-0.5, 0, 0}, {0, 0, 0}, {0.5, 0, 0}};
  bodies.species = {species_types::stars, species_types::disk, species_types::gas};
  ExecutionSpace const space;
  Shot shot;
  shot.size = {60, 20};
  shot.extent = 1.0;
  shot.follow = Follow::origin;
  shot.glow = 0.1;
  shot.weight = Weight::mass;
  shot.stretch = Stretch::linear;
  shot.white = 100.0;
  shot.colour = ColourBy::species;
  auto image = Photographer(shot).take(Context(space), to_device<double>(space, bodies),
                                       bodies.species, 0.0);
  CHECK(image.pixel(20, 10) == Pixel{0, 0, 0});  // no mass, no light
  auto const disk = image.pixel(30, 10), gas = image.pixel(40, 10);
  CHECK(disk[2] > disk[0]);  // blue
  CHECK(int{gas[2]} > int{disk[2]});
  CHECK(int{gas[2]} > 200);
  shot.species = species_types::disk;
  auto alone = Photographer(shot).take(Context(space), to_device<double>(space, bodies),
                                       bodies.species, 0.0);
  CHECK(alone.pixel(40, 10) == Pixel{0, 0, 0});
  CHECK(int{alone.pixel(30, 10)[2]} > 200);
}

TEST_CASE("a species drawn alone fills the picture") {
  auto bodies = cloud(2000, 10.0);
  for (std::size_t i = 0; i < 2000; ++i) {
    bool const disk = i % 2 == 0;
    bodies.species.push_back(disk ? species_types::disk : species_types::dark);
    if (disk) bodies.position[i] = 0.1 * bodies.position[i];
  }
  Shot shot;
  shot.size = {80, 60};
  ExecutionSpace const space;
  auto const extent = [&](std::optional<std::uint8_t> species) {
    shot.species = species;
    Photographer photographer(shot);
    photographer.take(Context(space), to_device<double>(space, bodies), bodies.species, 0.0);
    return photographer.camera().extent;
  };
  double const whole = extent({}), dark = extent(species_types::dark);
  CHECK(extent(species_types::disk) == approximately(0.1 * dark, 0.1));
  CHECK(whole < dark);
  // However rare the species, a sample of all bodies must not be used.
  auto many = cloud(300001, 10.0);
  many.species.assign(many.size(), species_types::dark);
  for (std::size_t const i : {5, 299999}) many.species[i] = species_types::stars;
  many.position[5] = {30.0, 0.0, 0.0};
  shot.species = species_types::stars;
  Photographer photographer(shot);
  photographer.take(Context(space), to_device<double>(space, many), many.species, 0.0);
  CHECK(photographer.camera().extent > 30.0);
}

TEST_CASE("the followed body stays at the centre; an unknown body is an error") {
  auto bodies = cloud(50, 1.0, {1000.0, 0.0, 0.0});
  Shot shot;
  shot.size = {80, 60};
  shot.follow = Follow::body;
  shot.body = 17;
  ExecutionSpace const space;
  Photographer photographer(shot);
  photographer.take(Context(space), to_device<double>(space, bodies), {}, 0.0);
  CHECK(photographer.camera().target == bodies.position[17]);
  shot.body = 50;
  CHECK_THROWS_WITH_AS(
      Photographer(shot).take(Context(space), to_device<double>(space, bodies), {}, 0.0),
      doctest::Contains("no body has the id 50"), Error);
}

TEST_CASE("the camera zooms out gradually if a body moves away") {
  auto bodies = cloud(100, 1.0);
  Shot shot;
  shot.size = {80, 60};
  shot.follow = Follow::origin;
  ExecutionSpace const space;
  Photographer photographer(shot);
  double before = 0.0;
  for (int k = 0; k < 100; ++k) {
    photographer.take(Context(space), to_device<double>(space, bodies), {}, 0.1 * k);
    double const extent = photographer.camera().extent;
    if (k == 0) {
      CHECK(extent > 2.0);
      CHECK(extent < 12.0);
    } else {
      CHECK(extent >= before);
      CHECK(extent <= 1.0201 * before);
    }
    before = extent;
    bodies.position[3] = {20.0 * (k + 1), 0.0, 0.0};
  }
  CHECK(before > 20.0);
}

TEST_CASE("a picture that begins with coincident bodies follows their expansion") {
  HostBodies bodies(3);
  Shot shot;
  shot.size = {80, 60};
  ExecutionSpace const space;
  Photographer photographer(shot);
  photographer.take(Context(space), to_device<double>(space, bodies), {}, 0.0);
  CHECK(photographer.camera().extent == 1.0);
  bodies.position = {{30.0, 0.0, 0.0}, {-30.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  photographer.take(Context(space), to_device<double>(space, bodies), {}, 1.0);
  CHECK(photographer.camera().extent > 45.0);
}

TEST_CASE("the white point sees a bright column in any position") {
  ExecutionSpace const space;
  for (std::size_t k = 0; k < 5; ++k) {
    Exposure const exposure(space, {3840, 2160}, 1);
    auto const mirror = Kokkos::create_mirror_view(exposure.light);
    for (std::size_t y = 0; y < 2160; ++y) mirror(y * 3840 + 1000 + k) = 1000;
    Kokkos::deep_copy(exposure.light, mirror);
    CHECK(white_point(space, exposure, 99.0) > 0.0);
  }
}

TEST_CASE("no bodies, one body and coincident bodies give pictures") {
  ExecutionSpace const space;
  for (std::size_t const count : {0, 1, 300}) {
    CAPTURE(count);
    HostBodies bodies(count);
    for (auto const colour :
         {ColourBy::density, ColourBy::speed, ColourBy::mass, ColourBy::species, ColourBy::id}) {
      Shot shot;
      shot.size = {40, 30};
      shot.colour = colour;
      shot.trail = 3;
      shot.follow = Follow::density_centre;
      Photographer photographer(shot);
      for (int k = 0; k < 3; ++k) {
        auto const image =
            photographer.take(Context(space), to_device<double>(space, bodies), {}, k);
        CHECK(image.pixels.size() == 1200);
      }
    }
  }
}

TEST_CASE("the white point is the percentile of the exposure, in steps of a sixteenth" *
          testing::thread_counts) {
  ExecutionSpace const space;
  Exposure const exposure(space, {100, 10}, 1);
  CHECK(white_point(space, exposure, 99.0) == 0.0);
  auto const mirror = Kokkos::create_mirror_view(exposure.light);
  for (std::size_t i = 0; i < 1000; ++i) mirror(i) = i < 500 ? 0 : 1000 * (i - 499);
  Kokkos::deep_copy(exposure.light, mirror);
  for (double const percent : {10.0, 50.0, 90.0, 100.0}) {
    CAPTURE(percent);
    double const exact = 5000.0 * percent;
    double const result = white_point(space, exposure, percent);
    CHECK(result >= exact);
    CHECK(result <= exact * (1.0 + 1.0 / 16.0));
  }
}

TEST_CASE("shrinking spheres find the dense part, far from the centre of mass" *
          testing::thread_counts) {
  auto bodies = cloud(20000, 0.1, {3.0, -2.0, 1.0});
  for (std::size_t i = 0; i < 9000; ++i)
    bodies.position[i] = 60.0 * (bodies.position[i] - Vec3<double>{2.0, 0.0, 0.0});
  ExecutionSpace const space;
  auto const device = to_device<double>(space, bodies);
  Vec3<double> const dense{3.0, -2.0, 1.0};
  auto const result = diagnostics::shrinking_sphere_centre(Context(space), device);
  CHECK(norm(result - dense) < 0.02);
  CHECK(norm(diagnostics::mass_centre(Context(space), device) - dense) > 1.0);
  CHECK(diagnostics::shrinking_sphere_centre(
            Context(space), to_device<double>(space, HostBodies(0))) == Vec3<double>{});
}
