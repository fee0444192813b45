// SPDX-License-Identifier: Apache-2.0
#include "render/photographer.hpp"
#include "support/png.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/bodies/transfer.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace apsis;
using namespace apsis::render;

namespace {

std::filesystem::path const golden = APSIS_TEST_GOLDEN;

/// Two spiral arms around a bright centre, without random numbers.
HostBodies spiral() {
  HostBodies bodies(4000);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const k = static_cast<double>(i / 2);
    double const r = 0.0005 * k;
    double const angle = 6.0 * std::sqrt(r) + 3.14159265358979 * static_cast<double>(i % 2);
    double const off = 0.12 * r * std::sin(12.9898 * k), up = 0.05 * std::sin(78.233 * k);
    bodies.mass[i] = 1.0 / 4000.0;
    bodies.position[i] = {r * std::cos(angle) + off, r * std::sin(angle) - off, up};
    bodies.velocity[i] = {-r * std::sin(angle), r * std::cos(angle), 0.0};
  }
  return bodies;
}

Image picture() {
  Shot shot;
  shot.size = {320, 240};
  shot.lens = Lens::perspective;
  shot.eye_direction = {0.3, -1.0, 0.8};
  shot.up = {0.0, 0.0, 1.0};
  shot.colour = ColourBy::speed;
  shot.extent = 2.2;
  Photographer photographer(shot);
  auto const host = spiral();
  ExecutionSpace const space;
  return photographer.take(Context(space), to_device<double>(space, host), {}, 1.5);
}

}  // namespace

TEST_CASE("a picture agrees with the reference picture within a tolerance") {
  std::ifstream file(golden, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  auto const now = picture();
  if (auto const* const output_path = std::getenv("APSIS_WRITE_GOLDEN")) {
    std::ofstream(output_path, std::ios::binary) << png_of(now, {});
  }
  auto const was = testing::decoded(bytes.str());
  REQUIRE(now.size.width == was.size.width);
  REQUIRE(now.size.height == was.size.height);
  // The last digit of a colour differs between compilers.
  int other = 0;
  double sum = 0.0;
  for (std::size_t i = 0; i < now.pixels.size(); ++i) {
    int most = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      most = std::max(most, std::abs(int{now.pixels[i][c]} - int{was.pixels[i][c]}));
    }
    other += most > 8 ? 1 : 0;
    sum += most;
  }
  auto const pixels = static_cast<double>(now.pixels.size());
  CHECK(other < 0.001 * pixels);
  CHECK(sum < 0.05 * pixels);
}
