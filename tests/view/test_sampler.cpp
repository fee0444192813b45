// SPDX-License-Identifier: Apache-2.0
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include "view/sampler.hpp"
#include <apsis/bodies/transfer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

using namespace apsis;
using namespace apsis::testing;

namespace {

view::Frame take_frame(view::Sampler& sampler, HostBodies const& bodies, std::uint32_t most) {
  ExecutionSpace const space;
  return sampler.take(Context(space), to_device<double>(space, bodies), bodies.species, most);
}

/// Returns the body of a point, identified by its position; the number of bodies if there is none.
std::size_t body_at(view::Frame const& frame, view::Point const& point, HostBodies const& bodies) {
  double const quantum = 2.0 * frame.half / 65536.0;
  auto const close = [&](std::uint16_t coordinate, float centre, double x) {
    double const low = static_cast<double>(centre) - static_cast<double>(frame.half);
    return std::abs(low + (coordinate + 0.5) * quantum - x) <= 0.5001 * quantum;
  };
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const& x = bodies.position[i];
    if (close(point.x, frame.centre[0], x.x) && close(point.y, frame.centre[1], x.y) &&
        close(point.z, frame.centre[2], x.z)) {
      return i;
    }
  }
  return bodies.size();
}

bool is_outside(view::Point const& point) {
  return point.x == 65535 && point.y == 65535 && point.z == 65535;
}

}  // namespace

TEST_CASE("a frame has each body once, within 1/65536 of its box" * testing::thread_counts) {
  for (std::size_t const count : {1u, 2u, 3u, 255u, 1000u}) {
    CAPTURE(count);
    auto bodies = sample_bodies(count);
    bodies.species.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      bodies.species[i] = static_cast<std::uint8_t>(i % 6);
    }
    view::Sampler sampler;
    auto const frame = take_frame(sampler, bodies, 1000000);
    REQUIRE(frame.points.size() == count);
    CHECK(frame.bodies == count);
    double square = 0.0;
    for (auto const& v : bodies.velocity) square += dot(v, v);
    CHECK(frame.speed == approximately(std::sqrt(square / static_cast<double>(count))));
    std::set<std::size_t> bodies_seen;
    for (auto const& point : frame.points) {
      auto const i = body_at(frame, point, bodies);
      REQUIRE(i < count);
      bodies_seen.insert(i);
      CHECK(point.species == bodies.species[i]);
      double const speed = norm(bodies.velocity[i]) / frame.speed * 64.0;
      CHECK(std::abs(std::min(speed, 255.0) - point.speed) <= 1.0);
    }
    CHECK(bodies_seen.size() == count);
  }
}

TEST_CASE("frames of few bodies have their details in the order of the points") {
  for (std::size_t const count : {1u, 7u, 50u, 51u}) {
    CAPTURE(count);
    auto bodies = sample_bodies(count);
    for (std::size_t i = 0; i < count; ++i) bodies.id[i] = 1000 + 3 * i;
    view::Sampler sampler;
    auto const frame = take_frame(sampler, bodies, 1000);
    REQUIRE((frame.details != nullptr) == (count <= view::max_detailed_bodies));
    if (frame.details == nullptr) continue;
    REQUIRE(frame.details->size() == count);
    for (std::size_t j = 0; j < count; ++j) {
      auto const& body = (*frame.details)[j];
      auto const i = body_at(frame, frame.points[j], bodies);
      REQUIRE(i < count);
      CHECK(body.id == static_cast<double>(bodies.id[i]));
      CHECK(body.mass == bodies.mass[i]);
      CHECK(body.position[0] == bodies.position[i].x);
      CHECK(body.position[2] == bodies.position[i].z);
      CHECK(body.velocity[1] == bodies.velocity[i].y);
    }
  }
}

TEST_CASE("bodies without species are not gas") {
  auto bodies = sample_bodies(20);
  bodies.species.clear();
  view::Sampler sampler;
  auto const frame = take_frame(sampler, bodies, 100);
  for (auto const& point : frame.points) CHECK(point.species == view::no_species);
}

TEST_CASE("the unit of speed follows a system that speeds up, in small steps") {
  auto bodies = sample_bodies(100);
  view::Sampler sampler;
  float const first = take_frame(sampler, bodies, 100).speed;
  for (auto& v : bodies.velocity) v = 10.0 * v;
  float last = first;
  for (int frames = 0; frames < 400; ++frames) {
    float const now = take_frame(sampler, bodies, 100).speed;
    CHECK(now <= 1.7F * last);
    last = now;
  }
  CHECK(static_cast<double>(last) == approximately(10.0 * static_cast<double>(first), 0.01));
}

TEST_CASE("the first points are the same bodies in each frame and a fair sample" *
          testing::thread_counts) {
  auto bodies = sample_bodies(10000);
  // Sorted by distance: a sample of the first rows would contain only the centre.
  std::sort(bodies.position.begin(), bodies.position.end(),
            [](auto const& a, auto const& b) { return dot(a, a) < dot(b, b); });
  view::Sampler sampler;
  auto const all_bodies = take_frame(sampler, bodies, 10000);
  auto const some = take_frame(sampler, bodies, 100);
  REQUIRE(some.points.size() == 100);
  CHECK(some.bodies == 10000);
  CHECK(std::equal(some.points.begin(), some.points.end(), all_bodies.points.begin(),
                   [](view::Point const& a, view::Point const& b) {
                     return a.x == b.x && a.y == b.y && a.z == b.z && a.speed == b.speed;
                   }));
  for (std::uint32_t const n : {100u, 1000u}) {
    std::size_t inner = 0;
    for (auto const& point : all_bodies.points.first(n)) {
      auto const from_box = [&](std::uint16_t coordinate, float centre) {
        return centre + (coordinate / 32768.0 - 1.0) * static_cast<double>(all_bodies.half);
      };
      Vec3<double> const x{from_box(point.x, all_bodies.centre[0]),
                           from_box(point.y, all_bodies.centre[1]),
                           from_box(point.z, all_bodies.centre[2])};
      inner += dot(x, x) < dot(bodies.position[5000], bodies.position[5000]);
    }
    CHECK(static_cast<double>(inner) / n == approximately(0.5, 0.1));
  }
}

TEST_CASE("distant bodies are left out, so that the box stays small") {
  auto bodies = sample_bodies(1000);
  bodies.position[17] = {1e6, 0.0, 0.0};
  bodies.position[400] = {0.0, -1e30, 3.0};
  view::Sampler sampler;
  auto const frame = take_frame(sampler, bodies, 1000);
  CHECK(frame.half < 64.0F);
  CHECK(std::count_if(frame.points.begin(), frame.points.end(), is_outside) == 2);
  // A planetary system is shown completely.
  HostBodies planets(3);
  planets.position[2] = {1e4, 0.0, 0.0};
  sampler.reset();
  auto const few = take_frame(sampler, planets, 10);
  CHECK(few.half > 1e4F);
  CHECK(std::count_if(few.points.begin(), few.points.end(), is_outside) == 0);
}

TEST_CASE("the memory of frames is not overwritten; a frame without bodies is empty") {
  auto bodies = sample_bodies(100);
  view::Sampler sampler;
  auto const first = take_frame(sampler, bodies, 100);
  std::vector<view::Point> const copy(first.points.begin(), first.points.end());
  for (auto& x : bodies.position) x = x + Vec3<double>{0.25, 0.0, 0.0};
  for (int k = 0; k < 5; ++k) take_frame(sampler, bodies, 100);
  CHECK(std::equal(copy.begin(), copy.end(), first.points.begin(),
                   [](view::Point const& a, view::Point const& b) { return a.x == b.x; }));
  CHECK(take_frame(sampler, HostBodies(0), 100).points.empty());
}

TEST_CASE("bodies are interpolated by cubics between two snapshots") {
  // Circle with velocity 1: the error of the cubic is h^4 / 384 times the fourth derivative.
  ExecutionSpace const space;
  auto const on_circle = [&](double t) {
    HostBodies bodies(1);
    bodies.position[0] = {std::cos(t), std::sin(t), 0.0};
    bodies.velocity[0] = {-std::sin(t), std::cos(t), 0.0};
    return to_device<double>(space, bodies);
  };
  auto const error = [&](double h, double s) {
    auto const now = allocate_bodies<double>(space, 1);
    view::interpolate_bodies(space, on_circle(0.0), on_circle(h), h, s, now);
    auto const host = to_host(space, now);
    auto const x = host.position[0], v = host.velocity[0];
    CHECK(norm(v - Vec3<double>{-std::sin(s * h), std::cos(s * h), 0.0}) < h * h * h / 50.0);
    return norm(x - Vec3<double>{std::cos(s * h), std::sin(s * h), 0.0});
  };
  CHECK(error(0.2, 0.5) == approximately(0.2 * 0.2 * 0.2 * 0.2 / 384.0, 0.05));
  CHECK(error(0.4, 0.5) / error(0.2, 0.5) == approximately(16.0, 0.05));
  CHECK(error(0.4, 0.0) < 1e-15);
  CHECK(error(0.4, 1.0) < 1e-15);
}
