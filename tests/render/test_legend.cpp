// SPDX-License-Identifier: Apache-2.0
#include "render/photographer.hpp"
#include <apsis/bodies/transfer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

using namespace apsis;
using namespace apsis::render;

namespace {

/// Bodies on a line with the ids 0 ... count - 1.
HostBodies bodies_on_line(std::size_t count) {
  HostBodies bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    bodies.mass[i] = 1.0;
    bodies.position[i] = {static_cast<double>(i), 0.0, 0.0};
  }
  return bodies;
}

Legend legend_of(HostBodies const& bodies, ColourBy colour,
                 std::optional<std::uint8_t> species = {}) {
  Shot shot;
  shot.size = {64, 48};
  shot.colour = colour;
  shot.species = species;
  Photographer photographer(shot);
  Context const context{ExecutionSpace()};
  photographer.take(context, to_device<double>(context.space, bodies), bodies.species, 0.0,
                    bodies.name);
  return photographer.legend();
}

std::string texts_of(Legend const& legend) {
  std::string texts;
  for (auto const& entry : legend.entries) texts += (texts.empty() ? "" : ", ") + entry.text;
  return texts;
}

/// Number of pixels of a colour, and the rows and columns where they are.
struct Patch {
  int pixels = 0, left = 1 << 20, top = 1 << 20, bottom = -1;
};

Patch patch_of(Image image, Pixel const& colour) {
  Patch patch;
  for (int y = 0; y < image.size.height; ++y) {
    for (int x = 0; x < image.size.width; ++x) {
      if (image.pixel(x, y) != colour) continue;
      ++patch.pixels;
      patch.left = std::min(patch.left, x);
      patch.top = std::min(patch.top, y);
      patch.bottom = std::max(patch.bottom, y);
    }
  }
  return patch;
}

}  // namespace

TEST_CASE("pictures by species have the species that are drawn as their legend") {
  auto bodies = bodies_on_line(4);
  CHECK(texts_of(legend_of(bodies, ColourBy::species)) == "dark");
  bodies.species = {species_types::stars, species_types::gas, species_types::stars,
                    species_types::disk};
  auto const legend = legend_of(bodies, ColourBy::species);
  CHECK(texts_of(legend) == "gas, disk, stars");
  CHECK(legend.quantity.empty());
  CHECK(legend.entries[2].colour == kinds[species_types::stars]);
  CHECK(texts_of(legend_of(bodies, ColourBy::species, species_types::disk)) == "disk");
  CHECK(legend_of(bodies, ColourBy::speed).entries.empty());
  CHECK(legend_of(bodies, ColourBy::density).entries.empty());
}

TEST_CASE("pictures by id name few bodies, and show which colour belongs to which ids of many") {
  auto bodies = bodies_on_line(9);
  bodies.name = {"Sun", "Mercury", "", "", "", "", "", "", "Neptune"};
  auto const few = legend_of(bodies, ColourBy::id);
  CHECK(texts_of(few) == "Sun, Mercury, body 2, body 3, body 4, body 5, body 6, body 7, Neptune");
  CHECK(few.entries[1].colour == id_colours[1]);
  CHECK(few.entries[8].colour == id_colours[0]);
  bodies.species.assign(9, species_types::dark);
  bodies.species[1] = species_types::stars;
  CHECK(texts_of(legend_of(bodies, ColourBy::id, species_types::stars)) == "Mercury");
  auto const many = legend_of(bodies_on_line(13), ColourBy::id);
  CHECK(texts_of(many) == "0, 1, 2, 3, 4, 5, 6, 7");
  CHECK(many.quantity == "id modulo 8");
}

TEST_CASE("a legend is a list at the top right, of as many names as fit above the scale") {
  Lettering lettering;
  Caption caption;
  caption.camera.extent = 2.0;
  for (std::uint8_t k = 0; k < 12; ++k) {
    caption.legend.entries.push_back({{10, static_cast<std::uint8_t>(100 + k), 20}, "name"});
  }
  Image large({640, 480});
  write_caption(large, lettering, caption);
  for (auto const& entry : caption.legend.entries) {
    auto const patch = patch_of(large, entry.colour);
    CHECK(patch.pixels >= 36);
    CHECK(patch.left > 480);
    CHECK(patch.bottom < 400);
  }
  Image small({200, 150});
  write_caption(small, lettering, caption);
  int drawn = 0;
  for (auto const& entry : caption.legend.entries) {
    auto const patch = patch_of(small, entry.colour);
    drawn += patch.pixels > 0 ? 1 : 0;
    CHECK(patch.bottom < 110);
  }
  CHECK(drawn > 2);
  CHECK(drawn < 12);
  // A title that reaches so far is above the list.
  caption.title = std::string(40, 'W');
  Image titled({640, 480});
  write_caption(titled, lettering, caption);
  auto const first = caption.legend.entries.front().colour;
  CHECK(patch_of(titled, first).top > patch_of(large, first).top + 10);
  caption.title = "";
  // A long name is cut, so that the list stays in the right part of the picture.
  caption.legend.entries.resize(1);
  caption.legend.entries[0].text = std::string(200, 'W');
  Image cut({640, 480});
  write_caption(cut, lettering, caption);
  CHECK(patch_of(cut, caption.legend.entries[0].colour).left > 640 * 2 / 3);
}

TEST_CASE("a legend of a quantity is a bar of all its colours") {
  Lettering lettering;
  Caption caption;
  caption.camera.extent = 2.0;
  caption.legend.quantity = "id modulo 8";
  for (std::size_t k = 0; k < id_colours.size(); ++k) {
    caption.legend.entries.push_back({id_colours[k], std::to_string(k)});
  }
  Image image({640, 480});
  write_caption(image, lettering, caption);
  auto const first = patch_of(image, id_colours[0]);
  for (auto const& colour : id_colours) {
    // The edges of letters may have one of these colours too.
    CHECK(std::abs(patch_of(image, colour).pixels - first.pixels) < 8);
    CHECK(patch_of(image, colour).top == first.top);
  }
  CHECK(first.pixels >= 16 * 6);
}
