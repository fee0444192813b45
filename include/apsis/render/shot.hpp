// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>
#include <apsis/render/camera.hpp>
#include <apsis/render/look.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace apsis::render {

/// What a camera follows.
enum class Follow { origin, centre_of_mass, density_centre, body };

/// A series of pictures as a deck or a command line asks for it.
struct Shot {
  std::string name = "picture";  ///< of its files
  Size size;
  Lens lens = Lens::orthographic;
  Vec3<double> from{0.0, 0.0, 1.0}, up{0.0, 1.0, 0.0};
  Follow follow = Follow::centre_of_mass;
  std::optional<std::uint64_t> body{};  ///< id of the one that is followed
  std::optional<double> extent{};  ///< height of what is seen [length]; found if it is not given
  double field_of_view = 40.0;     ///< [degrees]
  double orbit = 0.0;              ///< about `up` [degrees / time]
  double zoom = 1.0;               ///< how many times nearer after a unit of time
  ColourBy colour = ColourBy::density;
  Weight weight = Weight::bodies;
  std::optional<std::uint8_t> species{};  ///< drawn alone
  std::string palette = "ember";
  Stretch stretch = Stretch::asinh;
  double white = 99.5;  ///< percent of lit pixels that are not brighter than white
  double glow = 0.008;  ///< radius of a body that is alone, over the height of the picture
  int trail = 0;        ///< pictures that a body's way is drawn back over
  bool label = true;
};

/// The keys that such a series has in a deck, but for its interval.
std::vector<Parameter> shot_parameters();

/// A series of values that were read against these parameters.
Shot shot_of(Values const& values);

/// What is wrong with a series beyond what the table of its keys says: where (a key) and what.
std::vector<Problem> problems_of(Shot const& shot);
/// The same of its trails, which are kept of each body.
std::vector<Problem> problems_of(Shot const& shot, std::uint64_t bodies);

/// The path of a picture of a series.
std::filesystem::path picture_path(std::filesystem::path const& directory, std::string const& name,
                                   std::size_t number);

/// A limit of memory and sense: pixels of a picture, and bodies times pictures of trails.
inline constexpr std::int64_t most_pixels = std::int64_t{1} << 27;
inline constexpr std::size_t most_trail_points = std::size_t{1} << 22;

}  // namespace apsis::render
