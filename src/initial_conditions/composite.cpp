// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/initial_conditions/orbit.hpp>

#include <algorithm>

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

HostBodies compose(Values const& values, std::vector<HostBodies> const& made) {
  std::size_t count = 0;
  for (auto const& part : made) count += part.size();
  HostBodies bodies(count);
  auto const& parts = values.records("parts");
  std::size_t next = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    auto const& part = parts[k];
    Rotation const turned(part.number("node"), part.number("inclination"), part.number("argument"));
    for (std::size_t i = 0; i < made[k].size(); ++i, ++next) {
      bodies.mass[next] = made[k].mass[i];
      bodies.position[next] = part.vector3("position") + turned(made[k].position[i]);
      bodies.velocity[next] = part.vector3("velocity") + turned(made[k].velocity[i]);
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
  return compose(values, made);
}

std::vector<Problem> check_composite(Values const& values, Units const& units) {
  std::vector<Problem> problems;
  auto const& parts = values.records("parts");
  for (std::size_t k = 0; k < parts.size(); ++k) {
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
