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

/// Returns the model of one part; null for a file, which the caller of compose() reads.
ModelEntry const* model_of(Values const& part) {
  auto const& bodies = part.object("bodies");
  if (bodies.has("list")) return &listed();
  return bodies.has("generator") ? &simple_models().get(bodies.text("generator")) : nullptr;
}

std::vector<Values const*> bodies_of_parts(Values const& values) {
  std::vector<Values const*> result;
  for (auto const& part : values.records("parts")) result.push_back(&part.object("bodies"));
  return result;
}

std::uint8_t species_of(std::string const& name) {
  auto const& names = species_types::names;
  return static_cast<std::uint8_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::int64_t count_composite(Values const& values) {
  std::int64_t sum = 0;
  for (auto const& part : values.records("parts")) {
    auto const* const model = model_of(part);
    APSIS_EXPECT(model != nullptr, "the bodies of a file are counted by its reader");
    sum += model->count(part.object("bodies"));
  }
  return sum;
}

double mass_of(HostBodies const& bodies) {
  return std::accumulate(bodies.mass.begin(), bodies.mass.end(), 0.0);
}

/// Returns position and velocity of the origin of part k.
OrbitalState state_of_part(std::vector<Values> const& parts,
                           std::vector<HostBodies> const& part_bodies, std::size_t k, double G) {
  if (!parts[k].has("orbit")) return {parts[k].vector3("position"), parts[k].vector3("velocity")};
  auto const& orbit = parts[k].object("orbit");
  auto const first = state_of_part(parts, part_bodies, 0, G);
  auto const relative = state_on_approach(orbit.number("pericentre"), orbit.number("eccentricity"),
                                          orbit.number("separation"),
                                          G * (mass_of(part_bodies[0]) + mass_of(part_bodies[k])));
  return {first.position + relative.position, first.velocity + relative.velocity};
}

HostBodies compose(Values const& values, std::vector<HostBodies> const& part_bodies, double G) {
  std::size_t count = 0;
  for (auto const& part : part_bodies) count += part.size();
  HostBodies bodies(count);
  auto const& parts = values.records("parts");
  std::size_t next = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    auto const& part = parts[k];
    Rotation const rotation(part.number("node"), part.number("inclination"),
                            part.number("argument"));
    auto const origin = state_of_part(parts, part_bodies, k, G);
    for (std::size_t i = 0; i < part_bodies[k].size(); ++i, ++next) {
      bodies.mass[next] = part_bodies[k].mass[i];
      bodies.position[next] = origin.position + rotation(part_bodies[k].position[i]);
      bodies.velocity[next] = origin.velocity + rotation(part_bodies[k].velocity[i]);
    }
  }
  bool const has_species = std::any_of(part_bodies.begin(), part_bodies.end(),
                                       [](auto const& part) { return !part.species.empty(); });
  bool const sets_species =
      std::any_of(parts.begin(), parts.end(), [](auto const& part) { return part.has("species"); });
  if (has_species || sets_species) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      for (std::size_t i = 0; i < part_bodies[k].size(); ++i) {
        bodies.species.push_back(parts[k].has("species") ? species_of(parts[k].text("species"))
                                                         : part_bodies[k].species_of(i));
      }
    }
  }
  bool const has_radii = std::any_of(part_bodies.begin(), part_bodies.end(),
                                     [](auto const& part) { return !part.radius.empty(); });
  if (has_radii) {
    for (auto const& part : part_bodies) {
      for (std::size_t i = 0; i < part.size(); ++i) bodies.radius.push_back(part.radius_of(i));
    }
  }
  bring_to_rest(bodies);
  return bodies;
}

HostBodies make_composite(Values const& values, double G) {
  std::vector<HostBodies> part_bodies;
  for (auto const& part : values.records("parts")) {
    part_bodies.push_back(model_of(part)->make(part.object("bodies"), G));
  }
  return compose(values, part_bodies, G);
}

/// Returns the problem with the orbit of a part; nothing if the orbit is valid.
std::optional<Problem> find_orbit_problem(Values const& part, std::size_t k) {
  auto const& orbit = part.object("orbit");
  auto const where = "parts[" + std::to_string(k) + "].orbit";
  if (k == 0) {
    return Problem{where, "the first part cannot have an orbit", "orbits are about the first part",
                   "move the orbit to a later part"};
  }
  for (auto const* key : {"position", "velocity"}) {
    if (norm(part.vector3(key)) == 0.0) continue;
    return Problem{where, "conflicts with '" + std::string(key) + "'",
                   "the orbit determines position and velocity of the part", "remove one of them"};
  }
  double const nearest = orbit.number("pericentre");
  double const far = farthest(nearest, orbit.number("eccentricity"));
  double const separation = orbit.number("separation");
  if (separation >= nearest && separation <= far) return std::nullopt;
  return Problem{where + ".separation", "not on the orbit", "it is " + shortest(separation),
                 std::isfinite(far)
                     ? "set a value from " + shortest(nearest) + ", the pericentre, to " +
                           shortest(far) + ", the apocentre"
                     : "set a value of at least " + shortest(nearest) + ", the pericentre"};
}

std::vector<Problem> check_composite(Values const& values, Units const& units) {
  std::vector<Problem> problems;
  auto const& parts = values.records("parts");
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].has("orbit")) {
      if (auto problem = find_orbit_problem(parts[k], k)) problems.push_back(std::move(*problem));
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
      object("bodies", std::move(forms), "bodies of the part").needed(),
      vector3("position", "position of the origin of the part [length]")
          .with_default(Vec3<double>{}),
      vector3("velocity", "velocity of the part, added to that of its bodies [length / time]")
          .with_default(Vec3<double>{}),
      object(
          "orbit",
          {number("pericentre", "smallest distance from the first part on the orbit [length]")
               .above(0.0)
               .needed(),
           number("eccentricity", "e; 1 is a parabola").at_least(0.0).with_default(1.0),
           number("separation", "initial distance from the first part, along +x [length]")
               .above(0.0)
               .needed()},
          "alternative to position and velocity: the part approaches the first part on the orbit "
          "of two point masses with the masses of the parts, in the x-y plane, counterclockwise"),
      number("inclination", "second rotation of the part, about x [degrees]").with_default(0.0),
      number("node", "third rotation of the part, about z [degrees]").with_default(0.0),
      choice("species", {species_types::names.begin(), species_types::names.end()},
             "species of its bodies, PartType0 to 5 in snapshots; by default that of the model or "
             "file"),
      number("argument", "first rotation of the part, about z [degrees]").with_default(0.0),
  };
  return {"composite",
          "several models, lists and files, each rotated and moved, such as two colliding "
          "galaxies; the centre of mass is at rest",
          {records("parts", std::move(fields), "parts in the order of their bodies").needed()},
          count_composite,
          make_composite,
          nullptr,
          check_composite,
          {},
          bodies_of_parts,
          compose};
}

}  // namespace apsis::initial_conditions
