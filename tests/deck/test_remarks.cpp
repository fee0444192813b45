// SPDX-License-Identifier: Apache-2.0
#include "formats/bodies_formats.hpp"
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/relative.hpp"
#include "support/scratch.hpp"
#include <apsis/deck/remarks.hpp>
#include <apsis/run/loop.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

using namespace apsis;
using apsis::testing::approximately;
using apsis::testing::contains;

namespace {

std::string remarks_on(std::string const& bodies, std::vector<std::string> const& overrides = {}) {
  auto const run = apsis::testing::configured(R"({"bodies": )" + bodies +
                                                  R"(, "gravity": {"softening": 0.1},
                                     "integrator": {"time_step": 0.01}, "run": {"steps": 100}})",
                                              overrides);
  std::string notes;
  for (auto const& line : deck::remarks(run)) notes += line + "\n";
  return notes;
}

std::string const planet = R"({"list": [{"mass": 1, "position": [0, 0, 0]},
                                        {"mass": 0.1, "semi_major_axis": 1}]})";
std::string const cluster =
    R"({"generator": "king", "count": 100, "masses": {"function": "kroupa", "maximum": 50}})";

}  // namespace

TEST_CASE("orbital elements with G = 1 give a note, unless the deck names units") {
  CHECK(contains(remarks_on(planet), "note: orbits are in units with G = 1"));
  CHECK(contains(remarks_on(planet), R"(write "units": {"system": "solar"})"));
  CHECK(remarks_on(planet, {"units.system=solar"}) == "");
  CHECK(contains(remarks_on(planet, {"units.system=dimensionless"}), "orbits are in units with"));
  CHECK(remarks_on(planet, {"gravity.G=39.47"}) == "");
  CHECK(remarks_on(R"({"list": [{"mass": 1, "position": [0, 0, 0]}]})") == "");
}

TEST_CASE("a softening length above a pericentre or a distance of given bodies gives a note") {
  auto const notes_on = [](std::string const& bodies, std::vector<std::string> const& overrides) {
    auto const run = apsis::testing::configured(
        R"({"bodies": )" + bodies + R"(, "integrator": {"name": "gauss_radau15", "time_step": 0.01},
            "run": {"steps": 100}})",
        overrides);
    auto const made = simulation::make_bodies(run);
    std::string notes;
    for (auto const& line : deck::remarks(run, made, deck::measure_scales(run, made))) {
      notes += line + "\n";
    }
    return notes;
  };
  std::string const planets = R"({"generator": "solar_system"})";
  std::vector<std::string> const solar{"units.system=solar"};
  auto const with = [&](std::string const& softening) {
    return notes_on(planets, {solar[0], "gravity.softening=" + softening});
  };
  CHECK(contains(with("0.5"),
                 "note: the softening length, 0.5 au, is larger than the smallest "
                 "pericentre, 0.307 au"));
  CHECK_FALSE(contains(with("0.3"), "softening length"));
  CHECK_FALSE(contains(with("0"), "softening length"));
  std::string const triangle = R"({"list": [{"mass": 1, "position": [0, 0, 0]},
      {"mass": 1, "position": [1, 0, 0]}, {"mass": 1, "position": [0, 2, 0]}]})";
  CHECK(contains(notes_on(triangle, {"gravity.softening=1.1"}),
                 "is larger than the smallest distance, 1:"));
  CHECK_FALSE(contains(notes_on(triangle, {"gravity.softening=0.9"}), "softening length"));
  CHECK_FALSE(contains(notes_on(cluster, {"gravity.softening=0.1"}), "softening length"));
}

TEST_CASE("rescaled masses give a note, and so does a total mass that is not used") {
  CHECK(contains(remarks_on(cluster, {"bodies.mass=60"}),
                 "masses are sampled between 0.08 and 50, and then multiplied so that their sum is "
                 "`mass`, 60"));
  CHECK(contains(remarks_on(cluster, {"bodies.mass=60", "bodies.masses.scaled=false"}),
                 "note: bodies.mass, 60, is not used"));
  // Dimensionless units have a default total mass.
  auto const plain = remarks_on(cluster);
  CHECK(contains(plain,
                 "with masses.scaled false they are kept; for solar masses, pc and Myr write"));
  CHECK_FALSE(contains(plain, "without `mass`"));
  std::vector<std::string> const parsecs{"units.system=astrophysical", "bodies.virial_radius=1"};
  CHECK(remarks_on(cluster, parsecs) == "");
  CHECK(remarks_on(R"({"generator": "plummer", "count": 100})") == "");
}

TEST_CASE("parts with the same random numbers give a note, and parts are checked like bodies") {
  auto const parts = [](std::string const& first, std::string const& second) {
    return R"({"generator": "composite", "parts": [{"bodies": )" + first + R"(}, {"bodies": )" +
           second + R"(, "position": [5, 0, 0]}]})";
  };
  std::string const sphere = R"({"generator": "plummer", "count": 100})";
  CHECK(contains(remarks_on(parts(sphere, sphere)),
                 "note: parts 0 and 1 are both drawn with seed 0: one is a scaled copy of the "
                 "other"));
  CHECK(remarks_on(parts(sphere, R"({"generator": "plummer", "count": 100, "seed": 7})")) == "");
  CHECK(remarks_on(parts(sphere, R"({"generator": "nfw", "count": 100})")) == "");
  auto const together = R"({"generator": "composite", "parts": [{"bodies": )" + sphere +
                        R"(}, {"bodies": {"generator": "plummer", "count": 5, "seed": 3}}]})";
  CHECK(contains(remarks_on(together), "note: parts 0 and 1 are in one place"));
  CHECK(contains(remarks_on(parts(sphere, planet)), "orbits are in units with G = 1"));
}

TEST_CASE("a drifting centre of mass of given bodies gives a note before the run") {
  auto const drift = [](std::vector<std::string> const& overrides) {
    auto const run = apsis::testing::configured(
        R"({"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
                                {"mass": 1, "position": [1, 0, 0], "velocity": [0, 1, 0]}]},
            "integrator": {"time_step": 0.01}, "run": {"steps": 100}})",
        overrides);
    auto const bodies = run.bodies.model->make(run.bodies.values, 1.0);
    return deck::remark_on_drift(run, bodies).value_or("");
  };
  CHECK(drift({}) ==
        "the centre of mass moves 0.5 in the run; bodies.centre = true puts it at rest");
  CHECK(drift({"units.system=solar"}) ==
        "the centre of mass moves 0.5 au in the run; bodies.centre = true puts it at rest");
  CHECK(drift({"bodies.centre=true"}) == "");
  CHECK(drift({"run.steps=1"}) == "");
}

TEST_CASE("angles that may be radians give a note") {
  auto const list = [](std::string const& angles) {
    return R"({"list": [{"mass": 1, "position": [0, 0, 0]},
      {"mass": 0.1, "semi_major_axis": 1, "inclination": 0.02, "node": 1.7, )" +
           angles + "}]}";
  };
  std::vector<std::string> const solar{"units.system=solar"};
  CHECK(contains(remarks_on(list(R"("argument": 4.8, "mean_anomaly": 0.3)"), solar),
                 "none of these orbits' is above 4.8: if they are radians, multiply them by"));
  CHECK(remarks_on(list(R"("argument": 48, "mean_anomaly": 0.3)"), solar) == "");
  CHECK(remarks_on(list(R"("argument": 4.8)"), solar) == "");  // too few angles to decide
  // Inclinations of planets in degrees are small.
  std::string flat = R"({"list": [{"mass": 1, "position": [0, 0, 0]})";
  for (auto const* i : {"1.3", "2.49", "0.77", "1.77"}) {
    flat += R"(, {"mass": 0.1, "semi_major_axis": )" + std::string(i) + R"(, "inclination": )" + i +
            "}";
  }
  CHECK(remarks_on(flat + "]}", solar) == "");
}

TEST_CASE("many bodies without softening and with fixed steps give a note") {
  std::string const sphere = R"({"generator": "plummer", "count": 100})";
  std::vector<std::string> const hard{"gravity.softening=0"};
  auto const warned = [&](std::vector<std::string> more) {
    more.insert(more.end(), hard.begin(), hard.end());
    return contains(remarks_on(sphere, more), "note: without softening, fixed steps");
  };
  CHECK(warned({}));
  CHECK(warned({"integrator.name=hermite4"}));
  CHECK_FALSE(warned({"integrator.name=hermite4", "integrator.stepping.mode=block"}));
  CHECK_FALSE(warned({"bodies.count=10"}));
  // Planets with massless bodies may be intended.
  std::string list = R"({"list": [{"mass": 1, "position": [0, 0, 0]})";
  for (int k = 1; k < 30; ++k) {
    list += R"(, {"mass": 0, "position": [)" + std::to_string(k) + ", 0, 0]}";
  }
  CHECK(remarks_on(list + "]}", hard) == "");
  CHECK(remarks_on(sphere) == "");
}

namespace {
std::string remarks_on_bodies(std::string const& bodies,
                              std::vector<std::string> const& overrides = {}) {
  auto const run =
      apsis::testing::configured(R"({"bodies": )" + bodies + R"(, "gravity": {"softening": 0.1},
          "integrator": {"time_step": 0.01}, "run": {"steps": 100}})",
                                 overrides);
  auto const model_bodies = run.bodies.model->make(run.bodies.values, run.gravity.law.G);
  std::string notes;
  auto const scales = deck::measure_scales(run, model_bodies);
  for (auto const& line : deck::remarks(run, model_bodies, scales)) notes += line + "\n";
  return notes;
}
}  // namespace

TEST_CASE("steps that are long against the time scales give a note") {
  std::string const sphere = R"({"generator": "plummer", "count": 1000})";
  CHECK(remarks_on_bodies(sphere) == "");
  CHECK(
      contains(remarks_on_bodies(sphere, {"integrator.time_step=1"}), "note: a step of 1 is 0.5"));
  CHECK(
      contains(remarks_on_bodies(sphere, {"integrator.time_step=1"}), " of the crossing time, 1."));
  // Periods 2 pi and 2 pi 8 (a = 1 and a = 4): the shorter one counts.
  std::string const planets = R"({"list": [{"mass": 1, "position": [0, 0, 0]},
      {"mass": 0, "semi_major_axis": 4}, {"mass": 0, "semi_major_axis": 1}]})";
  CHECK(remarks_on_bodies(planets) == "");
  CHECK(contains(remarks_on_bodies(planets, {"integrator.time_step=1"}),
                 "note: a step of 1 is 0.16 of the shortest orbit's period, 6.28"));
}

TEST_CASE("steps that are long against pericentre passages give a note") {
  auto const notes_on = [](std::string const& list, std::vector<std::string> overrides = {}) {
    overrides.emplace_back("gravity.softening=0");
    return remarks_on_bodies(R"({"list": [{"mass": 1, "position": [0, 0, 0]}, )" + list + "]}",
                             overrides);
  };
  // 2 pi sqrt(q^3 / 1.99) with q = 0.01.
  std::string const comet =
      R"({"mass": 0, "semi_major_axis": 1, "eccentricity": 0.99, "mean_anomaly": 180})";
  CHECK(contains(notes_on(comet),
                 "note: a step of 0.01 is 2.2 of the shortest pericentre passage (2 pi sqrt(q^3 / "
                 "(G M (1 + e))), q = 0.01), 0.00445"));
  CHECK(notes_on(comet, {"integrator.time_step=0.0003"}) == "");
  // Nine leapfrog steps in a passage lose 45 % of the energy.
  CHECK(contains(
      notes_on(R"({"mass": 1, "semi_major_axis": 1, "eccentricity": 0.9, "mean_anomaly": 180})",
               {"integrator.time_step=0.015625"}),
      "note: a step of 0.0156 is 0.15 of the shortest pericentre passage"));
  CHECK(notes_on(comet, {"integrator.name=hermite4", "integrator.stepping.mode=adaptive"}) == "");
  // The passage of a circular orbit is its period, which is noted once.
  auto const circle = notes_on(R"({"mass": 0, "semi_major_axis": 1})", {"integrator.time_step=1"});
  CHECK(contains(circle, "of the shortest orbit's period"));
  CHECK_FALSE(contains(circle, "pericentre"));
  // Unbound bodies count while they approach, not while they leave.
  auto const parabola = [](char const* v) {
    return R"({"mass": 0, "position": [10, 0.1, 0], "velocity": [)" + std::string(v) + ", 0, 0]}";
  };
  CHECK(contains(notes_on(parabola("-0.5")), "shortest pericentre passage"));
  CHECK_FALSE(contains(notes_on(parabola("0.5")), "shortest pericentre passage"));
  // If the softening length exceeds the pericentre, it determines the passage.
  CHECK_FALSE(contains(
      remarks_on_bodies(R"({"list": [{"mass": 1, "position": [0, 0, 0]}, )" + comet + "]}"),
      "pericentre passage"));
}

TEST_CASE("softening lengths of species without bodies give a note") {
  auto const notes = [](std::string const& lengths) {
    auto const run = apsis::testing::configured(
        R"({"bodies": {"generator": "plummer", "count": 100}, "integrator": {"time_step": 0.01},
            "run": {"steps": 100}})",
        {"gravity.softening_by_species=" + lengths});
    std::string text;
    for (auto const& line : deck::remarks(run, simulation::make_bodies(run), {}))
      text += line + "\n";
    return text;
  };
  CHECK(contains(notes(R"({"dark": 0.1, "stars": 0.01})"),
                 "not used: gravity.softening_by_species.stars: no body is of this species"));
  CHECK_FALSE(contains(notes(R"({"dark": 0.1})"), "not used"));
}

TEST_CASE("unbound systems give a note with their virial ratio, in any frame") {
  // `factor`: speeds relative to those of equilibrium, where K/|W| is 1/2.
  auto const notes_on = [](std::string const& count, double factor, double bulk) {
    auto const run = apsis::testing::configured(
        R"({"bodies": {"generator": "plummer", "count": 1}, "gravity": {"softening": 0.001},
            "integrator": {"time_step": 0.01}, "run": {"steps": 100}})",
        {"bodies.count=" + count});
    auto model_bodies = run.bodies.model->make(run.bodies.values, run.gravity.law.G);
    for (auto& v : model_bodies.velocity) v = factor * v + Vec3<double>{bulk, 0.0, 0.0};
    std::string notes;
    for (auto const& line :
         deck::remarks(run, model_bodies, deck::measure_scales(run, model_bodies)))
      notes += line;
    return notes;
  };
  for (double const bulk : {0.0, 1000.0}) {
    CAPTURE(bulk);
    CHECK(contains(notes_on("500", 8.0, bulk), "note: K/|W| is 3"));
    CHECK(contains(notes_on("500", 8.0, bulk), "(1/2 in equilibrium): these bodies fly apart"));
    CHECK_FALSE(contains(notes_on("500", 1.2, bulk), "K/|W|"));
  }
  CHECK_FALSE(contains(notes_on("2", 100.0, 0.0),
                       "K/|W|"));  // two bodies that pass each other may be intended
  // For many bodies the potential is sampled.
  CHECK(contains(notes_on("20000", 219.0, 0.0), "note: K/|W| is 2"));
  CHECK_FALSE(contains(notes_on("20000", 1.2, 0.0), "K/|W|"));
}

TEST_CASE("velocities that may be per day instead of per year give a note") {
  auto const notes_on = [](char const* speed, std::string const& units) {
    return remarks_on_bodies(R"({"list": [{"mass": 1, "position": [0, 0, 0]},
        {"mass": 1e-6, "position": [1, 0, 0], "velocity": [0, )" +
                                 std::string(speed) + R"(, 0]},
        {"mass": 1e-6, "position": [5, 0, 0], "velocity": [0, 0.0075, 0]}]})",
                             {"units.system=" + units, "integrator.time_step=0.001"});
  };
  CHECK(contains(notes_on("0.0172", "solar"),
                 "note: no body moves faster than 0.27 % of the circular speed about the heaviest: "
                 "velocities are taken in au yr^-1; if the numbers are per day"));
  CHECK_FALSE(contains(notes_on("6.28", "solar"), "circular speed"));
  CHECK_FALSE(contains(notes_on("0", "dimensionless"), "circular speed"));
}

TEST_CASE("coordinates that single precision does not resolve give a note") {
  auto const notes_on = [](std::string const& x, std::vector<std::string> overrides) {
    overrides.emplace_back("gravity.softening=0.01");
    return remarks_on_bodies(R"({"generator": "composite", "parts": [{"bodies":
        {"generator": "plummer", "count": 1000}, "position": [)" +
                                 x + R"(, 0, 0]}, {"bodies": {"generator": "plummer",
        "count": 1000, "seed": 2}, "position": [-)" +
                                 x + ", 0, 0]}]}",
                             overrides);
  };
  std::string const single = "gravity.precision=single";
  CHECK(contains(notes_on("8500", {single}),
                 "note: in single precision coordinates near 8.5e+03 are rounded to 0.00101, more "
                 "than a thousandth of the mean distance between bodies"));
  CHECK(contains(notes_on("500000", {single}), "more than gravity.softening, 0.01"));
  CHECK_FALSE(contains(notes_on("8500", {"gravity.precision=mixed"}), "single precision"));
  CHECK_FALSE(contains(notes_on("10", {single}), "single precision"));
}

TEST_CASE("more bodies than a solver supports are refused, however much memory there is") {
  auto const notes_on = [](std::string const& solver, std::string const& count) {
    return apsis::testing::problems_of(testing::sphere_deck,
                                       {"gravity.solver=" + solver, "bodies.count=" + count});
  };
  for (auto const* solver : {"fmm", "auto"}) {
    CAPTURE(solver);
    CHECK(contains(notes_on(solver, "1073741824"),
                   "bodies.count: too many for the solver '" + std::string(solver) +
                       "' (the deck has 1073741824 bodies, it takes at most 1073741823)"));
    CHECK_FALSE(contains(notes_on(solver, "1073741823"), "too many for the solver"));
  }
  CHECK_FALSE(contains(notes_on("direct", "1073741824"), "too many for the solver"));
}

TEST_CASE("a non-zero time of a file of bodies gives a note that it is not used") {
  testing::Scratch const scratch;
  HostBodies bodies(3);
  bodies.mass = {1.0, 1.0, 1.0};
  bodies.position = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
  auto const notes_on = [&](double time) {
    formats::BodiesFile file;
    file.bodies = bodies;
    file.time = time;
    formats::write_bodies(scratch / "three.tipsy", "tipsy", file, {});
    return remarks_on(R"({"file": ")" + (scratch / "three.tipsy").string() + R"("})");
  };
  CHECK(contains(notes_on(5.0),
                 "not used: the time of the file of bodies, 5: the run begins at time 0"));
  CHECK_FALSE(contains(notes_on(0.0), "the time of the file"));
}

TEST_CASE("each part of a composite has its own time scales, with which steps are compared") {
  std::string const parts = R"({"generator": "composite", "parts": [
      {"bodies": {"generator": "plummer", "count": 1000, "mass": 2}},
      {"bodies": {"generator": "plummer", "count": 500, "scale_radius": 0.1, "seed": 1},
       "position": [9, 0, 0]}]})";
  auto const notes = remarks_on_bodies(parts, {"integrator.time_step=0.025"});
  CHECK(contains(notes, "of the crossing time of part 1, 0.1"));
  CHECK_FALSE(contains(notes, "part 0"));
  auto const run = apsis::testing::configured(R"({"bodies": )" + parts + R"(,
      "integrator": {"time_step": 0.01}, "run": {"steps": 100}})",
                                              {});
  auto const model_bodies = run.bodies.model->make(run.bodies.values, run.gravity.law.G);
  auto const scales = deck::measure_scales(run, model_bodies);
  CHECK_FALSE(scales.whole.crossing_time);
  REQUIRE(scales.parts.size() == 2);
  CHECK(scales.parts[0].mass == approximately(2.0));
  auto const text = deck::bodies_text(run, scales);
  CHECK(contains(text, "total mass 3"));
  CHECK(contains(text, "\npart 1: total mass 1, of each body 0.002, half-mass radius 0.1"));
}

TEST_CASE("a run that ends at once gives a note") {
  std::string const sphere = R"({"generator": "plummer", "count": 1000})";
  CHECK(contains(remarks_on_bodies(sphere, {"run.escape_radius=1"}),
                 "note: run.escape_radius is 1 and a body begins "));
  CHECK(remarks_on_bodies(sphere, {"run.escape_radius=100"}) == "");
  CHECK(contains(remarks_on_bodies(sphere, {"run.encounter_distance=0.5"}),
                 "note: run.encounter_distance is 0.5 and two bodies begin "));
  CHECK(remarks_on_bodies(sphere, {"run.encounter_distance=1e-9"}) == "");
}

TEST_CASE("an approaching part gives a note with its pericentre time") {
  auto const parts = [](std::string const& orbit) {
    return R"({"generator": "composite", "parts": [
      {"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}]}},
      {"bodies": {"list": [{"mass": 0.5, "position": [0, 0, 0]}, {"mass": 0.5, "position": [0, 0, 0]}]},
       "orbit": )" +
           orbit + "}]}";
  };
  // Half of the period of a = 3 around a mass of 2: pi sqrt(27 / 2).
  CHECK(contains(remarks_on_bodies(parts(R"({"pericentre": 1, "eccentricity": 0.6666666666666667,
                                              "separation": 5})")),
                 "note: part 1 is at its pericentre at t = 11.5, if both were points"));
  // Barker's equation with D = 3.
  CHECK(contains(remarks_on_bodies(parts(R"({"pericentre": 1, "separation": 10})")),
                 "at t = 12, if"));
  // No note if lengths and masses are rescaled afterwards.
  CHECK(remarks_on_bodies(parts(R"({"pericentre": 1, "separation": 10})"),
                          {"bodies.henon_units=true"}) == "");
}

TEST_CASE("a body without a velocity among moving bodies gives a note") {
  auto const list = [](std::string const& more) {
    return R"({"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 1, "position": [1, 0, 0]})" +
           more + "]}";
  };
  CHECK(remarks_on(list("")) == "");
  CHECK(contains(remarks_on(list(R"(, {"mass": 1, "position": [2, 0, 0], "velocity": [0, 1, 0]})")),
                 "note: bodies.list[1] has a position and no velocity: it is at rest"));
}

TEST_CASE("forces less accurate than requested give a note") {
  auto const run = deck::configure(testing::sphere_deck, "deck", {}).configuration;
  run::Outcome outcome;
  CHECK(!run::summary_remark(run, outcome));
  outcome.force_errors = forces::ForceErrors{1e-3, 0.9e-3, 1e-3};
  CHECK(!run::summary_remark(run, outcome));
  // The worst estimate counts, not the last one.
  outcome.force_errors = forces::ForceErrors{1e-3, 0.9e-3, 0.02};
  auto const note = run::summary_remark(run, outcome);
  REQUIRE(note);
  CHECK(contains(*note, "at most 0.02 at the worst check of the run"));
  CHECK(contains(*note, "0.001 was requested"));
}
