// SPDX-License-Identifier: Apache-2.0
#include "render/caption.hpp"
#include "render/image.hpp"
#include "support/png.hpp"
#include "support/relative.hpp"
#include <apsis/core/error.hpp>
#include <apsis/render/shot.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace apsis;
using namespace apsis::render;
using apsis::testing::approximately;

namespace {

int ink_in(Image const& image) {
  return static_cast<int>(std::count_if(image.pixels.begin(), image.pixels.end(),
                                        [](Pixel const& p) { return p != Pixel{}; }));
}

}  // namespace

TEST_CASE(
    "a camera sees its target at the centre, and objects at twice the distance half as large") {
  Camera camera;
  camera.target = {1.0, 2.0, 3.0};
  camera.eye_direction = {5.0, 0.0, 0.0};
  camera.up = {0.0, 0.0, 2.0};
  camera.extent = 4.0;
  Size const size{200, 100};
  for (auto const lens : {Lens::orthographic, Lens::perspective}) {
    camera.lens = lens;
    auto const see = projection(camera, size);
    auto const middle = see(camera.target);
    CHECK(middle.x == approximately(100.0));
    CHECK(middle.y == approximately(50.0));
    // For an eye that looks along -x, with z up, y is to the right.
    auto const right = see(camera.target + Vec3<double>{0.0, 1.0, 0.0});
    CHECK(right.x == approximately(125.0));
    auto const top = see(camera.target + Vec3<double>{0.0, 0.0, 2.0});
    CHECK(std::abs(top.y) < 1e-12);
    double const away = lens == Lens::perspective ? see.distance : 10.0;
    auto const behind = see(camera.target + Vec3<double>{-away, 1.0, 0.0});
    CHECK(behind.x == approximately(lens == Lens::perspective ? 112.5 : 125.0));
    CHECK(behind.ahead);
  }
  auto const see = projection(camera, size);
  CHECK_FALSE(see(camera.target + Vec3<double>{see.distance + 1.0, 0.0, 0.0}).ahead);
  auto const round = rotate({1.0, 0.0, 0.5}, {0.0, 0.0, 3.0}, 90.0);
  CHECK(norm(round - Vec3<double>{0.0, 1.0, 0.5}) < 1e-15);
  camera.up = camera.eye_direction;
  CHECK_THROWS_AS(projection(camera, size), Error);
}

TEST_CASE("a PNG has the pixels and the notes, and equal pictures give equal files") {
  Image image({37, 11});
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(3 * i),
                       static_cast<std::uint8_t>(255 - i)};
  }
  Notes const notes{{"Title", "Kugel \u00fc \u2299"}, {"apsis:deck", std::string(100000, '{')}};
  auto const bytes = png_of(image, notes);
  CHECK(bytes == png_of(image, notes));
  auto const back = testing::decoded(bytes);
  CHECK(back.pixels == image.pixels);
  CHECK(back.size.width == 37);
  CHECK(bytes.find("iTXtTitle") != std::string::npos);
  CHECK(bytes.size() < 10000);  // notes are compressed
}

TEST_CASE("text is written in any UTF-8, and clipped at the edges") {
  Lettering lettering;
  using Anchor = Lettering::Anchor;
  Image image({200, 40});
  lettering.write(image, "t = 1.5 Myr", 10, 30, 16, Anchor::left, {255, 255, 255});
  int const ink = ink_in(image);
  CHECK(ink > 100);
  CHECK(lettering.width_of("t = 1.5 Myr", 32) > 1.8 * lettering.width_of("t = 1.5 Myr", 16));
  Image again({200, 40});
  lettering.write(again, "t = 1.5 Myr", 10, 30, 16, Anchor::left, {255, 255, 255});
  CHECK(again.pixels == image.pixels);
  for (std::string const odd : {"", "\xff\xfe", "\xc3", "\xe2\x82", "\xf0\x9f\x9a\x80",
                                "M\u2299 \u03b5 \u0416", "\xed\xa0\x80"}) {
    Image other({60, 20});
    lettering.write(other, odd + "|", 5, 15, 12, Anchor::left, {9, 9, 9});
    CHECK(ink_in(other) > 0);
  }
  Image small({4, 4});
  lettering.write(small, "a long line that leaves the picture", -50, 60, 90, Anchor::middle,
                  {1, 1, 1});
}

TEST_CASE("a caption has the time in its unit and a scale of a round length") {
  Lettering lettering;
  Caption caption;
  caption.units = *unit_systems().find("solar");
  caption.time = 12.5;
  caption.title = "Planets";
  for (double const extent : {1e-12, 0.3, 70.0, 5e9}) {
    CAPTURE(extent);
    Image image({400, 300});
    caption.camera.extent = extent;
    write_caption(image, lettering, caption);
    CHECK(ink_in(image) > 300);
    // The scale bar: the longest row of ink near the lower edge, 1, 2 or 5 times a power of ten
    // long.
    int longest = 0;
    for (int y = 270; y < 300; ++y) {
      int run = 0;
      for (int x = 0; x < 400; ++x) {
        run = image.pixel(x, y) != Pixel{} ? run + 1 : 0;
        longest = std::max(longest, run);
      }
    }
    double const length = longest * extent / 300.0;
    double const digits = length / std::pow(10.0, std::floor(std::log10(length * 1.03)));
    double const round = digits > 3.3 ? 5.0 : digits > 1.4 ? 2.0 : 1.0;
    CHECK(digits == approximately(round, 0.04));
    CHECK(longest > 25);
    CHECK(longest < 80);
  }
}

TEST_CASE("errors of a series of pictures name their key") {
  Shot shot;
  CHECK(problems_of(shot).empty());
  shot.name = "../etc";
  shot.size = {32768, 32768};
  shot.up = {0.0, 0.0, -1.0};
  auto const problems = problems_of(shot);
  REQUIRE(problems.size() == 3);
  CHECK(problems[0].where == "name");
  CHECK(problems[1].where == "width");
  CHECK(problems[2].where == "up");
  CHECK(shot_of(defaults(shot_parameters())).palette == "ember");
}
