// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>
#include <apsis/core/vec3.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace apsis::render {

/// Size of a picture [pixels].
struct Size {
  int width = 1920, height = 1080;

  int pixels() const { return width * height; }
};

enum class Lens { orthographic, perspective };

/// Quantity shown by colours: the density of light, or a property of each body.
enum class ColourBy { density, speed, mass, species, id };

/// Amount of light per body: equal for all bodies, or proportional to mass.
enum class Weight { bodies, mass };

/// Mapping of light to brightness: linear; or compressed so that faint and bright regions are
/// visible together, asinh(30 x) / asinh(30) (Lupton et al. 2004, PASP 116, 133) or log(1 + 1000 x)
/// / log(1001).
enum class Stretch { linear, asinh, log };

/// Point that the camera follows.
enum class Follow { origin, centre_of_mass, density_centre, body };

/// Settings of a series of pictures, as given in a deck or on a command line.
struct Shot {
  std::string name = "picture";  ///< file name without number and extension
  Size size;
  Lens lens = Lens::orthographic;
  Vec3<double> eye_direction{0.0, 0.0, 1.0}, up{0.0, 1.0, 0.0};
  Follow follow = Follow::centre_of_mass;
  std::optional<std::uint64_t> body{};  ///< id of the body that is followed
  std::optional<double>
      extent{};  ///< height of the picture at the target [length]; automatic if empty
  double field_of_view = 40.0;  ///< [degrees]
  double orbit = 0.0;           ///< rotation of the eye about `up` [degrees / time]
  double zoom = 1.0;            ///< factor by which the extent shrinks per unit of time
  ColourBy colour = ColourBy::density;
  Weight weight = Weight::bodies;
  std::optional<std::uint8_t> species{};  ///< species that is drawn; empty: all species
  std::string palette = "ember";
  Stretch stretch = Stretch::asinh;
  double white = 99.5;  ///< percent of the lit pixels that are at most as bright as white
  double glow = 0.008;  ///< radius of an isolated body, relative to the height of the picture
  int trail = 0;        ///< number of previous pictures over which trails reach back
  bool label = true;
};

/// Returns the keys of a series of pictures in a deck, except its interval.
std::vector<Parameter> shot_parameters();

/// Converts values that were read against these parameters.
Shot shot_of(Values const& values);

/// Returns the problems that the table of keys cannot detect: the key and what is wrong.
std::vector<Problem> problems_of(Shot const& shot);
/// Returns the problems of the trails, which need memory for each body.
std::vector<Problem> problems_of(Shot const& shot, std::uint64_t bodies);

/// Returns the path of a picture of a series.
std::filesystem::path picture_path(std::filesystem::path const& directory, std::string const& name,
                                   std::size_t number);

/// Greatest number of states between two pictures that a trail passes through. A body that goes
/// round twice between two pictures has eight in each revolution: a cubic misses a circle by 0.1 %
/// of its radius.
inline constexpr int most_states_per_picture = 16;
/// Returns the number of states that a trail passes through from one picture to the next: as many
/// as memory allows for up to 1024 bodies, otherwise those of the pictures alone.
int states_per_picture(Shot const& shot, std::uint64_t bodies);

/// Limits of memory: pixels of a picture, and bodies times pictures of trails.
inline constexpr std::int64_t max_pixels = std::int64_t{1} << 27;
inline constexpr std::size_t most_trail_points = std::size_t{1} << 22;

}  // namespace apsis::render
