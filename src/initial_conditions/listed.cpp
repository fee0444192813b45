// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/core/text.hpp>
#include <apsis/initial_conditions/orbit.hpp>

#include <array>
#include <optional>

namespace apsis::initial_conditions {

namespace {

/// The keys that say where on its orbit a body is; one of them, or none for pericentre.
constexpr std::array<char const*, 4> phases{"mean_anomaly", "true_anomaly", "eccentric_anomaly",
                                            "pericentre_time"};
/// The keys that a body with an orbit alone may have.
constexpr std::array<char const*, 8> of_orbits{
    "eccentricity", "inclination",       "node",           "argument", "mean_anomaly",
    "true_anomaly", "eccentric_anomaly", "pericentre_time"};

bool has_orbit(Values const& body) {
  return body.has("semi_major_axis");
}

double or_zero(Values const& body, char const* name) {
  return body.has(name) ? body.number(name) : 0.0;
}

std::int64_t count_listed(Values const& values) {
  return static_cast<std::int64_t>(values.records("list").size());
}

/// What a body orbits.
struct Centre {
  double mass;
  Vec3<double> position, velocity;
};

OrbitalState on_orbit(Values const& body, double gravity) {
  double const a = body.number("semi_major_axis");
  ElementsInDegrees const elements{a,
                                   or_zero(body, "eccentricity"),
                                   0.0,
                                   or_zero(body, "inclination"),
                                   or_zero(body, "node"),
                                   or_zero(body, "argument")};
  Anomaly anomaly{Anomaly::Kind::mean, or_zero(body, "mean_anomaly")};
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
  Centre centre{0.0, {}, {}};
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto const& body = list[i];
    double const m = bodies.mass[i] = body.number("mass");
    if (has_orbit(body)) {
      auto const relative = on_orbit(body, G * (centre.mass + m));
      bodies.position[i] = centre.position + relative.position;
      bodies.velocity[i] = centre.velocity + relative.velocity;
    } else {
      bodies.position[i] = body.vector3("position");
      if (body.has("velocity")) bodies.velocity[i] = body.vector3("velocity");
    }
    if (i > 0 && !jacobi) continue;
    double const all = centre.mass + m;
    double const share = all > 0.0 ? m / all : (i == 0 ? 1.0 : 0.0);
    centre.position = centre.position + share * (bodies.position[i] - centre.position);
    centre.velocity = centre.velocity + share * (bodies.velocity[i] - centre.velocity);
    centre.mass = all;
  }
  if (is_centred(values)) initial_conditions::centre(bodies);
  return bodies;
}

/// What is wrong with the shape of an orbit, and with where a body is on it.
std::optional<Problem> wrong_with_orbit(Values const& body, std::string const& here) {
  double const a = body.number("semi_major_axis"), e = or_zero(body, "eccentricity");
  bool const hyperbola = e > 1.0;
  if (a == 0.0 || e == 1.0 || (a < 0.0) != hyperbola) {
    return Problem{here, "no orbit",
                   "semi_major_axis is " + shortest(a) + " and eccentricity " + shortest(e),
                   "an ellipse has semi_major_axis > 0 and eccentricity < 1, a hyperbola "
                   "semi_major_axis < 0 and eccentricity > 1; come close to 1 for a parabola"};
  }
  if (hyperbola && body.has("eccentric_anomaly")) {
    return Problem{here, "'eccentric_anomaly' of a hyperbola", "it is no angle there",
                   "give mean_anomaly, true_anomaly or pericentre_time"};
  }
  if (hyperbola && body.has("true_anomaly") &&
      !(1.0 + e * sine_cosine(body.number("true_anomaly")).cosine > 0.0)) {
    return Problem{here, "a true anomaly outside the asymptotes",
                   "it is " + shortest(body.number("true_anomaly")) + " degrees",
                   "the hyperbola has those whose cosine is above " + shortest(-1.0 / e)};
  }
  return std::nullopt;
}

/// What is wrong with one body of the list; nothing if it is good.
std::optional<Problem> wrong_with(Values const& body, std::size_t i, double mass_before) {
  auto const here = "list[" + std::to_string(i) + "]";
  auto const problem = [&](std::string const& what, std::string const& why,
                           std::string const& advice) {
    return Problem{here, what, why, advice};
  };
  if (!has_orbit(body)) {
    for (auto const* key : of_orbits) {
      if (body.has(key)) {
        return problem("'" + std::string(key) + "' without 'semi_major_axis'",
                       "it is an element of an orbit", "give semi_major_axis or remove it");
      }
    }
    if (body.has("position")) return std::nullopt;
    return problem("no place", "it has neither a position nor an orbit",
                   "give 'position', or 'semi_major_axis' and the other elements of an orbit");
  }
  for (auto const* key : {"position", "velocity"}) {
    if (body.has(key)) {
      return problem("'" + std::string(key) + "' beside 'semi_major_axis'",
                     "the orbit says where the body is and how it moves", "remove one of them");
    }
  }
  int phases_given = 0;
  for (auto const* key : phases) phases_given += body.has(key) ? 1 : 0;
  if (phases_given > 1) {
    return problem("more than one anomaly", "each says where on its orbit the body is",
                   "keep one of 'mean_anomaly', 'true_anomaly', 'eccentric_anomaly', "
                   "'pericentre_time'");
  }
  if (i == 0) {
    return problem(
        "an orbit about nothing", "orbits are about bodies earlier in the list",
        R"(begin the list with the primary, such as {"mass": 1, "position": [0, 0, 0]})");
  }
  if (!(mass_before + body.number("mass") > 0.0)) {
    return problem("an orbit about no mass", "what it orbits has mass 0",
                   "begin the list with a body that has mass");
  }
  return wrong_with_orbit(body, here);
}

std::vector<Problem> check_listed(Values const& values, Units const& /*units*/) {
  std::vector<Problem> problems;
  auto const& list = values.records("list");
  bool const jacobi = values.has("orbits_about") && values.text("orbits_about") == "jacobi";
  double mass = 0.0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (auto problem = wrong_with(list[i], i, mass)) problems.push_back(std::move(*problem));
    if (i == 0 || jacobi) mass += list[i].number("mass");
  }
  return problems;
}

}  // namespace

ModelEntry const& listed() {
  static std::vector<Parameter> const fields{
      number("mass", "[mass]").at_least(0.0).needed(),
      vector3("position", "where it is [length]; or else an orbit"),
      vector3("velocity", "how it moves [length / time]; at rest without it"),
      number("semi_major_axis", "a of its orbit [length]; below 0 for a hyperbola"),
      number("eccentricity", "e of its orbit; 0 without it, above 1 for a hyperbola").at_least(0.0),
      number("inclination", "of its orbit to the x-y plane [degrees]; 0 without it"),
      number("node", "longitude of the ascending node [degrees]; 0 without it"),
      number("argument", "of pericentre, from the node [degrees]; 0 without it"),
      number("mean_anomaly", "where it is on its orbit [degrees]; at pericentre without any"),
      number("true_anomaly", "the same as an angle at the primary [degrees]"),
      number("eccentric_anomaly", "the same as an angle at the centre [degrees]"),
      number("pericentre_time", "the same by the time at which it passes pericentre [time]"),
  };
  static ModelEntry const entry{
      "list",
      "bodies written out in the deck, one object each",
      {records("list", fields, "the bodies").needed(),
       choice("orbits_about", {"primary", "jacobi"},
              "what orbits are about: primary: the first body; jacobi: the centre of mass of all "
              "bodies before")
           .or_else(std::string("primary")),
       centring()},
      count_listed,
      make_listed,
      nullptr,
      check_listed};
  return entry;
}

}  // namespace apsis::initial_conditions
