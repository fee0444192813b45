// SPDX-License-Identifier: Apache-2.0
#include "columns.hpp"
#include "formats/text_bodies.hpp"
#include "formats/units_text.hpp"
#include <apsis/core/text.hpp>

namespace apsis::formats {

std::string write_text_bodies(BodiesFile const& file, TextOptions const& options,
                              std::vector<std::string>& lost) {
  auto const& bodies = file.bodies;
  char const separator = options.csv ? ',' : ' ';
  std::string text;
  if (options.ids) text += std::string(id_column) + separator;
  bool const has_radii = !bodies.radius.empty();
  for (auto const name : text_columns) {
    text += name;
    if (name != text_columns.back()) text += separator;
  }
  if (has_radii) text += separator + std::string(radius_column);
  text += '\n';
  if (!options.csv) text.insert(0, "# ");  // other codes do not read a line of names
  if (auto const units = units_text(file); !units.empty()) {
    text.insert(0, "# " + std::string(units_mark) + " " + units + "\n");
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const [x, y, z] = bodies.position[i];
    auto const [vx, vy, vz] = bodies.velocity[i];
    if (options.ids) text += std::to_string(bodies.id[i]) + separator;
    text += shortest(bodies.mass[i]);
    for (double const value : {x, y, z, vx, vy, vz}) {
      text += separator;
      text += shortest(value);
    }
    if (has_radii) text += separator + shortest(bodies.radius[i]);
    text += '\n';
  }
  if (file.time != 0.0) lost.push_back("the time, " + shortest(file.time) + ", is left out");
  if (!bodies.species.empty()) lost.push_back("species are left out");
  if (!bodies.name.empty()) lost.push_back("names are left out");
  if (file.has_ids && !options.ids) lost.push_back("ids are left out");
  return text;
}

}  // namespace apsis::formats
