// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/text.hpp>
#include <apsis/initial_conditions/orbit.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace apsis::initial_conditions {

namespace {

/// Keys for the position of a body on its orbit; at most one of them, none for pericentre.
constexpr std::array<char const*, 4> phases{"mean_anomaly", "true_anomaly", "eccentric_anomaly",
                                            "pericentre_time"};
/// Keys that are only valid for a body with an orbit.
constexpr std::array<char const*, 8> orbit_keys{
    "eccentricity", "inclination",       "node",           "argument", "mean_anomaly",
    "true_anomaly", "eccentric_anomaly", "pericentre_time"};

bool has_orbit(Values const& body) {
  return body.has("semi_major_axis");
}

double number_or_zero(Values const& body, char const* name) {
  return body.has(name) ? body.number(name) : 0.0;
}

std::int64_t count_listed(Values const& values) {
  return static_cast<std::int64_t>(values.records("list").size());
}

OrbitalState on_orbit(Values const& body, double gravity) {
  double const a = body.number("semi_major_axis");
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

HostBodies make_listed(Values const& values, double G) {
  auto const& list = values.records("list");
  bool const jacobi = values.has("orbits_about") && values.text("orbits_about") == "jacobi";
  HostBodies bodies(list.size());
  bool const has_radii =
      std::any_of(list.begin(), list.end(), [](Values const& body) { return body.has("radius"); });
  // The centre of orbits: the first body, or the centre of mass of the bodies before.
  RunningCentre centre;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto const& body = list[i];
    double const m = bodies.mass[i] = body.number("mass");
    if (has_radii) bodies.radius.push_back(number_or_zero(body, "radius"));
    if (has_orbit(body)) {
      auto const relative = on_orbit(body, G * (centre.mass + m));
      bodies.position[i] = centre.position + relative.position;
      bodies.velocity[i] = centre.velocity + relative.velocity;
    } else {
      bodies.position[i] = body.vector3("position");
      if (body.has("velocity")) bodies.velocity[i] = body.vector3("velocity");
    }
    if (i == 0) {
      centre = {m, bodies.position[i], bodies.velocity[i]};
    } else if (jacobi) {
      centre.add(m, bodies.position[i], bodies.velocity[i]);
    }
  }
  if (is_centred(values)) initial_conditions::centre(bodies);
  return bodies;
}

/// Returns the problem with the shape of an orbit or with the anomaly on it; nothing if they are
/// valid.
std::optional<Problem> find_orbit_problem(Values const& body, std::string const& where) {
  double const a = body.number("semi_major_axis"), e = number_or_zero(body, "eccentricity");
  bool const hyperbola = e > 1.0;
  if (a == 0.0 || e == 1.0 || (a < 0.0) != hyperbola) {
    return Problem{where, "invalid orbit",
                   "semi_major_axis is " + shortest(a) + " and eccentricity " + shortest(e),
                   "an ellipse has semi_major_axis > 0 and eccentricity < 1, a hyperbola "
                   "semi_major_axis < 0 and eccentricity > 1; for a parabola use an eccentricity "
                   "close to 1"};
  }
  if (hyperbola && body.has("eccentric_anomaly")) {
    return Problem{where, "'eccentric_anomaly' of a hyperbola", "a hyperbola has no such angle",
                   "set mean_anomaly, true_anomaly or pericentre_time instead"};
  }
  if (hyperbola && body.has("true_anomaly") &&
      !(1.0 + e * sine_cosine(body.number("true_anomaly")).cosine > 0.0)) {
    return Problem{where, "the true anomaly is outside the asymptotes",
                   "it is " + shortest(body.number("true_anomaly")) + " degrees",
                   "set an angle with a cosine above " + shortest(-1.0 / e)};
  }
  return std::nullopt;
}

/// Returns the problem with one body of the list; nothing if the body is valid.
std::optional<Problem> find_problem(Values const& body, std::size_t i, double mass_before) {
  auto const where = "list[" + std::to_string(i) + "]";
  auto const problem = [&](std::string const& what, std::string const& why,
                           std::string const& advice) {
    return Problem{where, what, why, advice};
  };
  if (!has_orbit(body)) {
    for (auto const* key : orbit_keys) {
      if (body.has(key)) {
        return problem("'" + std::string(key) + "' without 'semi_major_axis'",
                       "it is an element of an orbit", "set semi_major_axis or remove it");
      }
    }
    if (body.has("position")) return std::nullopt;
    return problem("no position", "it has neither a position nor an orbit",
                   "set 'position', or 'semi_major_axis' and the other elements of an orbit");
  }
  for (auto const* key : {"position", "velocity"}) {
    if (body.has(key)) {
      return problem("'" + std::string(key) + "' conflicts with 'semi_major_axis'",
                     "the orbit determines position and velocity of the body",
                     "remove one of them");
    }
  }
  int phase_count = 0;
  for (auto const* key : phases) phase_count += body.has(key) ? 1 : 0;
  if (phase_count > 1) {
    return problem("more than one anomaly", "each determines the position on the orbit",
                   "keep one of 'mean_anomaly', 'true_anomaly', 'eccentric_anomaly', "
                   "'pericentre_time'");
  }
  if (i == 0) {
    return problem(
        "the first body cannot have an orbit", "orbits are about bodies earlier in the list",
        R"(begin the list with the primary, such as {"mass": 1, "position": [0, 0, 0]})");
  }
  if (!(mass_before + body.number("mass") > 0.0)) {
    return problem("orbit without a central mass", "the body and those that it orbits have mass 0",
                   "begin the list with a massive body");
  }
  return find_orbit_problem(body, where);
}

std::vector<Problem> check_listed(Values const& values, Units const& /*units*/) {
  std::vector<Problem> problems;
  auto const& list = values.records("list");
  bool const jacobi = values.has("orbits_about") && values.text("orbits_about") == "jacobi";
  double mass = 0.0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (auto problem = find_problem(list[i], i, mass)) problems.push_back(std::move(*problem));
    if (i == 0 || jacobi) mass += list[i].number("mass");
  }
  return problems;
}

}  // namespace

ModelEntry const& listed() {
  static std::vector<Parameter> const fields{
      number("mass", "mass of the body [mass]").at_least(0.0).needed(),
      number("radius", "radius of the body, for collisions [length]; default 0").at_least(0.0),
      vector3("position", "position [length]; alternatively give an orbit"),
      vector3("velocity", "velocity [length / time]; default 0"),
      number("semi_major_axis", "a of the orbit [length]; below 0 for a hyperbola"),
      number("eccentricity", "e of the orbit; default 0; above 1 for a hyperbola").at_least(0.0),
      number("inclination", "inclination of the orbit to the x-y plane [degrees]; default 0"),
      number("node", "longitude of the ascending node [degrees]; default 0"),
      number("argument", "argument of pericentre, from the node [degrees]; default 0"),
      number("mean_anomaly",
             "position on the orbit as the mean anomaly [degrees]; default pericentre"),
      number("true_anomaly", "position on the orbit as the angle at the primary [degrees]"),
      number("eccentric_anomaly",
             "position on the orbit as the angle at the centre of the ellipse [degrees]"),
      number("pericentre_time", "position on the orbit as the time of pericentre passage [time]"),
  };
  static ModelEntry const entry{
      "list",
      "bodies given individually in the deck, one object each",
      {records("list", fields, "the bodies").needed(),
       choice("orbits_about", {"primary", "jacobi"},
              "centre of the orbits: primary: the first body; jacobi: the centre of mass of all "
              "bodies before")
           .with_default(std::string("primary")),
       centring()},
      count_listed,
      make_listed,
      nullptr,
      check_listed};
  return entry;
}

}  // namespace apsis::initial_conditions
