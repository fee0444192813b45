// SPDX-License-Identifier: Apache-2.0
#include "deck/resolve.hpp"
#include "support/contains.hpp"
#include "support/relative.hpp"
#include <apsis/deck/configuration.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace apsis;
using apsis::testing::approximately;
using apsis::testing::contains;

namespace {

deck::ConfiguredDeck deck_with(std::vector<std::string> const& overrides) {
  return deck::configure(R"({"bodies": {"generator": "plummer", "count": 100, "mass": 1,
                                          "scale_radius": 1},
                               "integrator": {"time_step": 0.01}, "run": {"steps": 1}})",
                         "deck", overrides);
}

Units units_with(std::vector<std::string> const& overrides) {
  auto const run = deck_with(overrides).configuration;
  CHECK(run.units.G == run.gravity.law.G);
  return run.units;
}

std::string unit_problems(std::vector<std::string> const& overrides) {
  try {
    deck_with(overrides);
  } catch (Error const& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "";
}

std::string const pc = "units.system=astrophysical";
std::string const si = R"(units={"length": 1, "mass": 1, "time": 1})";

}  // namespace

TEST_CASE("G follows from the units; a deck without units and G has G = 1") {
  CHECK(units_with({}).system == "henon");
  CHECK(units_with({}).G == 1.0);
  CHECK(units_with({"units.system=henon"}).G == 1.0);
  CHECK(units_with({pc}).G == unit_systems().get("astrophysical").G);
  CHECK(units_with({"units.system=solar"}).G == unit_systems().get("solar").G);
  CHECK(units_with({si}).G == 6.6743e-11);
  CHECK(units_with({si}).system == "custom");
}

TEST_CASE("G without units means dimensionless units") {
  CHECK(units_with({"gravity.G=1"}).system == "henon");
  CHECK(units_with({"gravity.G=2"}).system == "dimensionless");
  CHECK(units_with({"gravity.G=2"}).G == 2.0);
  CHECK(units_with({"gravity.G=2", "units.system=dimensionless"}).G == 2.0);
  CHECK(units_with({"units.system=dimensionless"}).G == 1.0);
}

TEST_CASE("a G that contradicts the units is refused, and the error names both values") {
  CHECK(unit_problems({"units.system=henon", "gravity.G=2"}) ==
        "deck: gravity.G: contradicts units (the deck has 2, 'henon' units have 1); "
        "leave gravity.G out or set units.system to 'dimensionless'");
  CHECK(contains(unit_problems({"units.system=henon", "gravity.G=1.000001"}), "contradicts units"));
  // 4 pi^2: Gaussian year.
  CHECK(contains(unit_problems({"units.system=solar", "gravity.G=39.47841760435743"}),
                 "the deck has 39.47841760435743, 'solar' units have 39.4769264"));
  // Value of PeTar, with a tropical year.
  CHECK(contains(unit_problems({pc, "gravity.G=0.00449830997959438"}), "contradicts units"));
  CHECK(contains(unit_problems({pc, "gravity.G=1"}), "contradicts units"));
  // CODATA 2014.
  CHECK(contains(unit_problems({si, "gravity.G=6.67408e-11"}), "these units have 6.6743e-11"));
  // A value rounded to six digits is accepted and used as the deck gives it.
  CHECK(units_with({"units.system=solar", "gravity.G=39.4769"}).G == 39.4769);
  CHECK(units_with({pc, "gravity.G=0.0044985"}).G == 0.0044985);
}

TEST_CASE("custom units are complete, positive and give a representable G") {
  CHECK(contains(unit_problems({"units.length=1", "units.mass=1"}), "units.time: missing key"));
  CHECK(contains(unit_problems({"units.mass=1"}), "units.length: missing key"));
  CHECK(contains(unit_problems({"units.system=solar", "units.length=1"}), "contradictory keys"));
  CHECK(contains(unit_problems({"units.system=imperial"}),
                 "must be one of 'henon', 'astrophysical'"));
  CHECK(contains(unit_problems({"units.system=astrophysic"}), "did you mean 'astrophysical'?"));
  CHECK(contains(unit_problems({R"(units={"length": 1e-200, "mass": 1, "time": 1})"}),
                 "deck: units: out of range (G in these units would be inf)"));
  CHECK(contains(unit_problems({R"(units={"length": 1e200, "mass": 1, "time": 1})"}),
                 "G in these units would be 0)"));
}

TEST_CASE("invalid units give no further problem about G or the bodies") {
  for (auto const* wrong : {"units.system=imperial", "units.length=1"}) {
    auto const text = unit_problems({wrong, "gravity.G=3"});
    CHECK(contains(text, "units"));
    CHECK(text.find("contradicts") == std::string::npos);
  }
}

TEST_CASE("bodies.henon_units needs a deck without other units") {
  CHECK(unit_problems({"bodies.henon_units=true"}).empty());
  CHECK(unit_problems({"bodies.henon_units=true", "units.system=dimensionless"}).empty());
  CHECK(contains(unit_problems({"bodies.henon_units=true", pc}),
                 "bodies.henon_units: contradicts units"));
  CHECK(contains(
      unit_problems({"bodies.henon_units=true",
                     R"(units={"length": 1, "mass": 1.49828447e10, "time": 1})", "gravity.G=1"}),
      "bodies.henon_units: contradicts units"));
  CHECK(contains(unit_problems({"bodies.henon_units=true", "gravity.G=2"}),
                 "bodies.henon_units: contradicts gravity.G"));
}

TEST_CASE("the resolved deck contains its units and reproduces the run") {
  for (std::vector<std::string> const& overrides : std::vector<std::vector<std::string>>{
           {}, {pc}, {si}, {"gravity.G=2"}, {"units.system=solar", "gravity.G=39.4769"}}) {
    auto const first = deck_with(overrides);
    auto const second = deck::configure(first.resolved, "deck", {});
    CHECK(second.resolved == first.resolved);
    CHECK(second.configuration.gravity.law.G == first.configuration.gravity.law.G);
    CHECK(second.configuration.units.system == first.configuration.units.system);
    CHECK(contains(first.resolved, "\"units\": {"));
    CHECK(contains(first.resolved, "\"G\": "));
  }
  CHECK(contains(deck_with({"gravity.G=2"}).resolved, "\"system\": \"dimensionless\""));
  CHECK(contains(deck_with({si}).resolved, "\"time\": 1.0"));
}

TEST_CASE("a model in au is refused in other units") {
  initial_conditions::ModelEntry model{"planets", "", {}, nullptr, nullptr};
  model.units = "solar";
  auto const problem_in = [&](Units const& units) {
    std::vector<Problem> list;
    deck::DeckProblems problems("deck", list);
    deck::check_units("bodies", model, units, problems);
    return list.empty() ? "" : list.front().text();
  };
  CHECK(problem_in(unit_systems().get("solar")) == "");
  CHECK(problem_in(unit_systems().get("henon")) ==
        "deck: bodies.generator: contradicts units ('planets' makes bodies in au, Msun and yr, the "
        "deck has 'henon' units); set units.system to 'solar', and leave gravity.G out");
  CHECK(contains(problem_in(custom_units({1.0, 1.0, 1.0})), "the deck has these units"));
  model.units = "";
  CHECK(problem_in(unit_systems().get("henon")) == "");
}

namespace {

/// Returns the problems of a deck with these bodies in physical units.
std::string problems_of(std::string const& bodies, std::string const& units = "astrophysical") {
  try {
    deck::configure(R"({"units": {"system": ")" + units + R"("}, "bodies": )" + bodies +
                        R"(, "integrator": {"time_step": 0.01}, "run": {"steps": 1}})",
                    "deck", {});
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

std::string king_model(std::string const& more) {
  return R"({"generator": "king", "count": 100)" + more + "}";
}

std::string const kroupa = R"(, "masses": {"function": "kroupa"})";

}  // namespace

TEST_CASE("masses and lengths have defaults in dimensionless units only") {
  std::string const radius = R"(, "core_radius": 0.5)";
  CHECK(problems_of(king_model(radius), "henon") == "");
  CHECK(contains(problems_of(king_model(radius)), "deck: bodies.mass: missing key"));
  CHECK(contains(problems_of(king_model(radius)), "'astrophysical' units have no default for it"));
  CHECK(contains(problems_of(king_model(R"(, "mass": 100)")),
                 "deck: bodies.virial_radius: missing key"));
  CHECK(problems_of(king_model(radius + R"(, "mass": 100)")) == "");
  CHECK(problems_of(king_model(radius + kroupa)) == "");
  CHECK(contains(
      problems_of(R"({"generator": "composite", "parts": [{"bodies": )" + king_model("") + "}]}"),
      "deck: bodies.parts[0].bodies.mass: missing key"));
  // An invalid key is not also reported as missing.
  auto const wrong = problems_of(king_model(radius + R"(, "mass": -1)"));
  CHECK(contains(wrong, "bodies.mass: out of range"));
  CHECK(wrong.find("missing") == std::string::npos);
  // All lengths and masses of all generators.
  for (auto const& model : initial_conditions::models()) {
    for (auto const& parameter : model.parameters) {
      CAPTURE(model.name);
      CAPTURE(parameter.name);
      bool const sized = contains(parameter.doc, "[length]") || contains(parameter.doc, "[mass]");
      bool const has_default = !std::holds_alternative<std::monostate>(parameter.fallback);
      if (sized && has_default) CHECK(parameter.natural);
    }
  }
}

TEST_CASE("sampled masses are in solar masses; rescaled ones have the sum `mass`") {
  auto const total = [](std::string const& more, std::string const& units) {
    auto const run =
        deck::configure(R"({"units": )" + units + R"(, "bodies": )" +
                            king_model(R"(, "core_radius": 0.5, "seed": 3)" + more) +
                            R"(, "integrator": {"time_step": 0.01}, "run": {"steps": 1}})",
                        "deck", {})
            .configuration;
    auto const bodies = run.bodies.model->make(run.bodies.values, run.gravity.law.G);
    double sum = 0.0;
    for (double const m : bodies.mass) sum += m;
    return sum;
  };
  std::string const pc_units = R"({"system": "astrophysical"})";
  double const drawn = total(kroupa, pc_units);
  CHECK(drawn > 20.0);
  CHECK(drawn < 150.0);
  CHECK(total(R"(, "mass": 2, "masses": {"function": "kroupa", "scaled": false})", pc_units) ==
        drawn);
  CHECK(total(R"(, "mass": 2)" + kroupa, pc_units) == approximately(2.0));
  CHECK(total(kroupa, R"({"system": "henon"})") == approximately(1.0));
  auto const kilograms = R"({"length": 3e16, "mass": 1, "time": 3e13})";
  CHECK(total(R"(, "mass": 2)" + kroupa, kilograms) == approximately(2.0));
  CHECK_THROWS_WITH_AS(
      total(kroupa, kilograms),
      "deck: bodies.masses.function: contradicts units ('kroupa' draws solar masses, the unit of "
      "mass of the deck is 1 kg); set `mass` to the total mass, or units.system to 'astrophysical'",
      Error);
}
