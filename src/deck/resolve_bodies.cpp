// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::deck {

namespace {

/// Whether the values suffice to count the bodies of a model.
bool has_required(initial_conditions::ModelEntry const& model, Values const& values) {
  return std::all_of(
      model.parameters.begin(), model.parameters.end(), [&](Parameter const& parameter) {
        bool const has_default = !std::holds_alternative<std::monostate>(parameter.fallback);
        bool const expected = parameter.required || parameter.is_always_present ||
                              (has_default && !parameter.natural);
        return !expected || values.has(parameter.name);
      });
}

/// Fills in defaults of masses and lengths, which exist in dimensionless units only.
void complete_defaults(Units const& units, initial_conditions::ModelEntry const& model,
                       Values& bodies, DeckProblems& problems) {
  complete(model.parameters, !units.si, "bodies", bodies,
           [&](std::string const& path, Parameter const& parameter) {
             if (problems.is_reported(path)) return;
             // If an alternative key was given with a wrong value, the user meant that one.
             auto const& keys = parameter.replaced_if.keys;
             bool const is_misnamed = std::any_of(
                 keys.begin(), keys.end(),
                 [&](std::string const& key) { return problems.is_reported("bodies." + key); });
             if (is_misnamed) return;
             problems.add(path, "missing key", parameter.doc,
                          "must be " + allowed(parameter) + "; " + title_of(units) +
                              " have no default for it");
           });
}

/// Adds problems for the first pairs of bodies in one place, unless both are massless.
void check_places(HostBodies const& bodies, std::string const& name, GravityPlan const& gravity,
                  DeckProblems& problems) {
  auto places = bodies.position;
  bool const single = gravity.precision == Precision::single_precision;
  auto const& positions = bodies.position;
  if (single) {  // positions that differ in double precision may coincide in single precision
    for (auto& p : places) {
      p = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
    }
  }
  auto const path = [&](std::size_t i) { return name + "[" + std::to_string(i) + "]"; };
  // Below this distance its square underflows, and with it the force.
  constexpr double least_in_double = 1e-150;
  double const least = single ? 1e-18 : least_in_double;
  for (auto const& [first, second] : bodies_in_one_place(places, least, 20, bodies.mass)) {
    double const eps =
        gravity.law.pair_softening(bodies.species_of(first), bodies.species_of(second));
    if (eps > 0.0) continue;
    auto const offset = positions[second] - positions[first];
    double const largest = std::max({std::abs(offset.x), std::abs(offset.y), std::abs(offset.z)});
    // Coordinates that overflow are refused in make_bodies().
    if (!std::isfinite(norm(places[first])) || !std::isfinite(norm(places[second]))) continue;
    if (largest > least_in_double) {
      problems.add(path(second), "in the same place as " + path(first) + " in single precision",
                   "they are " + formatted("%.3g", largest) +
                       " apart, less than single precision resolves there; without softening their "
                       "force has no direction",
                   "set gravity.precision to 'double', or " + softening_advice(gravity.values));
      continue;
    }
    problems.add(path(second), "in the same place as " + path(first),
                 "without softening their force has no direction and their energy is infinite",
                 "move one of them or " + softening_advice(gravity.values));
  }
}

void check_henon_units(std::uint64_t bodies, Units const& units, GravityPlan const& gravity,
                       DeckProblems& problems) {
  if (units.si) {
    problems.add("bodies.henon_units", "contradicts units",
                 "Henon units have no lengths in metres, the deck has units in SI",
                 "set units.system to 'henon' or bodies.henon_units to false");
  } else if (gravity.law.G != 1.0) {
    problems.add("bodies.henon_units", "contradicts gravity.G",
                 "Henon units have G = 1, the deck has " + shortest(gravity.law.G),
                 "set gravity.G to 1 or bodies.henon_units to false");
  }
  if (bodies < 2) {
    problems.add("bodies.henon_units", "needs two bodies or more",
                 "the potential energy of fewer is 0", "set bodies.henon_units to false");
  }
  if (forces::largest_softening_length(gravity.law) >= 0.5) {
    problems.add("gravity.softening", "too large for Henon units",
                 "bodies closer than the softening cannot reach W = -1/2",
                 "set less than 0.5 or bodies.henon_units to false");
  }
}

/// Adds a problem if the velocities of these bodies cannot be scaled by their potential energy.
void check_virial_ratio(std::string const& where, std::uint64_t bodies, DeckProblems& problems) {
  if (bodies >= 2) return;
  problems.add(where + ".virial_ratio", "needs two bodies or more",
               "the potential energy of fewer is 0", "leave virial_ratio out");
}

/// Adds a problem if files state their bodies at different dates.
void check_epochs(BodiesPlan const& plan, DeckProblems& problems) {
  std::optional<double> first;
  for (auto const& file : plan.files()) {
    if (!file->epoch) continue;
    if (!first) first = file->epoch;
    if (*first == *file->epoch) continue;
    problems.add(
        "bodies", "files of several dates",
        "their epochs are " + shortest(*first) + " and " + shortest(*file->epoch) + " days",
        "give all bodies at one time");
    return;
  }
}

/// Resolves an object of the deck that describes bodies. Parts are resolved recursively, so a part
/// may be anything that bodies may be.
class BodiesResolver {
 public:
  BodiesResolver(FileSource const& files, std::optional<Units> const& units,
                 GravityPlan const& gravity, formats::CountCheck const& fits,
                 DeckProblems& problems)
      : files_(files), units_(units), gravity_(gravity), fits_(fits), problems_(problems) {}

  /// Fills defaults into `bodies`. Sets `countable` to false if the bodies cannot be counted.
  BodiesPlan resolve(std::string const& where, Values& bodies, bool& countable,
                     bool is_part = false) {
    BodiesPlan plan;
    bool const is_list = bodies.has("list");
    bool const is_file = bodies.has("file");
    plan.model = is_list   ? &initial_conditions::listed()
                 : is_file ? &file_model()
                           : entry_named(generators(), bodies, "generator");
    if (plan.model == nullptr) {
      countable = false;
      return plan;
    }
    if (is_file) resolve_file(where, bodies, plan);
    auto const& model = *plan.model;
    if (units_) check_units(where, model, *units_, problems_);
    // Parts that were read are complete; otherwise the list of parts is missing.
    bool const whole = is_file ? plan.file != nullptr : is_part || has_required(model, bodies);
    countable = countable && whole;
    if (whole && model.parts != nullptr) resolve_parts(where, bodies, plan, countable);
    plan.values = bodies;
    if (whole && countable && plan.virial_ratio())
      check_virial_ratio(where, plan.count(), problems_);
    // Problems within a list are reported together with the other problems of the model.
    // Bodies on orbits about those of other parts are placed when all parts are made.
    bool const is_placed_later = is_part && initial_conditions::needs_bodies_before(bodies);
    bool const sound =
        whole && !is_placed_later && (!is_list || model.check(bodies, known_units()).empty());
    bool const may_lack_softening =
        gravity_.law.softening_by_species || !(gravity_.law.softening > 0.0);
    if (sound && (is_list || is_file) && may_lack_softening) {
      check_places(is_list ? model.make(bodies, gravity_.law.G) : plan.file->bodies,
                   where + (is_list ? ".list" : ".file"), gravity_, problems_);
    }
    return plan;
  }

 private:
  void resolve_file(std::string const& where, Values& bodies, BodiesPlan& plan) {
    plan.file =
        files_.given ? files_.given : read_file(where, bodies, files_.files, fits_, problems_);
    if (plan.file == nullptr) return;
    plan.file = in_units_of_deck(where, plan.file, bodies, units_, problems_);
    plan.known_count = plan.file->bodies.size();
    bool const are_converted = bodies.has("units");
    if (units_ && !are_converted) check_file_units(where, *plan.file, *units_, problems_);
  }

  Units const& known_units() const { return units_ ? *units_ : unit_systems().front(); }

  void resolve_parts(std::string const& where, Values& bodies, BodiesPlan& plan, bool& countable) {
    auto parts = bodies.records("parts");
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      Values part_bodies = parts[k].object("bodies");
      auto const path = where + ".parts[" + std::to_string(k) + "].bodies";
      plan.parts.push_back(resolve(path, part_bodies, countable, true));
      if (countable) sum += plan.parts.back().count();
      parts[k].set("bodies", std::make_shared<Values const>(std::move(part_bodies)));
    }
    bodies.set("parts", std::move(parts));
    if (countable) plan.known_count = sum;
  }

  FileSource const& files_;
  std::optional<Units> const& units_;
  GravityPlan const& gravity_;
  formats::CountCheck const& fits_;
  DeckProblems& problems_;
};

}  // namespace

ResolvedBodies resolve_bodies(Values& bodies, FileSource const& files,
                              std::optional<Units> const& units, GravityPlan const& gravity,
                              formats::CountCheck const& fits, DeckProblems& problems) {
  ResolvedBodies resolved;
  auto const& known_units = units.value_or(unit_systems().front());
  auto const* const named = entry_named(generators(), bodies, "generator");
  if (named != nullptr) complete_defaults(known_units, *named, bodies, problems);
  bool countable = true;
  auto& plan = resolved.plan;
  plan = BodiesResolver(files, units, gravity, fits, problems).resolve("bodies", bodies, countable);
  check_epochs(plan, problems);
  if (!countable) return resolved;
  auto const& model = *plan.model;
  resolved.count = plan.count();
  resolved.counted_by = bodies.has("list")    ? "bodies.list"
                        : bodies.has("file")  ? "bodies.file"
                        : bodies.has("count") ? "bodies.count"
                                              : "bodies";
  if (model.check != nullptr) {
    auto const model_problems = model.check(bodies, known_units);
    problems.add_all("bodies.", model_problems);
    if (!model_problems.empty()) return resolved;
  }
  plan.henon_units = bodies.has("henon_units") && bodies.boolean("henon_units");
  if (plan.henon_units) {
    check_henon_units(*resolved.count, known_units, gravity, problems);
    if (auto const ratio = plan.virial_ratio(); ratio && *ratio >= 1.0) {
      problems.add("bodies.virial_ratio", "contradicts bodies.henon_units",
                   "E = -1/4 needs K / |W| below 1, it is " + shortest(*ratio),
                   "set less than 1 or bodies.henon_units to false");
    }
  }
  return resolved;
}

}  // namespace apsis::deck
