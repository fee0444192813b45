// SPDX-License-Identifier: Apache-2.0
#include "masses.hpp"

#include <apsis/core/text.hpp>
#include <apsis/initial_conditions/mass_function.hpp>

#include <cmath>

namespace apsis::initial_conditions {

namespace {

/// Masses have random numbers of their own, so that a model places its bodies in the same way
/// whatever their masses are. No model has as many bodies as this.
constexpr std::uint64_t mass_stream = std::uint64_t{1} << 63;

Parameter masses_object() {
  auto const scaled = [] {
    return boolean("scaled",
                   "if there is a `mass`, multiply what was drawn so that it is the sum; false "
                   "leaves the sum what it is")
        .or_else(true);
  };
  std::vector<Form> forms;
  forms.push_back({"function", "equal", "every body has the same mass", {}, true});
  forms.push_back(
      {"function",
       "kroupa",
       "Kroupa 2001, MNRAS 322, 231: dN/dm ~ m^-0.3 below 0.08, m^-1.3 below 0.5, m^-2.3 above",
       {number("minimum", "lowest mass [solar masses]").at_least(0.01).or_else(0.08),
        number("maximum", "highest mass [solar masses]").above(0.01).or_else(100.0), scaled()}});
  forms.push_back(
      {"function",
       "power_law",
       "dN/dm ~ m^-exponent",
       {number("exponent", "Salpeter's is 2.35").at_least(-100.0).at_most(100.0).or_else(2.35),
        number("minimum", "lowest mass [mass]").above(0.0).needed(),
        number("maximum", "highest mass [mass]").above(0.0).needed(), scaled()}});
  return object("masses", std::move(forms), "how the mass is shared out").there_always();
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

ModelEntry cluster_entry(std::string name, std::string doc, std::vector<Parameter> own,
                         HostBodies (*make)(Values const&, double G)) {
  own.insert(own.begin(),
             {number("mass",
                     "of all bodies [mass]; without it masses that are drawn stand in units that "
                     "have names")
                  .above(0.0)
                  .or_else_in_natural_units(1.0)
                  .unless([](Values const& beside) {
                    return beside.has("masses") && are_drawn(beside.object("masses"));
                  }),
              masses_object()});
  return {std::move(name), std::move(doc), with_count_and_seed(std::move(own)),
          requested_count, make,           in_equilibrium,
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

HostBodies cluster(Values const& values, Masses masses, Place const& place) {
  HostBodies bodies(masses.each.size());
  bodies.mass = std::move(masses.each);
  place_each(bodies, values, place);
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
                        "set it below the maximum"});
  }
  bool const stand = !values.has("mass") || !masses.boolean("scaled");
  bool const of_suns = !units.si || std::abs(units.si->mass / constants::solar_mass - 1.0) < 1e-3;
  if (masses.text("function") == "kroupa" && stand && !of_suns) {
    problems.push_back({"masses.function", "contradicts units",
                        "'kroupa' draws solar masses, the deck's unit of mass is " + units.mass,
                        "give `mass` for the sum, or set units.system to 'astrophysical'"});
  }
  return problems;
}

}  // namespace apsis::initial_conditions
