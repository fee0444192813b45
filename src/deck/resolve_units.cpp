// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"
#include <apsis/core/text.hpp>

#include <cmath>

namespace apsis::deck {

namespace {

/// Largest accepted relative difference between the G of a deck and that of its units. It admits
/// values rounded to six digits (5e-6), but not different conventions: Gaussian, tropical and
/// Julian years differ by 4e-5 in G, the CODATA values of 2014 and 2018 by 3e-5.
constexpr double accepted_difference = 1e-5;

Parameter unit(std::string_view name, std::string_view doc, Dimension dimension) {
  return number(name, doc).above(0.0).or_quantity(dimension);
}

}  // namespace

Form custom_units_form() {
  return {
      "length",
      "",
      "custom units, as SI values or by name: \"kpc\", \"1e10 Msun\", \"km/s\"",
      {unit("length", "unit of length [m]", dimension::length).needed(),
       unit("mass", "unit of mass [kg]", dimension::mass).needed(),
       unit("time", "unit of time [s]", dimension::time),
       unit("velocity", "unit of velocity [m/s], instead of a unit of time", dimension::velocity)},
      false,
      {"time", "velocity"}};
}

Units units_of(Values const& values) {
  if (values.has("system")) return unit_systems().get(values.text("system"));
  double const length = values.number("length");
  return custom_units(
      {length, values.number("mass"),
       values.has("time") ? values.number("time") : length / values.number("velocity")});
}

std::string title_of(Units const& units) {
  return units.system == "custom" ? "these units" : "'" + units.system + "' units";
}

std::optional<Units> resolve_units(Deck& deck, DeckProblems& problems) {
  if (problems.is_reported("units")) return std::nullopt;
  auto& gravity = deck.sections["gravity"];
  bool const has_G = gravity.has("G");
  if (!deck.has("units")) {
    bool const other = has_G && gravity.number("G") != 1.0;
    deck.sections["units"].set("system", std::string(other ? "dimensionless" : "henon"));
  }
  auto units = units_of(deck.sections["units"]);
  if (!std::isnormal(units.G)) {
    problems.add("units", "out of range", "G in these units would be " + shortest(units.G),
                 "give length in metres, mass in kilograms and time in seconds");
    return std::nullopt;
  }
  if (has_G && units.system != "dimensionless") {
    double const G = gravity.number("G");
    double const allowed = units.si ? accepted_difference : 0.0;
    if (!(std::abs(G / units.G - 1.0) <= allowed)) {
      std::string const alternative = units.si ? "" : " or set units.system to 'dimensionless'";
      problems.add(
          "gravity.G", "contradicts units",
          "the deck has " + shortest(G) + ", " + title_of(units) + " have " + shortest(units.G),
          "leave gravity.G out" + alternative);
    }
  }
  if (has_G) units.G = gravity.number("G");
  gravity.set("G", units.G);
  return units;
}

void check_units(std::string const& where, initial_conditions::ModelEntry const& model,
                 Units const& units, DeckProblems& problems) {
  if (model.units.empty() || model.units == units.system) return;
  auto const& model_units = unit_systems().get(model.units);
  problems.add(where + ".generator", "contradicts units",
               "'" + model.name + "' makes bodies in " + model_units.length + ", " +
                   model_units.mass + " and " + model_units.time + ", the deck has " +
                   title_of(units),
               "set units.system to '" + model.units + "', and leave gravity.G out");
}

}  // namespace apsis::deck
