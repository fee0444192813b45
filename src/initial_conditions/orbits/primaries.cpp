// SPDX-License-Identifier: Apache-2.0
#include "primaries.hpp"

#include "core/decimal.hpp"
#include <apsis/core/text.hpp>
#include <apsis/initial_conditions/model.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace apsis::initial_conditions {

namespace {

/// Primary that is the centre of mass of all bodies before.
constexpr std::string_view barycentre = "barycentre";

std::string place_in_list(std::size_t index) {
  return "list[" + std::to_string(index) + "]";
}

std::optional<std::uint64_t> id_in(std::string_view word) {
  std::uint64_t id = 0;
  if (read_decimal(word, id) == Numeral::good) return id;
  return std::nullopt;
}

bool orbits_jacobi(Values const& list) {
  return list.has("orbits_about") && list.text("orbits_about") == "jacobi";
}

/// Keys for the size of an orbit; a body with an orbit has exactly one of them.
constexpr std::array<char const*, 3> sizes{"semi_major_axis", "period", "pericentre"};
/// Keys for the position of a body on its orbit; at most one of them, none for pericentre.
constexpr std::array<char const*, 4> phases{"mean_anomaly", "true_anomaly", "eccentric_anomaly",
                                            "pericentre_time"};
/// Keys that are only valid for a body with an orbit.
constexpr std::array<char const*, 9> orbit_keys{
    "eccentricity",      "inclination",     "node",   "argument", "mean_anomaly", "true_anomaly",
    "eccentric_anomaly", "pericentre_time", "primary"};

double number_or_zero(Values const& body, char const* name) {
  return body.has(name) ? body.number(name) : 0.0;
}

/// State on an orbit that is given by its pericentre.
OrbitalState state_on_conic(Values const& body, double gravity) {
  Conic const conic{body.number("pericentre"), number_or_zero(body, "eccentricity"),
                    number_or_zero(body, "inclination"), number_or_zero(body, "node"),
                    number_or_zero(body, "argument")};
  if (body.has("true_anomaly")) {
    return state_at_true_anomaly(conic, body.number("true_anomaly"), gravity);
  }
  if (body.has("eccentric_anomaly")) {
    return state_at_eccentric_anomaly(conic, body.number("eccentric_anomaly"), gravity);
  }
  if (body.has("mean_anomaly")) {
    return state_at_mean_anomaly(conic, body.number("mean_anomaly"), gravity);
  }
  return state_after_pericentre(conic, -number_or_zero(body, "pericentre_time"), gravity);
}

/// Returns the problem with more than one of the keys of which one is allowed.
template <std::size_t count>
std::optional<Problem> find_excess(Values const& body, std::string const& where,
                                   std::array<char const*, count> const& keys,
                                   std::string const& problem, std::string const& why) {
  std::size_t present = 0;
  std::vector<std::string> names;
  for (auto const* key : keys) {
    present += body.has(key) ? 1 : 0;
    names.emplace_back(key);
  }
  if (present <= 1) return std::nullopt;
  return Problem{where, problem, why, "keep one of " + quoted_list(names)};
}

/// Returns the problem with the shape of an orbit; nothing if it is valid.
std::optional<Problem> find_shape_problem(Values const& body, std::string const& where) {
  double const e = number_or_zero(body, "eccentricity");
  if (body.has("period") && e >= 1.0) {
    return Problem{where, "a period and an orbit that is not closed",
                   "eccentricity is " + shortest(e),
                   "give 'pericentre' instead, or an eccentricity below 1"};
  }
  if (!body.has("semi_major_axis")) return std::nullopt;
  double const a = body.number("semi_major_axis");
  if (a != 0.0 && e != 1.0 && (a < 0.0) == (e > 1.0)) return std::nullopt;
  return Problem{
      where, "invalid orbit",
      "semi_major_axis is " + shortest(a) + " and eccentricity " + shortest(e),
      "an ellipse has semi_major_axis > 0 and eccentricity < 1, a hyperbola semi_major_axis < 0 "
      "and eccentricity > 1; a parabola has a pericentre and no semi_major_axis"};
}

/// Returns the problem with the anomaly on an orbit that is not closed; nothing if it is valid.
std::optional<Problem> find_anomaly_problem(Values const& body, std::string const& where) {
  double const e = number_or_zero(body, "eccentricity");
  if (e < 1.0) return std::nullopt;
  std::string const shape = e > 1.0 ? "a hyperbola" : "a parabola";
  for (auto const* key : {"eccentric_anomaly", "mean_anomaly"}) {
    bool const is_defined = e > 1.0 && key == std::string_view("mean_anomaly");
    if (!body.has(key) || is_defined) continue;
    return Problem{where, "'" + std::string(key) + "' of " + shape, shape + " has no such angle",
                   e > 1.0 ? "set mean_anomaly, true_anomaly or pericentre_time instead"
                           : "set true_anomaly or pericentre_time instead"};
  }
  if (body.has("true_anomaly") &&
      !(1.0 + e * sine_cosine(body.number("true_anomaly")).cosine > 0.0)) {
    return Problem{where, "the true anomaly is outside the asymptotes",
                   "it is " + shortest(body.number("true_anomaly")) + " degrees",
                   "set an angle with a cosine above " + shortest(-1.0 / e)};
  }
  return std::nullopt;
}

std::optional<Problem> find_problem_without_orbit(Values const& body, std::string const& where) {
  for (auto const* key : orbit_keys) {
    if (!body.has(key)) continue;
    return Problem{where, "'" + std::string(key) + "' without 'semi_major_axis'",
                   "it is an element of an orbit",
                   "set semi_major_axis, period or pericentre, or remove it"};
  }
  if (body.has("position")) return std::nullopt;
  return Problem{where, "no position", "it has neither a position nor an orbit",
                 "set 'position', or 'semi_major_axis' and the other elements of an orbit"};
}

}  // namespace

/// Indices of bodies by name and id.
class Primaries::Names {
 public:
  Names(std::vector<Values> const& bodies, HostBodies const& before)
      : count_(before.size() + bodies.size()) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (!before.name_of(i).empty()) indices_.emplace(before.name_of(i), i);
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (bodies[i].has("name")) indices_.emplace(bodies[i].text("name"), before.size() + i);
    }
  }

  std::optional<std::size_t> find(std::string const& word) const {
    if (auto const id = id_in(word)) {
      return *id < count_ ? std::optional<std::size_t>(*id) : std::nullopt;
    }
    auto const entry = indices_.find(word);
    return entry != indices_.end() ? std::optional(entry->second) : std::nullopt;
  }

  Problem unknown(std::string const& where, std::string const& word) const {
    if (id_in(word)) {
      return {where, "no body has the id " + word,
              "the ids are 0 to " + std::to_string(count_ - 1) + ", in the order of the bodies",
              "give an existing id or a name"};
    }
    std::vector<std::string> names;
    for (auto const& [name, index] : indices_) names.push_back(name);
    auto const close = nearest(word, names);
    if (names.size() > 12) names.resize(12);
    return {where, "no body has the name '" + word + "'",
            names.empty() ? "no body has a name" : "names: " + quoted_list(names),
            close.empty() ? "give the name or the id of a body" : "did you mean '" + close + "'?"};
  }

 private:
  std::size_t count_;
  std::map<std::string, std::size_t> indices_;
};

std::string primary_of(Values const& list, Values const& body) {
  if (body.has("primary")) return body.text("primary");
  return list.has("primary") ? list.text("primary") : "";
}

Primaries::Primaries(Values const& list, HostBodies const& before)
    : before_(before.size()), bodies_(list.records("list")), centres_(bodies_.size()) {
  Names const names(bodies_, before);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!has_orbit(bodies_[i])) continue;
    auto const text = primary_of(list, bodies_[i]);
    if (!text.empty()) {
      resolve(i, text, names);
    } else if (i == 0) {
      problems_.push_back({place_in_list(0), "the first body cannot have an orbit",
                           "orbits are about bodies earlier in the list",
                           R"(begin the list with the primary, such as {"mass": 1, )"
                           R"("position": [0, 0, 0]}, or name it as 'primary')"});
    } else {
      centres_[i] = {before_, before_ + (orbits_jacobi(list) ? i : 1), {}};
    }
  }
  if (problems_.empty()) find_order();
}

void Primaries::resolve(std::size_t index, std::string const& text, Names const& names) {
  bool const is_own = bodies_[index].has("primary");
  auto const where = is_own ? place_in_list(index) + ".primary" : "primary";
  auto const add = [&](Problem problem) {
    bool const is_repeated = !is_own && !problems_.empty() && problems_.back().where == where;
    if (!is_repeated) problems_.push_back(std::move(problem));
  };
  if (text == barycentre) {
    centres_[index] = {0, before_ + index, {}};
    if (before_ + index == 0) {
      add({where, "there is no body before", "the barycentre is that of all bodies before",
           "begin with a body that has a position"});
    }
    return;
  }
  auto& members = centres_[index].members;
  for (auto const& word : split_at_commas(text)) {
    auto const number = names.find(word);
    if (!number) {
      add(names.unknown(where, word));
    } else if (std::find(members.begin(), members.end(), *number) != members.end()) {
      add({where, "'" + word + "' is given twice", "it is one body", "name each body once"});
    } else {
      members.push_back(*number);
    }
  }
}

/// Depth-first search without recursion: a chain of moons may be long.
void Primaries::find_order() {
  enum class State : unsigned char { open, active, placed };
  std::vector<State> states(bodies_.size(), State::open);
  std::vector<std::pair<std::size_t, std::size_t>> path;  // body, and its next member to visit
  auto const member = [&](std::size_t index, std::size_t k) -> std::optional<std::size_t> {
    auto const& centre = centres_[index];
    std::size_t const count =
        centre.members.empty() ? centre.last - centre.first : centre.members.size();
    if (k >= count) return std::nullopt;
    return centre.members.empty() ? centre.first + k : centre.members[k];
  };
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (states[i] == State::placed) continue;
    // The bodies of a range before the present one are placed already.
    auto const first_member = [&](std::size_t index) -> std::size_t {
      auto const& centre = centres_[index];
      bool const is_range = centre.members.empty();
      return is_range && before_ + i > centre.first ? before_ + i - centre.first : 0;
    };
    path.emplace_back(i, first_member(i));
    states[i] = State::active;
    while (!path.empty()) {
      auto& [index, next] = path.back();
      auto const number = member(index, next++);
      if (!number) {
        states[index] = State::placed;
        order_.push_back(index);
        path.pop_back();
        continue;
      }
      if (*number < before_) continue;
      std::size_t const inner = *number - before_;
      if (states[inner] == State::placed) continue;
      if (states[inner] == State::active) {
        std::string chain;
        auto begin = std::find_if(path.begin(), path.end(),
                                  [&](auto const& step) { return step.first == inner; });
        for (; begin != path.end(); ++begin) chain += place_in_list(begin->first) + " -> ";
        problems_.push_back({place_in_list(inner) + ".primary", "a cycle of primaries",
                             chain + place_in_list(inner),
                             "give one of these bodies a position or another primary"});
        return;
      }
      states[inner] = State::active;
      path.emplace_back(inner, first_member(inner));
    }
  }
}

bool refers_outside(Values const& list) {
  std::set<std::string> own;
  for (auto const& body : list.records("list")) {
    if (body.has("name")) own.insert(body.text("name"));
  }
  for (auto const& body : list.records("list")) {
    if (!has_orbit(body)) continue;
    auto const text = primary_of(list, body);
    if (text.empty()) continue;
    for (auto const& word : split_at_commas(text)) {
      if (own.count(word) == 0) return true;
    }
  }
  return false;
}

bool has_orbit(Values const& body) {
  for (auto const* key : sizes) {
    if (body.has(key)) return true;
  }
  return false;
}

std::vector<Parameter> orbit_parameters() {
  using enum QuantityUnits;
  return {
      number("semi_major_axis", "a of the orbit [length]; below 0 for a hyperbola")
          .or_quantity(dimension::length, deck),
      positive("period", "period of the orbit, instead of semi_major_axis [time]")
          .or_quantity(dimension::time, deck),
      positive("pericentre",
               "smallest distance on the orbit, instead of semi_major_axis; for any eccentricity, "
               "also 1, a parabola [length]")
          .or_quantity(dimension::length, deck),
      number("eccentricity", "e of the orbit; default 0; above 1 for a hyperbola").at_least(0.0),
      number("inclination", "inclination of the orbit to the x-y plane [degrees]; default 0"),
      number("node", "longitude of the ascending node [degrees]; default 0"),
      number("argument", "argument of pericentre, from the node [degrees]; default 0"),
      number("mean_anomaly",
             "position on the orbit as the mean anomaly [degrees]; default pericentre"),
      number("true_anomaly", "position on the orbit as the angle at the primary [degrees]"),
      number("eccentric_anomaly",
             "position on the orbit as the angle at the centre of the ellipse [degrees]"),
      number("pericentre_time", "position on the orbit as the time of pericentre passage [time]")
          .or_quantity(dimension::time, deck),
  };
}

OrbitalState listed_state(Values const& body, double gravity) {
  if (body.has("pericentre")) return state_on_conic(body, gravity);
  double const a = body.has("period") ? axis_of_period(body.number("period"), gravity)
                                      : body.number("semi_major_axis");
  ElementsInDegrees const elements{a,
                                   number_or_zero(body, "eccentricity"),
                                   0.0,
                                   number_or_zero(body, "inclination"),
                                   number_or_zero(body, "node"),
                                   number_or_zero(body, "argument")};
  Anomaly anomaly{Anomaly::Kind::mean, number_or_zero(body, "mean_anomaly")};
  if (body.has("true_anomaly")) anomaly = {Anomaly::Kind::true_, body.number("true_anomaly")};
  if (body.has("eccentric_anomaly")) {
    anomaly = {Anomaly::Kind::eccentric, body.number("eccentric_anomaly")};
  }
  if (body.has("pericentre_time")) {
    anomaly.degrees = mean_anomaly_after(body.number("pericentre_time"), a, gravity);
  }
  return state_on_orbit(elements, anomaly, gravity);
}

std::optional<Problem> find_orbit_problem(Values const& body, std::string const& where) {
  if (!has_orbit(body)) return find_problem_without_orbit(body, where);
  for (auto const* key : {"position", "velocity"}) {
    if (!body.has(key)) continue;
    auto const* const size = body.has("semi_major_axis") ? sizes[0]
                             : body.has("period")        ? sizes[1]
                                                         : sizes[2];
    return Problem{where, "'" + std::string(key) + "' conflicts with '" + size + "'",
                   "the orbit determines position and velocity of the body", "remove one of them"};
  }
  if (auto problem = find_excess(body, where, sizes, "more than one size of the orbit",
                                 "each determines the orbit")) {
    return problem;
  }
  if (auto problem = find_excess(body, where, phases, "more than one anomaly",
                                 "each determines the position on the orbit")) {
    return problem;
  }
  if (auto problem = find_shape_problem(body, where)) return problem;
  return find_anomaly_problem(body, where);
}

}  // namespace apsis::initial_conditions
