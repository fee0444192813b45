// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/core/text.hpp>
#include <apsis/initial_conditions/orbit.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace apsis::initial_conditions {

namespace {

/// What makes the bodies of one part; null for a file, which others read.
ModelEntry const* model_of(Values const& part) {
  auto const& bodies = part.object("bodies");
  if (bodies.has("list")) return &listed();
  return bodies.has("generator") ? &simple_models().at(bodies.text("generator")) : nullptr;
}

std::vector<Values const*> bodies_of_parts(Values const& values) {
  std::vector<Values const*> all;
  for (auto const& part : values.records("parts")) all.push_back(&part.object("bodies"));
  return all;
}

std::uint8_t species_of(std::string const& name) {
  auto const& names = species_types::names;
  return static_cast<std::uint8_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::int64_t count_composite(Values const& values) {
  std::int64_t sum = 0;
  for (auto const& part : values.records("parts")) {
    auto const* const model = model_of(part);
    APSIS_EXPECT(model != nullptr, "who reads a file counts its bodies");
    sum += model->count(part.object("bodies"));
  }
  return sum;
}

double mass_of(HostBodies const& bodies) {
  return std::accumulate(bodies.mass.begin(), bodies.mass.end(), 0.0);
}

/// Where a part is and how it moves.
OrbitalState place_of(std::vector<Values> const& parts, std::vector<HostBodies> const& made,
                      std::size_t k, double G) {
  if (!parts[k].has("orbit")) return {parts[k].vector3("position"), parts[k].vector3("velocity")};
  auto const& orbit = parts[k].object("orbit");
  auto const first = place_of(parts, made, 0, G);
  auto const relative =
      state_on_approach(orbit.number("pericentre"), orbit.number("eccentricity"),
                        orbit.number("separation"), G * (mass_of(made[0]) + mass_of(made[k])));
  return {first.position + relative.position, first.velocity + relative.velocity};
}

HostBodies compose(Values const& values, std::vector<HostBodies> const& made, double G) {
  std::size_t count = 0;
  for (auto const& part : made) count += part.size();
  HostBodies bodies(count);
  auto const& parts = values.records("parts");
  std::size_t next = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    auto const& part = parts[k];
    Rotation const turned(part.number("node"), part.number("inclination"), part.number("argument"));
    auto const place = place_of(parts, made, k, G);
    for (std::size_t i = 0; i < made[k].size(); ++i, ++next) {
      bodies.mass[next] = made[k].mass[i];
      bodies.position[next] = place.position + turned(made[k].position[i]);
      bodies.velocity[next] = place.velocity + turned(made[k].velocity[i]);
    }
  }
  bool const told_apart =
      std::any_of(made.begin(), made.end(), [](auto const& part) { return !part.species.empty(); });
  bool const named =
      std::any_of(parts.begin(), parts.end(), [](auto const& part) { return part.has("species"); });
  if (told_apart || named) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      for (std::size_t i = 0; i < made[k].size(); ++i) {
        bodies.species.push_back(parts[k].has("species") ? species_of(parts[k].text("species"))
                                                         : made[k].species_of(i));
      }
    }
  }
  bring_to_rest(bodies);
  return bodies;
}

HostBodies make_composite(Values const& values, double G) {
  std::vector<HostBodies> made;
  for (auto const& part : values.records("parts")) {
    made.push_back(model_of(part)->make(part.object("bodies"), G));
  }
  return compose(values, made, G);
}

/// What is wrong with the orbit of a part; nothing if it is good.
std::optional<Problem> wrong_with_orbit(Values const& part, std::size_t k) {
  auto const& orbit = part.object("orbit");
  auto const here = "parts[" + std::to_string(k) + "].orbit";
  if (k == 0) {
    return Problem{here, "an orbit about nothing", "orbits are about the first part",
                   "give it to a later part"};
  }
  for (auto const* key : {"position", "velocity"}) {
    if (norm(part.vector3(key)) == 0.0) continue;
    return Problem{here, "beside '" + std::string(key) + "'",
                   "the orbit says where the part is and how it moves", "remove one of them"};
  }
  double const nearest = orbit.number("pericentre");
  double const far = farthest(nearest, orbit.number("eccentricity"));
  double const separation = orbit.number("separation");
  if (separation >= nearest && separation <= far) return std::nullopt;
  return Problem{here + ".separation", "not on the orbit", "it is " + shortest(separation),
                 std::isfinite(far)
                     ? "give one from " + shortest(nearest) + ", the pericentre, to " +
                           shortest(far) + ", the apocentre"
                     : "give " + shortest(nearest) + ", the pericentre, or more"};
}

std::vector<Problem> check_composite(Values const& values, Units const& units) {
  std::vector<Problem> problems;
  auto const& parts = values.records("parts");
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].has("orbit")) {
      if (auto problem = wrong_with_orbit(parts[k], k)) problems.push_back(std::move(*problem));
    }
    auto const* const model = model_of(parts[k]);
    if (model == nullptr || model->check == nullptr) continue;
    for (auto problem : model->check(parts[k].object("bodies"), units)) {
      problem.where = "parts[" + std::to_string(k) + "].bodies." + problem.where;
      problems.push_back(std::move(problem));
    }
  }
  return problems;
}

}  // namespace

ModelEntry composite_entry() {
  std::vector<Form> forms;
  for (auto const& model : simple_models()) {
    forms.push_back({"generator", model.name, model.doc, model.parameters});
  }
  forms.push_back({listed().name, "", listed().doc, listed().parameters});
  std::vector<Parameter> fields{
      object("bodies", std::move(forms), "what the part is made of").needed(),
      vector3("position", "of its origin [length]").or_else(Vec3<double>{}),
      vector3("velocity", "added to that of its bodies [length / time]").or_else(Vec3<double>{}),
      object(
          "orbit",
          {number("pericentre", "least distance from the first part [length]").above(0.0).needed(),
           number("eccentricity", "1 is a parabola").at_least(0.0).or_else(1.0),
           number("separation", "from the first part at the start, along +x [length]")
               .above(0.0)
               .needed()},
          "instead of both: it comes nearer to the first part on the orbit of two points that "
          "have the parts' masses, in the x-y plane, counterclockwise"),
      number("inclination", "it is turned by this about x [degrees]").or_else(0.0),
      number("node", "and then by this about z [degrees]").or_else(0.0),
      choice("species", {species_types::names.begin(), species_types::names.end()},
             "what its bodies are told apart by, as PartType0 to 5 of snapshots; that of the model "
             "or file if it is not given"),
      number("argument", "before both it is turned by this about z [degrees]").or_else(0.0),
  };
  return {"composite",
          "several models, lists and files, each turned and placed: two galaxies that collide; the "
          "whole is at rest",
          {records("parts", std::move(fields), "in the order of their bodies").needed()},
          count_composite,
          make_composite,
          nullptr,
          check_composite,
          {},
          bodies_of_parts,
          compose};
}

}  // namespace apsis::initial_conditions
