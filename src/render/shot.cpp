// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/text.hpp>
#include <apsis/render/colour.hpp>
#include <apsis/render/shot.hpp>

#include <algorithm>

namespace apsis::render {

namespace {

/// Words of a deck and what they mean, in the order of the enumerators.
std::vector<std::string> const lenses{"orthographic", "perspective"};
std::vector<std::string> const targets{"origin", "centre_of_mass", "density_centre", "body"};
std::vector<std::string> const colours{"density", "speed", "mass", "species", "id"};
std::vector<std::string> const weights{"bodies", "mass"};
std::vector<std::string> const stretches{"linear", "asinh", "log"};

template <class Enumeration>
Enumeration meant(std::vector<std::string> const& words, std::string const& word) {
  auto const found = std::find(words.begin(), words.end(), word);
  APSIS_EXPECT(found != words.end(), "the table of keys has no other words: " + word);
  return static_cast<Enumeration>(found - words.begin());
}

}  // namespace

std::vector<Parameter> shot_parameters() {
  constexpr std::int64_t largest_side = 32768;
  return {
      text("name", "what the files are called: NAME_000000.png").or_else(std::string("picture")),
      integer("width", "[pixels]").at_least(16).at_most(largest_side).or_else(std::int64_t{1920}),
      integer("height", "[pixels]").at_least(16).at_most(largest_side).or_else(std::int64_t{1080}),
      choice("lens", lenses, "parallel rays, or rays that meet in the eye")
          .or_else(std::string("orthographic")),
      vector3("from", "direction from what is followed to the eye")
          .or_else(Vec3<double>{0.0, 0.0, 1.0}),
      vector3("up", "direction that is up in the picture").or_else(Vec3<double>{0.0, 1.0, 0.0}),
      choice("follow", targets, "what is in the middle of the picture")
          .or_else(std::string("centre_of_mass")),
      integer("body", "id of the body that is followed").at_least(0),
      number("extent",
             "from the lower to the upper edge, at what is followed [length]; so that nearly all "
             "bodies are seen if it is not given")
          .above(0.0),
      number("field_of_view", "of a perspective lens, from edge to edge [degrees]")
          .above(0.0)
          .below(170.0)
          .or_else(40.0),
      number("orbit", "how far the eye goes around `up` in a unit of time [degrees]").or_else(0.0),
      number("zoom", "how many times nearer the eye is after a unit of time")
          .above(0.0)
          .or_else(1.0),
      choice("colour", colours, "what is shown: the density of light, or bodies by a property")
          .or_else(std::string("density")),
      choice("weight", weights, "what gives light: each body the same, or by its mass")
          .or_else(std::string("bodies")),
      choice("species", {species_types::names.begin(), species_types::names.end()},
             "these bodies are drawn alone"),
      choice("palette", palette_names(), "colours of density, speed and mass")
          .or_else(std::string("ember")),
      choice("stretch", stretches, "how light becomes brightness").or_else(std::string("asinh")),
      number("white", "percent of the lit pixels that are not brighter than white")
          .above(0.0)
          .at_most(100.0)
          .or_else(99.5),
      number("glow", "radius of a body that is alone, in heights of the picture")
          .above(0.0)
          .at_most(0.25)
          .or_else(0.008),
      integer("trail", "how many pictures back the way of each body is drawn")
          .at_least(0)
          .at_most(10000)
          .or_else(std::int64_t{0}),
      boolean("label", "whether title, time and a scale are written on it").or_else(true),
  };
}

Shot shot_of(Values const& values) {
  Shot shot;
  shot.name = values.text("name");
  shot.size = {static_cast<int>(values.integer("width")),
               static_cast<int>(values.integer("height"))};
  shot.lens = meant<Lens>(lenses, values.text("lens"));
  shot.from = values.vector3("from");
  shot.up = values.vector3("up");
  shot.follow = meant<Follow>(targets, values.text("follow"));
  if (values.has("body")) shot.body = static_cast<std::uint64_t>(values.integer("body"));
  if (shot.body) shot.follow = Follow::body;
  if (values.has("extent")) shot.extent = values.number("extent");
  shot.field_of_view = values.number("field_of_view");
  shot.orbit = values.number("orbit");
  shot.zoom = values.number("zoom");
  shot.colour = meant<ColourBy>(colours, values.text("colour"));
  shot.weight = meant<Weight>(weights, values.text("weight"));
  if (values.has("species")) {
    auto const& names = species_types::names;
    auto const found = std::find(names.begin(), names.end(), values.text("species"));
    shot.species = static_cast<std::uint8_t>(found - names.begin());
  }
  shot.palette = values.text("palette");
  shot.stretch = meant<Stretch>(stretches, values.text("stretch"));
  shot.white = values.number("white");
  shot.glow = values.number("glow");
  shot.trail = static_cast<int>(values.integer("trail"));
  shot.label = values.boolean("label");
  return shot;
}

std::vector<Problem> problems_of(Shot const& shot, std::uint64_t bodies) {
  auto const pictures = most_trail_points / std::max<std::uint64_t>(bodies, 1);
  if (static_cast<std::uint64_t>(shot.trail) <= pictures) return {};
  return {
      {"trail", "too many ways to draw", "of " + std::to_string(bodies) + " bodies",
       pictures > 0 ? "draw at most " + std::to_string(pictures) + " pictures back" : "draw none"}};
}

std::vector<Problem> problems_of(Shot const& shot) {
  std::vector<Problem> problems;
  bool const plain = !shot.name.empty() && shot.name.size() <= 64 &&
                     std::all_of(shot.name.begin(), shot.name.end(), [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '_' || c == '-';
                     });
  if (!plain) {
    problems.push_back({"name", "no name of a file", "it is '" + shortened(shot.name, 40) + "'",
                        "use up to 64 letters, digits, '_' and '-'"});
  }
  if (std::int64_t{shot.size.width} * shot.size.height > most_pixels) {
    problems.push_back({"width", "too many pixels",
                        std::to_string(std::int64_t{shot.size.width} * shot.size.height),
                        "have at most " + std::to_string(most_pixels) + " in a picture"});
  }
  if (shot.follow == Follow::body && !shot.body) {
    problems.push_back({"follow", "follows no body", "there is no 'body'", "give its id"});
  }
  auto const across = cross(shot.up, shot.from);
  double const least = 1e-6 * norm(shot.up) * norm(shot.from);
  if (!(norm(across) > least)) {
    problems.push_back({"up", "gives no direction in the picture",
                        "'from' and 'up' are not to be 0, nor along one line",
                        norm(cross({0.0, 0.0, 1.0}, shot.from)) > 0.0
                            ? "give another 'up', such as [0, 0, 1]"
                            : "give another 'up', such as [0, 1, 0]"});
  }
  return problems;
}

std::filesystem::path picture_path(std::filesystem::path const& directory, std::string const& name,
                                   std::size_t number) {
  return directory / (name + formatted("_%06zu.png", number));
}

}  // namespace apsis::render
