// SPDX-License-Identifier: Apache-2.0
#include "apsis/render/shot.hpp"

#include "render/image.hpp"
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/text.hpp>

#include <algorithm>

namespace apsis::render {

namespace {

/// Values of enumerated keys in a deck, in the order of the enumerators.
std::vector<std::string> const lenses{"orthographic", "perspective"};
std::vector<std::string> const targets{"origin", "centre_of_mass", "density_centre", "body"};
std::vector<std::string> const colours{"density", "speed", "mass", "species", "id"};
std::vector<std::string> const weights{"bodies", "mass"};
std::vector<std::string> const stretches{"linear", "asinh", "log"};

template <class Enumeration>
Enumeration enumerator(std::vector<std::string> const& words, std::string const& word) {
  auto const position = std::find(words.begin(), words.end(), word);
  APSIS_EXPECT(position != words.end(), "the table of keys has no other words: " + word);
  return static_cast<Enumeration>(position - words.begin());
}

}  // namespace

std::vector<Parameter> shot_parameters() {
  constexpr std::int64_t largest_side = 32768;
  return {
      text("name", "base name of the files: NAME_000000.png").with_default(std::string("picture")),
      integer("width", "width of the picture [pixels]")
          .at_least(16)
          .at_most(largest_side)
          .with_default(std::int64_t{1920}),
      integer("height", "height of the picture [pixels]")
          .at_least(16)
          .at_most(largest_side)
          .with_default(std::int64_t{1080}),
      choice("lens", lenses, "projection: parallel rays (orthographic) or perspective")
          .with_default(std::string("orthographic")),
      vector3("from", "direction from the target to the camera")
          .with_default(Vec3<double>{0.0, 0.0, 1.0}),
      vector3("up", "direction that points up in the picture")
          .with_default(Vec3<double>{0.0, 1.0, 0.0}),
      choice("follow", targets, "target of the camera, at the centre of the picture")
          .with_default(std::string("centre_of_mass")),
      integer("body", "id of the body to follow (implies follow = body)").at_least(0),
      number("extent",
             "height of the picture at the target [length]; if not given, chosen so that nearly "
             "all bodies are visible")
          .above(0.0),
      number("field_of_view", "vertical opening angle of a perspective lens [degrees]")
          .above(0.0)
          .below(170.0)
          .with_default(40.0),
      number("orbit", "rotation of the camera about `up` per unit of time [degrees]")
          .with_default(0.0),
      number("zoom", "magnification factor per unit of time").above(0.0).with_default(1.0),
      choice("colour", colours,
             "quantity shown by colour: surface density, or a property of each body")
          .with_default(std::string("density")),
      choice("weight", weights, "light of a body: equal for all bodies, or proportional to mass")
          .with_default(std::string("bodies")),
      choice("species", {species_types::names.begin(), species_types::names.end()},
             "draw only bodies of this species"),
      choice("palette", palette_names(), "colour map of density, speed and mass")
          .with_default(std::string("ember")),
      choice("stretch", stretches, "mapping of light to brightness")
          .with_default(std::string("asinh")),
      number("white", "percentage of lit pixels that are at most as bright as white")
          .above(0.0)
          .at_most(100.0)
          .with_default(99.5),
      number("glow", "radius of an isolated body, relative to the height of the picture")
          .above(0.0)
          .at_most(0.25)
          .with_default(0.008),
      integer("trail", "draw the path of each body over this many previous pictures")
          .at_least(0)
          .at_most(10000)
          .with_default(std::int64_t{0}),
      boolean("label", "write title, time, a scale bar and the range of colours on the picture")
          .with_default(true),
  };
}

Shot shot_of(Values const& values) {
  Shot shot;
  shot.name = values.text("name");
  shot.size = {static_cast<int>(values.integer("width")),
               static_cast<int>(values.integer("height"))};
  shot.lens = enumerator<Lens>(lenses, values.text("lens"));
  shot.eye_direction = values.vector3("from");
  shot.up = values.vector3("up");
  shot.follow = enumerator<Follow>(targets, values.text("follow"));
  if (values.has("body")) shot.body = static_cast<std::uint64_t>(values.integer("body"));
  if (shot.body) shot.follow = Follow::body;
  if (values.has("extent")) shot.extent = values.number("extent");
  shot.field_of_view = values.number("field_of_view");
  shot.orbit = values.number("orbit");
  shot.zoom = values.number("zoom");
  shot.colour = enumerator<ColourBy>(colours, values.text("colour"));
  shot.weight = enumerator<Weight>(weights, values.text("weight"));
  if (values.has("species")) {
    auto const& names = species_types::names;
    auto const position = std::find(names.begin(), names.end(), values.text("species"));
    shot.species = static_cast<std::uint8_t>(position - names.begin());
  }
  shot.palette = values.text("palette");
  shot.stretch = enumerator<Stretch>(stretches, values.text("stretch"));
  shot.white = values.number("white");
  shot.glow = values.number("glow");
  shot.trail = static_cast<int>(values.integer("trail"));
  shot.label = values.boolean("label");
  return shot;
}

int states_per_picture(Shot const& shot, std::uint64_t bodies) {
  constexpr std::uint64_t few = 1024;
  if (shot.trail == 0 || bodies > few) return 1;
  auto const trails = std::max<std::uint64_t>(bodies, 1) * static_cast<std::uint64_t>(shot.trail);
  auto const affordable =
      std::min<std::uint64_t>(most_trail_points / trails, most_states_per_picture);
  return std::max(1, static_cast<int>(affordable));
}

std::vector<Problem> problems_of(Shot const& shot, std::uint64_t bodies) {
  auto const pictures = most_trail_points / std::max<std::uint64_t>(bodies, 1);
  if (static_cast<std::uint64_t>(shot.trail) <= pictures) return {};
  return {{"trail", "too many trails", "there are " + std::to_string(bodies) + " bodies",
           pictures > 0 ? "give at most " + std::to_string(pictures) : "give 0"}};
}

std::vector<Problem> problems_of(Shot const& shot) {
  std::vector<Problem> problems;
  bool const plain = !shot.name.empty() && shot.name.size() <= 64 &&
                     std::all_of(shot.name.begin(), shot.name.end(), [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '_' || c == '-';
                     });
  if (!plain) {
    problems.push_back({"name", "not a valid file name", "found '" + shortened(shot.name, 40) + "'",
                        "use up to 64 letters, digits, '_' and '-'"});
  }
  if (std::int64_t{shot.size.width} * shot.size.height > max_pixels) {
    problems.push_back({"width", "too many pixels",
                        std::to_string(std::int64_t{shot.size.width} * shot.size.height),
                        "use at most " + std::to_string(max_pixels) + " pixels"});
  }
  if (shot.follow == Follow::body && !shot.body) {
    problems.push_back({"follow", "needs 'body'", "no 'body' is given", "give the id of a body"});
  }
  auto const across = cross(shot.up, shot.eye_direction);
  double const least = 1e-6 * norm(shot.up) * norm(shot.eye_direction);
  if (!(norm(across) > least)) {
    problems.push_back({"up", "gives no direction in the picture",
                        "'from' and 'up' must be neither zero nor parallel",
                        norm(cross({0.0, 0.0, 1.0}, shot.eye_direction)) > 0.0
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
