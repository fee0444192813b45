// SPDX-License-Identifier: Apache-2.0
#include "masses.hpp"

#include "mass_function.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::initial_conditions {

namespace {

/// First body index of the random numbers for masses. Masses have separate random numbers, so that
/// positions and velocities do not depend on the mass function. No model has so many bodies.
constexpr std::uint64_t mass_stream = std::uint64_t{1} << 63;

Parameter masses_object(bool is_sphere) {
  // Keys that every mass function has besides its own.
  auto const with_common = [&](std::vector<Parameter> parameters) {
    parameters.push_back(
        boolean("scaled",
                "whether the drawn masses are rescaled to the sum `mass`, if `mass` is set")
            .with_default(true));
    if (is_sphere) {
      parameters.push_back(
          number("segregation",
                 "degree S of mass segregation without a change of the mass profile: 0 is none, 1 "
                 "orders the bodies by mass from the most bound orbit (Baumgardt, De Marchi & "
                 "Kroupa 2008, ApJ 685, 247; McLuster)")
              .at_least(0.0)
              .at_most(1.0)
              .with_default(0.0));
    }
    return parameters;
  };
  std::vector<Form> forms;
  forms.push_back({"function", "equal", "every body has the same mass", {}, true});
  forms.push_back(
      {"function", "kroupa",
       "Kroupa 2001, MNRAS 322, 231: dN/dm ~ m^-0.3 below 0.08, m^-1.3 below 0.5, m^-2.3 above",
       with_common(
           {number("minimum", "lowest mass [solar masses]").at_least(0.01).with_default(0.08),
            number("maximum", "highest mass [solar masses]").above(0.01).with_default(100.0)})});
  forms.push_back({"function", "power_law", "dN/dm ~ m^-exponent",
                   with_common({number("exponent", "Salpeter's is 2.35")
                                    .at_least(-100.0)
                                    .at_most(100.0)
                                    .with_default(2.35),
                                number("minimum", "lowest mass [mass]").above(0.0).needed(),
                                number("maximum", "highest mass [mass]").above(0.0).needed()})});
  return object("masses", std::move(forms), "mass function of the bodies").always_present();
}

MassFunction function_of(Values const& masses) {
  double const minimum = masses.number("minimum");
  double const maximum = masses.number("maximum");
  if (masses.text("function") == "kroupa") return MassFunction::kroupa(minimum, maximum);
  return MassFunction::power_law(masses.number("exponent"), minimum, maximum);
}

bool are_drawn(Values const& masses) {
  return masses.text("function") != "equal";
}

}  // namespace

ModelEntry cluster_entry(std::string name, std::string doc, std::vector<Parameter> parameters,
                         HostBodies (*make)(Values const&, double G), bool is_sphere) {
  parameters.insert(
      parameters.begin(),
      {number("mass",
              "total mass of the bodies [mass]; without it, masses drawn in physical units are not "
              "rescaled")
           .above(0.0)
           .with_default_in_natural_units(1.0)
           .needed_unless({"masses.function"}, {"kroupa", "power_law"}),
       masses_object(is_sphere)});
  bool const has_ratio =
      std::any_of(parameters.begin(), parameters.end(),
                  [](Parameter const& parameter) { return parameter.name == "virial_ratio"; });
  if (!has_ratio) parameters.push_back(virial_ratio_key());
  return {std::move(name), std::move(doc), with_count_and_seed(std::move(parameters)),
          requested_count, make,           equilibrium_virial_ratio,
          check_masses};
}

Masses drawn_masses(Values const& values) {
  auto const count = static_cast<std::size_t>(requested_count(values));
  auto const& masses = values.object("masses");
  if (!are_drawn(masses)) {
    double const total = values.number("mass");
    return {std::vector<double>(count, total / static_cast<double>(count)), total};
  }
  auto const function = function_of(masses);
  Masses drawn{std::vector<double>(count), 0.0};
  for (std::size_t i = 0; i < count; ++i) {
    drawn.each[i] = function.mass(BodyRandom(requested_seed(values), mass_stream + i).uniform());
    drawn.total += drawn.each[i];
  }
  if (!values.has("mass") || !masses.boolean("scaled")) return drawn;
  double const total = values.number("mass");
  for (double& m : drawn.each) m *= total / drawn.total;
  drawn.total = total;
  return drawn;
}

HostBodies make_cluster(Values const& values, Masses masses, double G, DrawBody const& draw) {
  HostBodies bodies(masses.each.size());
  bodies.mass = std::move(masses.each);
  auto const& function = values.object("masses");
  double const segregation = function.has("segregation") ? function.number("segregation") : 0.0;
  if (segregation > 0.0) {
    draw_segregated(bodies, values, segregation, G, draw);
  } else {
    draw_bodies(bodies, values, draw);
  }
  bring_to_rest(bodies);
  return bodies;
}

std::vector<Problem> check_masses(Values const& values, Units const& units) {
  auto const& masses = values.object("masses");
  if (!masses.has("minimum") || !masses.has("maximum")) return {};
  std::vector<Problem> problems;
  double const minimum = masses.number("minimum");
  double const maximum = masses.number("maximum");
  if (minimum >= maximum) {
    problems.push_back({"masses.minimum", "contradicts masses.maximum",
                        shortest(minimum) + " is not below " + shortest(maximum),
                        "set minimum below maximum"});
  }
  bool const is_unscaled = !values.has("mass") || !masses.boolean("scaled");
  bool const in_solar_masses =
      !units.si || std::abs(units.si->mass / constants::solar_mass - 1.0) < 1e-3;
  if (masses.text("function") == "kroupa" && is_unscaled && !in_solar_masses) {
    problems.push_back(
        {"masses.function", "contradicts units",
         "'kroupa' draws solar masses, the unit of mass of the deck is " + units.mass,
         "set `mass` to the total mass, or units.system to 'astrophysical'"});
  }
  return problems;
}

}  // namespace apsis::initial_conditions
