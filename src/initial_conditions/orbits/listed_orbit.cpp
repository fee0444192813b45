// SPDX-License-Identifier: Apache-2.0
#include "primaries.hpp"
#include <apsis/core/text.hpp>
#include <apsis/initial_conditions/model.hpp>

#include <array>

namespace apsis::initial_conditions {

namespace {

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

/// Returns the problem with a number of keys of which one is allowed; nothing if there is one or
/// none.
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
  return Problem{where, "invalid orbit",
                 "semi_major_axis is " + shortest(a) + " and eccentricity " + shortest(e),
                 "an ellipse has semi_major_axis > 0 and eccentricity < 1, a hyperbola "
                 "semi_major_axis < 0 and eccentricity > 1; a parabola has a pericentre and no "
                 "semi_major_axis"};
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
      number("period", "period of the orbit, instead of semi_major_axis [time]")
          .above(0.0)
          .or_quantity(dimension::time, deck),
      number("pericentre",
             "smallest distance on the orbit, instead of semi_major_axis; for any eccentricity, "
             "also 1, a parabola [length]")
          .above(0.0)
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
