// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>

namespace apsis::driver {

namespace {

/// Whether enough of a model is known to say how many bodies it makes.
bool countable(initial_conditions::ModelEntry const& model, Values const& values) {
  return std::all_of(
      model.parameters.begin(), model.parameters.end(), [&](Parameter const& parameter) {
        bool const has_default = !std::holds_alternative<std::monostate>(parameter.fallback);
        bool const expected = parameter.required || parameter.always || has_default;
        return !expected || values.has(parameter.name);
      });
}

std::vector<Vec3<double>> places_of(std::vector<Values> const& list) {
  std::vector<Vec3<double>> places;
  for (auto const& body : list) places.push_back(body.vector3("position"));
  return places;
}

/// Bodies in one place are an error without softening; the first few are named.
void check_places(std::vector<Vec3<double>> places, std::string const& name, Precision precision,
                  DeckProblems& problems) {
  bool const single = precision == Precision::single_precision;
  if (single) {  // what differs in double may coincide as the run will see it
    for (auto& p : places) {
      p = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
    }
  }
  auto const at = [&](std::size_t i) { return name + "[" + std::to_string(i) + "]"; };
  // Closer than this the square of their distance vanishes, and with it their force.
  double const least = single ? 1e-18 : 1e-150;
  for (auto const& [first, second] : bodies_in_one_place(places, least, 20)) {
    problems.add(at(second), "in the same place as " + at(first),
                 "without softening their force has no direction and their energy is infinite",
                 "move one of them or set gravity.softening");
  }
}

void check_henon_units(std::uint64_t bodies, Units const& units, GravityChoice const& gravity,
                       DeckProblems& problems) {
  if (units.si) {
    problems.add("bodies.henon_units", "contradicts units",
                 "Henon units have no lengths in metres, the deck has units in SI",
                 "set units.system to 'henon' or bodies.henon_units to false");
  } else if (gravity.gravity.G != 1.0) {
    problems.add("bodies.henon_units", "contradicts gravity.G",
                 "Henon units have G = 1, the deck has " + shortest(gravity.gravity.G),
                 "set gravity.G to 1 or bodies.henon_units to false");
  }
  if (bodies < 2) {
    problems.add("bodies.henon_units", "needs two bodies or more",
                 "the potential energy of fewer is 0", "set bodies.henon_units to false");
  }
  if (gravity.gravity.softening >= 0.5) {
    problems.add("gravity.softening", "too large for Henon units",
                 "bodies closer than the softening cannot reach W = -1/2",
                 "set less than 0.5 or bodies.henon_units to false");
  }
}

}  // namespace

ResolvedBodies resolve_bodies(Values& bodies, BodiesFiles files, std::optional<Units> const& units,
                              GravityChoice const& gravity, DeckProblems& problems) {
  ResolvedBodies resolved;
  auto& choice = resolved.choice;
  bool const is_list = bodies.has("list");
  bool const is_file = bodies.has("file");
  choice.model = is_list   ? &initial_conditions::listed()
                 : is_file ? &file_model()
                           : entry_named(initial_conditions::models(), bodies, "generator");
  if (is_file) {
    choice.file = read_file(bodies, files, problems);
    if (choice.file == nullptr) return resolved;
    choice.known_count = choice.file->bodies.size();
    if (units) check_file_units(*choice.file, *units, problems);
  }
  choice.model_values = bodies;
  if (choice.model == nullptr) return resolved;
  auto const& model = *choice.model;
  if (units) check_units(model, *units, problems);
  if (!countable(model, bodies)) return resolved;
  resolved.count = choice.bodies();
  resolved.counted_by = is_list               ? "bodies.list"
                        : is_file             ? "bodies.file"
                        : bodies.has("count") ? "bodies.count"
                                              : "bodies";
  if (units && model.parts != nullptr) {
    for (auto const* part : model.parts(bodies)) check_units(*part, *units, problems);
  }
  if (model.check != nullptr) {
    auto const found = model.check(bodies);
    for (auto const& each : found) {
      problems.add("bodies." + each.where, each.problem, each.why, each.advice);
    }
    if (!found.empty()) return resolved;
  }
  if ((is_list || is_file) && !(gravity.gravity.softening > 0.0)) {
    check_places(is_list ? places_of(bodies.records("list")) : choice.file->bodies.position,
                 resolved.counted_by, gravity.precision, problems);
  }
  choice.henon_units = bodies.has("henon_units") && bodies.boolean("henon_units");
  if (choice.henon_units) {
    check_henon_units(*resolved.count, units.value_or(unit_systems().front()), gravity, problems);
  }
  return resolved;
}

}  // namespace apsis::driver
