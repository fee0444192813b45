// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include "initial_conditions/orbit.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <map>
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

/// Moves part k to its place.
void place(std::vector<Values> const& parts, std::vector<HostBodies>& part_bodies, std::size_t k,
           double G) {
  auto const& part = parts[k];
  Rotation const rotation(part.number("node"), part.number("inclination"), part.number("argument"));
  auto const origin = state_of_part(parts, part_bodies, k, G);
  for (std::size_t i = 0; i < part_bodies[k].size(); ++i) {
    part_bodies[k].position[i] = origin.position + rotation(part_bodies[k].position[i]);
    part_bodies[k].velocity[i] = origin.velocity + rotation(part_bodies[k].velocity[i]);
  }
}

/// Appends masses, states and names.
void append(HostBodies& bodies, HostBodies const& part) {
  auto const add = [](auto const& input, auto& output) {
    output.insert(output.end(), input.begin(), input.end());
  };
  if (!part.name.empty()) bodies.name.resize(bodies.size());
  bool const is_named = !bodies.name.empty() || !part.name.empty();
  add(part.mass, bodies.mass);
  add(part.position, bodies.position);
  add(part.velocity, bodies.velocity);
  add(part.name, bodies.name);
  if (is_named) bodies.name.resize(bodies.size());
}

/// Refuses two bodies with one name.
void check_names(HostBodies const& bodies) {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < bodies.name.size(); ++i) {
    auto const& name = bodies.name[i];
    if (name.empty()) continue;
    auto const [first, is_new] = known.emplace(name, i);
    APSIS_VALIDATE(is_new,
                   {"bodies.parts", "two bodies have the name '" + name + "'",
                    "their ids are " + std::to_string(first->second) + " and " + std::to_string(i),
                    "give each body its own name"});
  }
}

HostBodies compose(Values const& values, std::vector<HostBodies> const& parts_as_made, double G) {
  auto const& parts = values.records("parts");
  auto part_bodies = parts_as_made;
  HostBodies bodies;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    auto const& content = parts[k].object("bodies");
    if (needs_bodies_before(content)) {
      part_bodies[k] =
          make_list_after(content, G, bodies, "bodies.parts[" + std::to_string(k) + "].bodies.");
    } else {
      place(parts, part_bodies, k, G);
    }
    append(bodies, part_bodies[k]);
  }
  bodies.id.resize(bodies.size());
  std::iota(bodies.id.begin(), bodies.id.end(), std::uint64_t{0});
  check_names(bodies);
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
  return bodies;
}

HostBodies make_composite(Values const& values, double G) {
  std::vector<HostBodies> part_bodies;
  for (auto const& part : values.records("parts")) {
    auto const& content = part.object("bodies");
    part_bodies.push_back(needs_bodies_before(content) ? HostBodies()
                                                       : model_of(part)->make(content, G));
  }
  auto bodies = compose(values, part_bodies, G);
  bring_to_rest(bodies);
  return bodies;
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

/// Returns the problem with the place of a part whose bodies are on orbits about earlier bodies.
std::optional<Problem> find_place_problem(Values const& part, std::size_t k) {
  bool const is_moved = part.has("orbit") || norm(part.vector3("position")) > 0.0 ||
                        norm(part.vector3("velocity")) > 0.0 || part.number("inclination") != 0.0 ||
                        part.number("node") != 0.0 || part.number("argument") != 0.0;
  if (!is_moved) return std::nullopt;
  return Problem{"parts[" + std::to_string(k) + "]", "is moved or turned",
                 "orbits about bodies of earlier parts determine the places of its list",
                 "remove orbit, position, velocity and angles of the part"};
}

std::vector<Problem> check_composite(Values const& values, Units const& units) {
  std::vector<Problem> problems;
  auto const& parts = values.records("parts");
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].has("orbit")) {
      if (auto problem = find_orbit_problem(parts[k], k)) problems.push_back(std::move(*problem));
    }
    auto const& content = parts[k].object("bodies");
    if (needs_bodies_before(content)) {
      if (auto problem = find_place_problem(parts[k], k)) problems.push_back(std::move(*problem));
    }
    auto const* const model = model_of(parts[k]);
    if (model == nullptr || model->check == nullptr) continue;
    for (auto problem :
         content.has("list") ? find_list_problems(content, true) : model->check(content, units)) {
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
  return cited(
      ModelEntry{
          "composite",
          "several models, lists and files, each rotated and moved, such as two colliding "
          "galaxies; the centre of mass is at rest, unless a field of `forces` fixes the frame",
          {records("parts", std::move(fields), "parts in the order of their bodies").needed(),
           virial_ratio_key()},
          count_composite,
          make_composite,
          nullptr,
          check_composite,
          {},
          bodies_of_parts,
          compose},
      {"Apsis"});
}

}  // namespace apsis::initial_conditions
