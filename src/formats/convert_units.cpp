// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/formats/bodies_file.hpp>

#include <cmath>

namespace apsis::formats {

namespace {

/// Largest relative difference between units that a file states and units that replace them:
/// values of the solar mass and of the parsec in use differ by less.
constexpr double replaceable_difference = 0.01;

/// Units with six digits, for a note.
std::string short_si_text(Units::Si const& si) {
  return formatted("length %.6g m, mass %.6g kg, time %.6g s", si.length, si.mass, si.time);
}

bool are_replaceable(double stated, double replacement) {
  return std::abs(replacement / stated - 1.0) <= replaceable_difference;
}

}  // namespace

std::string si_text(Units::Si const& si) {
  return "length " + shortest(si.length) + " m, mass " + shortest(si.mass) + " kg, time " +
         shortest(si.time) + " s";
}

void convert_units(BodiesFile& file, Units::Si const& target) {
  APSIS_EXPECT(file.units, "a file that is converted states its units");
  auto const source = *file.units;
  double const length = source.length / target.length;
  double const velocity = length * (target.time / source.time);
  auto& bodies = file.bodies;
  for (auto& mass : bodies.mass) mass *= source.mass / target.mass;
  for (auto& position : bodies.position) position = length * position;
  for (auto& component : bodies.velocity) component = velocity * component;
  for (auto& radius : bodies.radius) radius *= length;
  file.time *= source.time / target.time;
  file.units = target;
  file.unit_system.clear();
}

bool state_units(BodiesFile& file, Units::Si const& units) {
  if (file.has_fixed_units) return false;
  if (file.units) {
    auto const& stated = *file.units;
    bool const is_same =
        stated.length == units.length && stated.mass == units.mass && stated.time == units.time;
    if (is_same) return true;
    if (!are_replaceable(stated.length, units.length) ||
        !are_replaceable(stated.mass, units.mass) || !are_replaceable(stated.time, units.time)) {
      return false;
    }
    file.notes.push_back("its units, " + short_si_text(stated) + ", are replaced by " +
                         short_si_text(units));
  }
  // Units in a comment or after a name need not be stated any more.
  std::erase_if(file.unused,
                [](std::string const& words) { return words.starts_with("the units of line"); });
  file.units = units;
  file.unit_system.clear();
  return true;
}

}  // namespace apsis::formats
