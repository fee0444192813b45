// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

namespace apsis::initial_conditions {

namespace {

std::int64_t count_listed(Values const& values) {
  return static_cast<std::int64_t>(values.records("list").size());
}

HostBodies make_listed(Values const& values, double /*G*/) {
  auto const& list = values.records("list");
  HostBodies bodies(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    bodies.mass[i] = list[i].number("mass");
    bodies.position[i] = list[i].vector3("position");
    bodies.velocity[i] = list[i].vector3("velocity");
  }
  return bodies;
}

}  // namespace

ModelEntry const& listed() {
  static std::vector<Parameter> const fields{
      number("mass", "[mass]").at_least(0.0).needed(),
      vector3("position", "[length]").needed(),
      vector3("velocity", "[length / time]").or_else(Vec3<double>{}),
  };
  static ModelEntry const entry{"list",
                                "bodies written out in the deck, one object each",
                                {records("list", fields, "the bodies").needed()},
                                count_listed,
                                make_listed};
  return entry;
}

}  // namespace apsis::initial_conditions
