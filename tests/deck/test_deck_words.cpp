// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/decks.hpp"
#include <apsis/deck/configuration.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

/// Keys and values of other codes are recognised.
using namespace apsis;
using apsis::testing::contains;
using apsis::testing::problems_of;
using apsis::testing::sphere_deck;
using apsis::testing::two_listed;

TEST_CASE("orbital elements by their names in REBOUND and in the table columns") {
  struct Row {
    char const* key;
    char const* message;
  };
  for (auto const& row : {
           Row{"m", R"(write "mass": 0.5)"},
           Row{"M", R"(write "mean_anomaly": 0.5, in degrees)"},
           Row{"a", R"(write "semi_major_axis": 0.5)"},
           Row{"e", R"(write "eccentricity": 0.5)"},
           Row{"inc", R"(write "inclination": 0.5, in degrees)"},
           Row{"Omega", R"(write "node": 0.5, in degrees)"},
           Row{"omega", R"(write "argument": 0.5, in degrees)"},
           Row{"ascending_node", R"(write "node": 0.5, in degrees)"},
           Row{"argument_of_pericenter", R"(write "argument": 0.5, in degrees)"},
           Row{"f", R"(write "true_anomaly": 0.5, in degrees)"},
           Row{"T", R"(write "pericentre_time": 0.5)"},
           Row{"P", R"(write "period": 0.5)"},
           Row{"q", R"(write "pericentre": 0.5)"},
           Row{"pomega", "give node and argument"},
           Row{"lambda", "give mean_anomaly, which is this angle minus node and argument"},
           Row{"parent", R"(write "primary": ...)"},
           Row{"theta", "give true_anomaly, which is this angle minus node and argument"},
           Row{"label", R"(write "name": ...)"},
           Row{"hash", "give a name"},
           Row{"r", "radius"},
       }) {
    CAPTURE(row.key);
    auto const list = R"(bodies={"list": [{"mass": 1, "position": [0, 0, 0]}, {")" +
                      std::string(row.key) + R"(": 0.5}]})";
    auto const message = problems_of(two_listed, {list});
    CHECK(contains(message, "bodies.list[1]." + std::string(row.key) + ": unknown key"));
    CHECK(contains(message, row.message));
  }
}

TEST_CASE("units by name, and words that begin like a key") {
  auto const units = [](std::string const& text) {
    return problems_of(two_listed, {"units=" + text});
  };
  CHECK(units(R"({"length": "kpc", "mass": "1e10 Msun", "velocity": "km/s"})") == "");
  CHECK(units(R"({"length": 3.0856775814913673e19, "mass": 1.98841e30, "time": "Gyr"})") == "");
  CHECK(contains(
      units(R"({"length": "furlong", "mass": 1, "time": 1})"),
      R"(units.length: not a unit of its kind (found "furlong"); must be a finite number > 0, )"
      R"(or a unit by its name, as "kpc": au, pc, kpc, Mpc, m, km, cm)"));
  CHECK(contains(units(R"({"length": 1, "mass": "pc", "time": 1})"), "units.mass: not a unit of"));
  CHECK(
      contains(units(R"({"length": 1, "mass": 1, "time": "km/s"})"), "units.time: not a unit of"));
  CHECK(contains(units(R"({"length": 1, "mass": 1})"), "units.time: missing key"));
  CHECK(contains(units(R"({"length": 1, "mass": 1, "time": 1, "velocity": 1})"),
                 "'time', 'velocity' are given together"));
  CHECK(contains(units(R"({"length": 1, "mass": 1, "speed": "km/s"})"),
                 R"(write "velocity": "km/s")"));
  for (auto const* key : {"bodies.trunc", "bodies.Truncation", "bodies.truncation_radius"}) {
    CAPTURE(key);
    CHECK(contains(problems_of(sphere_deck, {std::string(key) + "=5"}),
                   "did you mean 'truncation'?"));
  }
  CHECK(contains(problems_of(sphere_deck, {"bodies.generator=\"plummer model\""}),
                 "did you mean 'plummer'?"));
}

TEST_CASE("one mistake gives one error, and a list of keys is shown once") {
  std::string const king = R"({"units": {"system": "astrophysical"},
    "bodies": {"generator": "king", "count": 100, "half_mass_radius": "1 pc", "mass": 100},
    "gravity": {"softening": 0.1}, "integrator": {"time_step": 0.01}, "run": {"steps": 1}})";
  auto const one = problems_of(king, {});
  CHECK(contains(one, "bodies.half_mass_radius: wrong type"));
  CHECK_FALSE(contains(one, "virial_radius: missing"));
  CHECK(contains(problems_of(king, {"bodies.half_mass_radius=null", "bodies.count=-5"}),
                 "virial_radius: missing"));
  auto const list = problems_of(
      two_listed, {R"(bodies={"list": [{"m": 1, "position": [0, 0, 0]}, {"m": 1, "a": 1}]})"});
  CHECK(contains(list, "bodies.list[0].m: unknown key (allowed: 'name', 'mass', "));
  CHECK(contains(list, R"(bodies.list[1].a: unknown key (allowed keys: see above); write "semi)"));
}

TEST_CASE("a misnamed section, record key or object is not also reported as missing") {
  auto const section = problems_of(sphere_deck, {"run=null", "tmax=3"});
  CHECK(contains(section, R"(write "run": {"end_time": 3})"));
  CHECK_FALSE(contains(section, "missing"));
  auto const record = problems_of(sphere_deck, {R"(output.render=[{"intervall": 0.1}])"});
  CHECK(contains(record, "did you mean 'interval'?"));
  CHECK_FALSE(contains(record, "missing"));
  std::string const sphere = R"({"bodies": {"generator": "plummer", "count": 9}})";
  auto const orbit = [&](std::string const& key) {
    return problems_of(sphere_deck, {R"(bodies={"generator": "composite", "parts": [)" + sphere +
                                     ", " + sphere.substr(0, sphere.size() - 1) +
                                     R"(, "orbit": {")" + key + R"(": 1, "separation": 3}}]})"});
  };
  CHECK(contains(orbit("rp"), R"(orbit.rp: unknown key)"));
  CHECK(contains(orbit("rp"), R"(write "pericentre": 1)"));
  CHECK_FALSE(contains(orbit("rp"), "missing"));
  CHECK_FALSE(contains(orbit("pericenter"), "missing"));
  CHECK(orbit("pericentre") == "");
  auto const king =
      problems_of(sphere_deck, {"units.system=astrophysical",
                                R"(bodies={"generator": "king", "count": 9, "mass": 9, "rh": 1})"});
  CHECK(contains(king, R"(write "half_mass_radius": 1)"));
  CHECK_FALSE(contains(king, "missing"));
  // A required section that was not given is missing, whatever else is wrong.
  CHECK(contains(problems_of(sphere_deck, {"run=null", "speed=3"}), "run: missing section"));
}

TEST_CASE("the error for a key of another form of an object names that form") {
  CHECK(contains(problems_of(sphere_deck, {R"(bodies.masses={"minimum": 1, "maximum": 3})"}),
                 "it belongs to 'masses' with function 'kroupa' or 'power_law'"));
  CHECK(contains(problems_of(sphere_deck, {"bodies.parts=3"}),
                 "it belongs to 'bodies' with generator 'composite'"));
}

TEST_CASE("advice for units, parts and keys that are one level too deep") {
  auto const gadget = problems_of(sphere_deck, {R"(units={"UnitLength_in_cm": 3e21})"});
  CHECK(contains(gadget, "allowed: 'system', 'length', 'mass', 'time', 'velocity'"));
  CHECK(contains(gadget, R"(write "length": "kpc", "mass": "1e10 Msun", "velocity": "km/s")"));
  auto const near = problems_of(
      two_listed, {R"(units={"lenght": "kpc", "mass": "1e10 Msun", "velocity": "km/s"})"});
  CHECK(contains(near, "units.lenght: unknown key"));
  CHECK(contains(near, "did you mean 'length'?"));
  CHECK(std::count(near.begin(), near.end(), '\n') <= 1);
  std::string const part = R"({"bodies": {"generator": "plummer", "count": 9)";
  CHECK(contains(problems_of(sphere_deck, {"bodies=[" + part + "}}]"}),
                 R"(write "bodies": {"generator": "composite", "parts": [...]})"));
  CHECK(contains(problems_of(sphere_deck, {R"(bodies={"parts": [)" + part + "}}]}"}),
                 R"(give "generator": "composite")"));
  CHECK(contains(problems_of(sphere_deck, {R"(bodies={"generator": "composite", "parts": [)" +
                                           part + R"(, "inclination": 3}}]})"}),
                 "bodies.parts[0].bodies.inclination: unknown key"));
  CHECK(contains(problems_of(sphere_deck, {R"(bodies={"generator": "composite", "parts": [)" +
                                           part + R"(, "inclination": 3}}]})"}),
                 "it belongs beside 'bodies', not in it"));
  // A key of another generator is not taken for a similar key.
  CHECK(contains(
      problems_of(sphere_deck, {R"(bodies={"generator": "king", "count": 9, "scale_height": 1})"}),
      "it belongs to 'bodies' with generator 'disk_galaxy'"));
  CHECK_FALSE(contains(problems_of(sphere_deck, {"bodies.centre=true"}), "follow"));
  CHECK(
      contains(problems_of(sphere_deck, {"output.dt=0.1"}), "give conservation_interval or snap"));
}

TEST_CASE("output keys of NBODY6, times of a run, and keys that many forms have") {
  CHECK(contains(problems_of(sphere_deck, {"DELTAT=1"}), R"(write "output": {"conservation_int)"));
  CHECK(
      contains(problems_of(sphere_deck, {"delta_t=1"}), R"(write "integrator": {"time_step": 1)"));
  CHECK(contains(problems_of(sphere_deck, {"run.time=4"}), R"(write "end_time": 4)"));
  CHECK(contains(problems_of(sphere_deck, {"seed=4"}), "it belongs to 'bodies'"));
  CHECK_FALSE(contains(problems_of(sphere_deck, {"seed=4"}), "plummer"));
}

TEST_CASE("the error for a quantity with a unit asks for units or a number") {
  CHECK(contains(problems_of(two_listed, {"bodies.list[0].mass=\"1 Mjup\""}),
                 "set units.system, such as 'solar', or write the number alone"));
  CHECK(contains(problems_of(sphere_deck, {"run.end_time=\"1 Gyr\""}), "write the number alone"));
  CHECK_FALSE(contains(problems_of(sphere_deck, {"run.end_time=\"1\""}), "alone"));
}

TEST_CASE("alternative names for keys of pictures") {
  CHECK(contains(problems_of(sphere_deck, {"output.pictures=0.1"}), R"(write "render": [...])"));
  CHECK(contains(problems_of(sphere_deck, {"output.render=0.1"}),
                 R"(write "render": [{"interval": 0.1, ...}, ...])"));
  CHECK(
      contains(problems_of(sphere_deck, {R"(output.render=[{"interval": 0.1, "color": "speed"}])"}),
               R"(write "colour": "speed")"));
  CHECK(contains(problems_of(sphere_deck, {R"(output.render=[{"interval": 0.1, "centre": 1}])"}),
                 "give follow: origin, centre_of_mass"));
}

TEST_CASE("words with another meaning are answered with the right key") {
  CHECK(contains(problems_of(sphere_deck, {"gravity.eps2=0.01"}), "its square root"));
  // Words of the tutorials on OpenCL and CUDA.
  CHECK(contains(problems_of(sphere_deck, {"gravity.epsSqr=0.01"}), "its square root"));
  CHECK(contains(problems_of(sphere_deck, {"integrator.deltaTime=0.01"}), "time_step"));
  CHECK(contains(problems_of(sphere_deck, {"nparticle=100"}), "count"));
  CHECK(contains(problems_of(sphere_deck, {"output.nburst=0.5"}), "conservation_interval"));
  CHECK(contains(problems_of(sphere_deck, {"nthread=4"}), "--threads"));
  CHECK(contains(problems_of(sphere_deck, {"diagnostics.orbits={}"}),
                 R"(write "orbital_elements": {})"));
  CHECK(contains(problems_of(sphere_deck, {"conservation.energy=1e-3"}),
                 R"(write "max_relative_energy_error": 0.001)"));
  CHECK(contains(problems_of(sphere_deck, {R"(integrator.stepping={"name": "block"})"}),
                 R"(write "mode": "block")"));
}

TEST_CASE("opening angles, softening lengths and distances by their names in other codes") {
  struct Row {
    char const* override_text;
    char const* message;
  };
  for (auto const& row : {
           Row{"theta=0.5", R"(write "gravity": {"opening_angle": 0.5})"},
           Row{"ErrTolTheta=0.5", R"(write "gravity": {"opening_angle": 0.5})"},
           Row{"gravity.dTheta=0.5", R"(write "solver": "fmm" beside "opening_angle")"},
           Row{"gravity.theta=0.5", R"(write "solver": "fmm" beside "opening_angle")"},
           Row{"gravity.opening_angle2=0.25", "its square root"},
           Row{"run.exit_max_distance=9", R"(write "escape_radius": 9)"},
           Row{"run.exit_min_distance=0.1", R"(write "encounter_distance": 0.1)"},
           Row{"exit_max_distance=9", R"(write "run": {"escape_radius": 9})"},
           Row{"ErrTolIntAccuracy=0.025", R"("stepping": {"eta": 0.025})"},
           Row{"gravity.SofteningHalo=0.1", R"(write "softening": 0.1)"},
           Row{"SofteningDiskMaxPhys=0.1", R"(write "gravity": {"softening": 0.1})"},
           Row{"gravity.dSoft=0.1", R"(write "softening": 0.1)"},
           Row{"gravity.ErrTolForceAcc=0.005", R"(write "solver": "fmm" beside "accuracy")"},
           Row{"InitCondFile=\"ics.dat\"", R"(write "bodies": {"file": "ics.dat"})"},
       }) {
    CAPTURE(row.override_text);
    CHECK(contains(problems_of(sphere_deck, {row.override_text}), row.message));
  }
  for (auto const* word : {"theta", "ErrTolTheta", "dTheta"}) {
    CAPTURE(word);
    CHECK(contains(problems_of(sphere_deck, {R"(gravity={"solver": "fmm", ")" + std::string(word) +
                                             R"(": 0.5})"}),
                   R"(write "opening_angle": 0.5)"));
  }
}

TEST_CASE("a common word is an alternative name only in its own section") {
  CHECK_FALSE(contains(problems_of(sphere_deck, {"output.snapshot=1"}), "bodies"));
  CHECK_FALSE(contains(problems_of(sphere_deck, {"gravity.h=3"}), "time_step"));
  CHECK(contains(problems_of(sphere_deck, {"gravity.type=\"direct\""}),
                 R"(write "solver": "direct")"));
  CHECK(contains(problems_of(sphere_deck, {"integrator.kind=\"rk4\""}), R"(write "name": "rk4")"));
  CHECK(contains(problems_of(sphere_deck, {"bodies.kind=\"plummer\""}),
                 R"(write "generator": "plummer")"));
  CHECK_FALSE(contains(problems_of(sphere_deck, {"output.kind=\"hdf5\""}), "integrator"));
  CHECK(contains(problems_of(sphere_deck, {"tmax=3"}), R"(write "run": {"end_time": 3})"));
}

TEST_CASE("a misnamed key gives one error and is not also reported as missing") {
  auto const one = problems_of(sphere_deck, {"integrator.time_step=null", "integrator.dt=0.01"});
  CHECK(contains(one, R"(integrator.dt: unknown key)"));
  CHECK(contains(one, R"(write "time_step": 0.01)"));
  CHECK_FALSE(contains(one, "missing"));
  auto const either = problems_of(sphere_deck, {"run.end_time=null", "run.tmax=1"});
  CHECK(contains(either, R"(write "end_time": 1)"));
  CHECK_FALSE(contains(either, "missing"));
  // A valid key is not an alternative name for another key.
  CHECK(contains(problems_of(sphere_deck, {"run.end_time=null", "run.escape_radius=1"}),
                 "run: missing key"));
}
TEST_CASE("each alternative name refers to an existing key or value") {
  auto const& deck = deck::deck_table();
  for (auto const& alias : deck.aliases) {
    CAPTURE(alias.word);
    CAPTURE(alias.path);
    if (alias.path.empty()) continue;
    std::vector<std::string> words;
    std::istringstream in(alias.path);
    for (std::string word; std::getline(in, word, '.');) words.push_back(word);
    // A key that selects a form is not listed by itself, but its object is.
    auto const place = deck::deck_reference(deck, {words.begin(), words.end() - 1});
    bool const known = place.find(words.back()) != std::string::npos;
    bool const below = known || !deck::deck_reference(deck, words).empty();
    CHECK(below);
  }
}

TEST_CASE("the reference gives type, range, default, unit and meaning of each key") {
  auto const& deck = deck::deck_table();
  auto const gravity = deck::deck_reference(deck, {"gravity"});
  CHECK(contains(gravity, "a finite number >= 0, default 0.0 [length]\n"));
  CHECK(contains(gravity, "softening length eps\n"));
  CHECK(
      contains(gravity, "one of 'plummer', 'spline', 'wendland_c2', 'none', default \"plummer\""));
  auto const plummer = deck::deck_reference(deck, {"bodies", "plummer"});
  CHECK(contains(plummer, "bodies plummer: Plummer sphere"));
  CHECK(contains(plummer, "generator           \"plummer\"\n"));
  CHECK(contains(plummer, ", required"));
  CHECK(contains(plummer, "masses.function"));
  CHECK(contains(plummer, "number of bodies"));
  CHECK(contains(deck::deck_reference(deck, {"integrator", "hermite4", "stepping"}), "'block'"));
  CHECK(contains(deck::deck_reference(deck, {"bodies", "list"}), "list[].mass"));
  // Keys without a default in physical units name the keys that replace them, here and in the
  // schema.
  auto const king = deck::deck_reference(deck, {"bodies", "king"});
  CHECK(contains(deck::deck_reference(deck, {"bodies", "king", "virial_radius"}), "core_radius"));
  CHECK(contains(king,
                 "a finite number > 0, required in physical units unless half_mass_radius or\n"
                 "                      core_radius is given [length]"));
  CHECK(contains(king,
                 "default 1.0, required in physical units unless\n                      "
                 "masses.function is 'kroupa' or 'power_law' [mass]"));
  CHECK(contains(plummer, "required in physical units\n                      [length]"));
  CHECK(contains(deck::deck_reference(deck, {"units", "length"}),
                 "Gyr, required\n            unless velocity is given [s]"));
  auto const schema = deck::json_schema(deck);
  CHECK(contains(schema, "; required in physical units unless half_mass_radius or core_radius is"));
  CHECK(contains(schema, "units unless masses.function is 'kroupa' or 'power_law'\""));
  CHECK_FALSE(contains(schema, "otherwise required"));
  CHECK(contains(deck::deck_reference(deck, {}), "$schema"));
  CHECK_THROWS_AS(deck::deck_reference(deck, {"gravty"}), Error);
  CHECK_THROWS_AS(deck::deck_reference(deck, {"gravity", "softening", "more"}), Error);
  // Every entry of the table has a reference, and every line fits a terminal.
  for (auto const& section : deck.sections) {
    for (auto const& form : section.forms) {
      auto const& word = form.choice.empty() ? form.selector : form.choice;
      auto const words = word.empty() ? std::vector<std::string>{section.name}
                                      : std::vector<std::string>{section.name, word};
      auto const text = deck::deck_reference(deck, words);
      for (auto const& parameter : form.parameters) CHECK(contains(text, parameter.name));
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
    }
  }
}

TEST_CASE("a key of another solver is not taken for a key of the integrator") {
  auto const message = problems_of(sphere_deck, {"gravity.accuracy=1e-3"});
  CHECK(contains(message, "it belongs to 'gravity' with solver 'fmm' or 'auto'"));
  CHECK(!contains(message, "eta"));
}
