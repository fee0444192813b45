// SPDX-License-Identifier: Apache-2.0
#include "core/decimal.hpp"
#include "entries.hpp"
#include "initial_conditions/orbits/primaries.hpp"
#include <apsis/core/text.hpp>

#include <map>

namespace apsis::initial_conditions {

namespace {

std::int64_t count_listed(Values const& values) {
  return static_cast<std::int64_t>(values.records("list").size());
}

/// Places the bodies of a list, each after those that it orbits.
class ListPlacement {
 public:
  ListPlacement(Values const& values, double G, HostBodies const& before)
      : list_(values.records("list")), G_(G), before_(before), bodies_(list_.size()) {
    for (std::size_t i = 0; i < list_.size(); ++i) bodies_.mass[i] = list_[i].number("mass");
  }

  HostBodies place(Primaries const& primaries) {
    for (std::size_t const i : primaries.order()) {
      auto const& body = list_[i];
      if (has_orbit(body)) {
        auto const centre = centre_of(primaries.centre(i));
        auto const relative = listed_state(body, G_ * (centre.mass + bodies_.mass[i]));
        bodies_.position[i] = centre.position + relative.position;
        bodies_.velocity[i] = centre.velocity + relative.velocity;
      } else {
        bodies_.position[i] = body.vector3("position");
        if (body.has("velocity")) bodies_.velocity[i] = body.vector3("velocity");
      }
    }
    set_names();
    set_radii();
    return std::move(bodies_);
  }

 private:
  RunningCentre body(std::size_t number) const {
    auto const& bodies = number < before_.size() ? before_ : bodies_;
    std::size_t const i = number < before_.size() ? number : number - before_.size();
    return {bodies.mass[i], bodies.position[i], bodies.velocity[i]};
  }

  static void add(RunningCentre& centre, RunningCentre const& body) {
    centre.add(body.mass, body.position, body.velocity);
  }

  RunningCentre centre_of(Primaries::Centre const& centre) {
    if (centre.members.empty()) return centre_of_range(centre.first, centre.last);
    auto sum = body(centre.members.front());
    for (std::size_t k = 1; k < centre.members.size(); ++k) add(sum, body(centre.members[k]));
    return sum;
  }

  /// Centres of growing ranges, as in Jacobi coordinates, are sums of the earlier ones.
  RunningCentre centre_of_range(std::size_t first, std::size_t last) {
    bool const continues = added_ > range_first_ && range_first_ == first && added_ <= last;
    if (!continues) {
      range_ = body(first);
      range_first_ = first;
      added_ = first + 1;
    }
    for (; added_ < last; ++added_) add(range_, body(added_));
    return range_;
  }

  void set_names() {
    bool const any =
        std::any_of(list_.begin(), list_.end(), [](Values const& one) { return one.has("name"); });
    if (!any) return;
    for (auto const& one : list_) {
      bodies_.name.push_back(one.has("name") ? one.text("name") : std::string());
    }
  }

  void set_radii() {
    bool const any = std::any_of(list_.begin(), list_.end(),
                                 [](Values const& one) { return one.has("radius"); });
    if (!any) return;
    for (auto const& one : list_) {
      bodies_.radius.push_back(one.has("radius") ? one.number("radius") : 0.0);
    }
  }

  std::vector<Values> const& list_;
  double G_;
  HostBodies const& before_;
  HostBodies bodies_;
  RunningCentre range_;
  std::size_t range_first_ = 0, added_ = 0;  ///< the sum is over these bodies
};

HostBodies make_listed(Values const& values, double G) {
  auto bodies = make_list_after(values, G, {}, "bodies.");
  if (is_centred(values)) initial_conditions::centre(bodies);
  return bodies;
}

/// Adds the problems with the names of bodies.
void check_names_in_list(std::vector<Values> const& list, std::vector<Problem>& problems) {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].has("name")) continue;
    auto const& name = list[i].text("name");
    auto const where = "list[" + std::to_string(i) + "].name";
    auto const why = problem_of_name(name);
    auto const [first, is_new] = known.emplace(name, i);
    if (!why.empty()) {
      problems.push_back({where, "not a name of a body", why, "give another"});
    } else if (!is_new) {
      problems.push_back({where, "the name '" + name + "' is given twice",
                          "list[" + std::to_string(first->second) + "] has it too",
                          "give each body its own name"});
    }
  }
}

/// Adds the first orbit whose bodies have no mass.
void check_central_masses(std::vector<Values> const& list, Primaries const& primaries,
                          HostBodies const& before, std::vector<Problem>& problems) {
  auto const mass = [&](std::size_t number) {
    return number < before.size() ? before.mass[number]
                                  : list[number - before.size()].number("mass");
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto const& centre = primaries.centre(i);
    if (!has_orbit(list[i]) || list[i].number("mass") > 0.0) continue;
    bool massive = false;
    for (std::size_t const member : centre.members) massive = massive || mass(member) > 0.0;
    for (std::size_t k = centre.first; k < centre.last && !massive; ++k) massive = mass(k) > 0.0;
    if (massive) continue;
    problems.push_back({"list[" + std::to_string(i) + "]", "orbit without a central mass",
                        "the body and those that it orbits have mass 0",
                        "begin the list with a massive body"});
  }
}

/// Adds the problems with the references of a list.
void check_references(Values const& values, HostBodies const& before,
                      std::vector<Problem>& problems) {
  Primaries const primaries(values, before);
  problems.insert(problems.end(), primaries.problems().begin(), primaries.problems().end());
  if (!primaries.problems().empty()) return;
  check_central_masses(values.records("list"), primaries, before, problems);
}

std::vector<Problem> check_listed(Values const& values, Units const& /*units*/) {
  return find_list_problems(values, false);
}

}  // namespace

std::string problem_of_name(std::string const& name) {
  constexpr std::size_t longest = 63;
  std::uint64_t whole = 0;
  if (name.empty() || trimmed(name) != name) return "it is empty or has blanks at an end";
  if (name.size() > longest) return "it has more than " + std::to_string(longest) + " bytes";
  if (name.find_first_of(",\"") != std::string::npos) return "it has a comma or a quotation mark";
  if (printable(name) != name) return "it has control characters or is not UTF-8";
  if (read_decimal(name, whole) == Numeral::good) return "a number is the id of a body";
  if (name == "barycentre") return "as a primary this is the centre of mass of all bodies before";
  return "";
}

bool needs_bodies_before(Values const& part_bodies) {
  return part_bodies.has("list") && refers_outside(part_bodies);
}

std::vector<Problem> find_list_problems(Values const& values, bool is_part) {
  std::vector<Problem> problems;
  auto const& list = values.records("list");
  check_names_in_list(list, problems);
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto problem = find_orbit_problem(list[i], "list[" + std::to_string(i) + "]");
    if (problem) problems.push_back(std::move(*problem));
  }
  if (is_part && refers_outside(values)) {
    if (is_centred(values)) {
      problems.push_back({"centre", "contradicts the primaries of the list",
                          "orbits about bodies of earlier parts determine its places",
                          "remove it"});
    }
    return problems;
  }
  check_references(values, {}, problems);
  return problems;
}

HostBodies make_list_after(Values const& values, double G, HostBodies const& before,
                           std::string const& where) {
  Primaries const primaries(values, before);
  auto problems = primaries.problems();
  if (problems.empty()) {
    check_central_masses(values.records("list"), primaries, before, problems);
  }
  for (auto& problem : problems) problem.where = where + problem.where;
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
  return ListPlacement(values, G, before).place(primaries);
}

std::vector<Parameter> list_parameters() {
  std::vector<Parameter> fields{
      text("name", "name of the body, in tables and for 'primary'"),
      number("mass", "mass of the body [mass]")
          .at_least(0.0)
          .or_quantity(dimension::mass, QuantityUnits::deck)
          .needed(),
      number("radius", "radius of the body, for collisions [length]; default 0")
          .at_least(0.0)
          .or_quantity(dimension::length, QuantityUnits::deck),
      vector3("position", "position [length]; alternatively give an orbit"),
      vector3("velocity", "velocity [length / time]; default 0"),
      text("primary",
           "centre of the orbit: the name or the id of a body, the centre of mass of several (\"A, "
           "B\"), or that of all bodies before (\"barycentre\")")
          .or_whole_number(),
  };
  auto orbit = orbit_parameters();
  std::move(orbit.begin(), orbit.end(), std::back_inserter(fields));
  return {records("list", std::move(fields), "the bodies").needed(),
          choice("orbits_about", {"primary", "jacobi"},
                 "centre of the orbits of bodies without a primary of their own: primary: the "
                 "first body; jacobi: the centre of mass of all bodies before")
              .with_default(std::string("primary")),
          text("primary",
               "centre of the orbits of bodies without a primary of their own; default: as "
               "orbits_about says")
              .or_whole_number(),
          centring()};
}

ModelEntry const& listed() {
  static ModelEntry const entry =
      cited(ModelEntry{"list", "bodies given individually in the deck, one object each",
                       list_parameters(), count_listed, make_listed, nullptr, check_listed},
            {"Apsis"});
  return entry;
}

}  // namespace apsis::initial_conditions
