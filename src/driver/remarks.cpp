// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/driver/remarks.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::driver {

namespace {

void on_files(Configuration const& run, std::vector<std::string>& remarks) {
  auto const files = run.files();
  for (auto const& file : files) {
    for (auto const& words : file->unused) remarks.push_back("not used: " + words);
  }
  bool const unnamed =
      std::any_of(files.begin(), files.end(), [](auto const& file) { return !file->units; });
  if (!run.units.si || !unnamed) return;
  remarks.push_back("note: the file of bodies names no units: its numbers are taken as " +
                    run.units.name(dimension::length) + ", " + run.units.name(dimension::mass) +
                    " and " + run.units.length + "/" + run.units.time);
}

/// Elements are known in au and years; where G is 1 the same numbers are another orbit's.
void on_orbits(Configuration const& run, BodiesChoice const& bodies,
               std::vector<std::string>& remarks) {
  if (run.units.system != "henon" || bodies.model != &initial_conditions::listed()) return;
  auto const& list = bodies.model_values.records("list");
  bool const any = std::any_of(list.begin(), list.end(),
                               [](Values const& body) { return body.has("semi_major_axis"); });
  if (!any) return;
  remarks.push_back(
      "note: orbits are in units with G = 1: a year, the period of a = 1 about a mass of 1, is 2 "
      "pi; for au, Msun and years write \"units\": {\"system\": \"solar\"}");
}

void on_masses(BodiesChoice const& bodies, std::vector<std::string>& remarks) {
  auto const& values = bodies.model_values;
  if (!values.has("mass") || !values.has("masses")) return;
  auto const& masses = values.object("masses");
  if (!masses.has("scaled")) return;
  auto const total = shortest(values.number("mass"));
  remarks.push_back(masses.boolean("scaled")
                        ? "note: masses are drawn between " + shortest(masses.number("minimum")) +
                              " and " + shortest(masses.number("maximum")) +
                              ", and then multiplied so that their sum is `mass`, " + total +
                              "; without `mass`, or with masses.scaled false, they stand"
                        : "note: bodies.mass, " + total +
                              ", is not used: masses.scaled is false, so the masses that are "
                              "drawn stand");
}

/// Two parts that are drawn from the same numbers are one model twice.
void on_seeds(BodiesChoice const& bodies, std::vector<std::string>& remarks) {
  auto const& parts = bodies.parts;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    if (!parts[k].model_values.has("seed")) continue;
    auto const seed = parts[k].model_values.integer("seed");
    auto const twin = std::find_if(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(k),
                                   [&](BodiesChoice const& part) {
                                     return part.model == parts[k].model &&
                                            part.model_values.integer("seed") == seed;
                                   });
    if (twin == parts.begin() + static_cast<std::ptrdiff_t>(k)) continue;
    remarks.push_back("note: parts " + std::to_string(twin - parts.begin()) + " and " +
                      std::to_string(k) + " are both drawn with seed " + std::to_string(seed) +
                      ": their bodies are in the same places; give one another seed");
  }
}

void on_each(Configuration const& run, BodiesChoice const& bodies,
             std::vector<std::string>& remarks) {
  on_orbits(run, bodies, remarks);
  on_masses(bodies, remarks);
  on_seeds(bodies, remarks);
  for (auto const& part : bodies.parts) on_each(run, part, remarks);
}

}  // namespace

std::vector<std::string> remarks(Configuration const& run) {
  std::vector<std::string> all;
  on_files(run, all);
  on_each(run, run, all);
  return all;
}

std::optional<std::string> remark_on_drift(Configuration const& run, HostBodies const& bodies) {
  auto const& values = run.model_values;
  bool const can_be_centred = values.has("centre") && !initial_conditions::is_centred(values);
  if (!can_be_centred) return std::nullopt;
  auto const centre = centre_of_mass(bodies);
  double size = 0.0;
  for (auto const& x : bodies.position) size = std::max(size, norm(x - centre.position));
  double const way = norm(centre.velocity) * std::abs(run.time(run.steps));
  if (!(size > 0.0 && way > 0.01 * size)) return std::nullopt;
  return "the centre of mass moves " +
         run.units.with_unit(formatted("%.3g", way), dimension::length) +
         " in the run; bodies.centre = true puts it at rest";
}

}  // namespace apsis::driver
