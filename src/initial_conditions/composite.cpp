// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/initial_conditions/orbit.hpp>

namespace apsis::initial_conditions {

namespace {

/// The generator of one part.
ModelEntry const& model_of(Values const& part) {
  return simple_models().at(part.object("bodies").text("generator"));
}

std::int64_t count_composite(Values const& values) {
  std::int64_t sum = 0;
  for (auto const& part : values.records("parts")) {
    sum += model_of(part).count(part.object("bodies"));
  }
  return sum;
}

HostBodies make_composite(Values const& values, double G) {
  HostBodies bodies(static_cast<std::size_t>(count_composite(values)));
  std::size_t next = 0;
  for (auto const& part : values.records("parts")) {
    auto const made = model_of(part).make(part.object("bodies"), G);
    Rotation const turned(part.number("node"), part.number("inclination"), part.number("argument"));
    for (std::size_t i = 0; i < made.size(); ++i, ++next) {
      bodies.mass[next] = made.mass[i];
      bodies.position[next] = part.vector3("position") + turned(made.position[i]);
      bodies.velocity[next] = part.vector3("velocity") + turned(made.velocity[i]);
    }
  }
  centre(bodies);
  return bodies;
}

std::vector<ModelEntry const*> models_of(Values const& values) {
  std::vector<ModelEntry const*> all;
  for (auto const& part : values.records("parts")) all.push_back(&model_of(part));
  return all;
}

std::vector<Problem> check_composite(Values const& values) {
  std::vector<Problem> problems;
  auto const& parts = values.records("parts");
  for (std::size_t k = 0; k < parts.size(); ++k) {
    auto* const found = model_of(parts[k]).check;
    if (found == nullptr) continue;
    for (auto problem : found(parts[k].object("bodies"))) {
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
  std::vector<Parameter> fields{
      object("bodies", std::move(forms), "what the part is made of").needed(),
      vector3("position", "of its origin [length]").or_else(Vec3<double>{}),
      vector3("velocity", "added to that of its bodies [length / time]").or_else(Vec3<double>{}),
      number("inclination", "it is turned by this about x [degrees]").or_else(0.0),
      number("node", "and then by this about z [degrees]").or_else(0.0),
      number("argument", "before both it is turned by this about z [degrees]").or_else(0.0),
  };
  return {
      "composite",
      "several models, each turned and placed: two galaxies that collide; the whole is centred",
      {records("parts", std::move(fields), "the models, in the order of their bodies").needed()},
      count_composite,
      make_composite,
      nullptr,
      check_composite,
      {},
      models_of};
}

}  // namespace apsis::initial_conditions
