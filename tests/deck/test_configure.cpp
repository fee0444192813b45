// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/decks.hpp"
#include <apsis/deck/configuration.hpp>

#include <doctest/doctest.h>

#include <sstream>

using namespace apsis;
using apsis::testing::contains;

namespace {

std::string const base = R"({
  "bodies": {"generator": "plummer", "count": 100},
  "gravity": {"softening": 0.01},
  "integrator": {"name": "leapfrog_kdk", "time_step": 0.01},
  "run": {"end_time": 1.0}
})";

deck::Configuration configured(std::vector<std::string> const& overrides) {
  return apsis::testing::configured(base, overrides);
}

std::string problems(std::vector<std::string> const& overrides, std::string const& json = base) {
  return apsis::testing::problems_of(json, overrides);
}

}  // namespace

TEST_CASE("times are converted to whole numbers of steps") {
  auto const run = configured({});
  CHECK(run.steps == 100);
  CHECK(run.output.conservation_steps == 1);
  CHECK(run.time(100) == 1.0);
  CHECK(configured({"output.conservation_interval=0.1"}).output.conservation_steps == 10);
  CHECK(configured({"integrator.time_step=0.001", "output.conservation_interval=0.01"})
            .output.conservation_steps == 10);
  CHECK(configured({"integrator.time_step=0.001"}).output.conservation_steps == 10);
  CHECK(configured({"run.end_time=0"}).steps == 0);
}

TEST_CASE("run.steps replaces run.end_time") {
  std::string const by_steps = R"({
    "bodies": {"generator": "plummer", "count": 100},
    "integrator": {"time_step": 0.01}, "run": {"steps": 7}})";
  auto const deck = deck::configure(by_steps, "deck", {});
  CHECK(deck.configuration.steps == 7);
  CHECK(deck.configuration.integrator.entry->name == "leapfrog_kdk");
  CHECK(contains(problems({"run.steps=3"}),
                 "run: contradictory keys ('end_time', 'steps' are given together); add --set "
                 "run.end_time=null"));
  CHECK(configured({"run.steps=3", "run.end_time=null"}).steps == 3);
  // The override is the one that is meant, whichever it is.
  CHECK(contains(problems({"run.steps=3", "run.end_time=1"}), "together); keep one of them"));
}

TEST_CASE("an error for a time that is not a whole number of steps names the nearest valid time") {
  CHECK(
      contains(problems({"output.conservation_interval=0.024"}),
               "output.conservation_interval: not a whole number of steps (0.024 is 2.4 time steps "
               "of 0.01); the nearest time that is one is 0.02"));
  CHECK(contains(problems({"output.conservation_interval=0.001"}), "is one is 0.01"));
  CHECK(contains(problems({"run.end_time=0.299"}), "is one is 0.3"));
  CHECK(contains(problems({"run.end_time=1e300"}), "too many steps"));
  CHECK(contains(problems({"run.end_time=1e-12"}), "is one is 0.01"));
}

TEST_CASE("a negative time step runs backwards in time") {
  auto const run = testing::configured(
      base, {"integrator.time_step=-0.01", "run.end_time=-1", "output.snapshot_interval=0.5",
             "output.snapshot_times=[-0.02,-0.01]"});
  CHECK(run.steps == 100);
  CHECK(run.time(100) == -1.0);
  CHECK(run.output.snapshot_steps == 50);
  CHECK(run.output.snapshot_listed == std::vector<std::uint64_t>{1, 2});
  auto const problem = [](std::vector<std::string> const& overrides) {
    return testing::problems_of(base, overrides);
  };
  CHECK(contains(problem({"integrator.time_step=-0.01"}),
                 "run.end_time: against the direction of time (it is 1 and integrator.time_step "
                 "-0.01); give both the same sign"));
  CHECK(contains(problem({"run.end_time=-1"}), "run.end_time: against the direction of time"));
  CHECK(contains(problem({"integrator.time_step=0"}),
                 "integrator.time_step: out of range (it is 0)"));
}

TEST_CASE("times of output may be listed, or have equal ratios") {
  auto const run = testing::configured(
      base,
      {"output.snapshot_times=[0.5,0,0.02]",
       "diagnostics.structure.logarithmic_times={\"first\": 0.01, \"last\": 1, \"count\": 5}",
       "diagnostics.lagrangian_radii.times=[0.03]", "diagnostics.lagrangian_radii.interval=0.1"});
  CHECK(run.output.snapshot_listed == std::vector<std::uint64_t>{0, 2, 50});
  CHECK_FALSE(run.output.snapshot_steps);
  REQUIRE(run.diagnostics.size() == 2);
  CHECK(run.diagnostics[0].steps == 10);
  CHECK(run.diagnostics[0].listed == std::vector<std::uint64_t>{3});
  CHECK(run.diagnostics[1].steps == deck::never_due);
  // 10^(k/2): 1, 3.16, 10, 31.6, 100.
  CHECK(run.diagnostics[1].listed == std::vector<std::uint64_t>{1, 3, 10, 32, 100});
  auto const problem = [](std::string const& override_text) {
    return testing::problems_of(base, {override_text});
  };
  CHECK(contains(problem("output.snapshot_times=[0.02,0.015]"),
                 "output.snapshot_times[1]: not a whole number of steps"));
  CHECK(contains(problem("output.snapshot_times=[-0.01]"), "against the direction of time"));
  CHECK(contains(
      problem("output.snapshot_logarithmic_times={\"first\": 1, \"last\": 0.5, \"count\": 5}"),
      "output.snapshot_logarithmic_times: no range of times (first is 1 and last 0.5)"));
}

TEST_CASE("bodies that do not fit in memory are refused before they are made") {
  CHECK(contains(problems({"bodies.count=1000000000000"}), "bodies.count: does not fit in memory"));
  CHECK(problems({"bodies.count=1000000"}).empty());
  using forces::Precision;
  auto const direct_run = [](Precision precision, std::string const& kernel) {
    deck::Configuration run;
    run.bodies.known_count = 1000000;
    run.gravity.solver = &forces::solvers().get("direct");
    run.gravity.precision = precision;
    run.gravity.values.set("kernel", kernel);
    return run;
  };
  auto const need = [&](std::string const& kernel) {
    return deck::memory_need(direct_run(Precision::double_precision, kernel)).device;
  };
  // The pairwise tile needs partial sums for each of dozens of panels.
  CHECK(need("pairwise_tile") > need("register_tile") + 16 * 24e6);
  CHECK(need("naive") == need("register_tile"));
  auto const device_need = [](std::string const& integrator) {
    return deck::memory_need(configured({"integrator.name=" + integrator})).device;
  };
  CHECK(device_need("rk4") == device_need("leapfrog_kdk") + 100 * 12 * sizeof(double));
  // A roll-back needs a copy of positions and velocities.
  auto const extra_need = [&](Precision precision) {
    auto base_run = direct_run(precision, "naive");
    base_run.output.final_state = false;
    auto const plain = deck::memory_need(base_run);
    auto snapshot_run = base_run, retry_run = base_run, final_run = base_run;
    final_run.output.final_state = true;
    snapshot_run.output.snapshot_steps = 1;
    retry_run.limits.on_violation = deck::OnViolation::retry;
    CHECK(deck::memory_need(snapshot_run).host - plain.host >= 7e6 * sizeof(float));
    CHECK(deck::memory_need(final_run).host == deck::memory_need(snapshot_run).host);
    return deck::memory_need(retry_run).device - plain.device;
  };
  CHECK(extra_need(Precision::double_precision) == 48e6);
  CHECK(extra_need(Precision::mixed) == 48e6);
  CHECK(extra_need(Precision::single_precision) == 24e6);
}

TEST_CASE("a run whose roll-back state does not fit in memory is refused") {
  auto const fits = [](std::int64_t bodies, std::string const& on_violation) {
    return problems({"bodies.count=" + std::to_string(bodies),
                     "conservation.max_relative_energy_error=1",
                     "conservation.on_violation=" + on_violation})
        .empty();
  };
  // The largest number of bodies that fits without a roll-back state.
  std::int64_t most = 1000000, too_many = 1000000000000;
  while (too_many - most > 1) {
    auto const middle = most + (too_many - most) / 2;
    (fits(middle, "stop") ? most : too_many) = middle;
  }
  CHECK(fits(most, "stop"));
  CHECK_FALSE(fits(most, "retry"));
}

TEST_CASE("values that contradict each other are refused") {
  CHECK(contains(problems({"bodies.henon_units=true", "gravity.G=2"}), "contradicts gravity.G"));
  CHECK(contains(problems({"bodies.henon_units=true", "bodies.count=1"}), "needs two bodies"));
  CHECK(contains(problems({"bodies.henon_units=true", "gravity.softening=0.7"}), "too large"));
  CHECK(contains(problems({"gravity.precision=single", "gravity.softening=1e-20"}), "too small"));
  CHECK(problems({"gravity.softening=1e-20"}).empty());
  CHECK(contains(problems({"gravity.precision=single", "gravity.G=1e60"}), "out of range"));
  CHECK(contains(problems({"gravity.precision=single", "gravity.G=1e-60"}), "out of range"));
  CHECK(contains(problems({"gravity.precision=single", "integrator.time_step=1e-50",
                           "run.end_time=null", "run.steps=1"}),
                 "integrator.time_step: out of range"));
  CHECK(contains(problems({"gravity.softening=1e160"}), "gravity.softening: too large"));
  CHECK(contains(problems({"gravity.softening=1e20", "gravity.precision=single"}), "too large"));
  CHECK(problems({"gravity.softening=1e20"}).empty());
  CHECK(contains(problems({"integrator.time_step=1e308", "run.end_time=null", "run.steps=100"}),
                 "no finite time"));
}

TEST_CASE("each invalid parameter of a generator gives a one-line error") {
  auto const problems_with = [](std::string const& generator, std::vector<std::string> overrides) {
    overrides.push_back("bodies.generator=" + generator);
    return problems(overrides);
  };
  auto const problems_without_count = [](std::string const& generator,
                                         std::vector<std::string> overrides) {
    overrides.insert(overrides.end(), {"bodies.generator=" + generator, "bodies.count=null"});
    return problems(overrides);
  };
  CHECK(problems_without_count("kepler", {}).empty());
  CHECK(problems_without_count("kepler", {"bodies.eccentricity=1"}) ==
        "deck: bodies.eccentricity: out of range (found 1); must be a finite number >= 0 and < 1");
  CHECK(contains(problems_without_count("kepler", {"bodies.semi_major_axis=-1"}),
                 "must be a finite number > 0"));
  std::string const solar = "units.system=solar";
  CHECK(problems_without_count("solar_system", {solar, "gravity.softening=0"}).empty());
  CHECK(contains(problems_without_count("solar_system", {}), "set units.system to 'solar'"));
  CHECK(contains(problems_without_count("solar_system", {solar, "bodies.epoch=1e6"}),
                 "bodies.epoch: out of range"));
  CHECK(contains(problems_without_count("lagrange_triangle", {"bodies.mass_1=0"}),
                 "bodies.mass_1: out of range"));
  CHECK(problems_with("king", {}).empty());
  CHECK(contains(problems_with("king", {"bodies.W0=20"}), "bodies.W0: out of range (found 20)"));
  CHECK(contains(problems_with("king", {"bodies.core_radius=1", "bodies.virial_radius=1"}),
                 "bodies.core_radius: contradicts virial_radius"));
  CHECK(contains(problems_with("hernquist", {"bodies.scale_radius=-1"}),
                 "bodies.scale_radius: out of range"));
  CHECK(contains(problems_with("uniform_sphere", {"bodies.virial_ratio=-0.1"}),
                 "must be a finite number >= 0"));
  CHECK(contains(problems_with("disk_galaxy", {"bodies.disk_fraction=1"}), "bodies.disk_fraction"));
  // Limits of a mass function, in any cluster.
  CHECK(contains(
      problems_with("jaffe",
                    {R"(bodies.masses={"function": "kroupa", "minimum": 5, "maximum": 2})"}),
      "bodies.masses.minimum: contradicts masses.maximum (5 is not below 2)"));
  CHECK(contains(problems_with("nfw", {R"(bodies.masses={"function": "salpeter"})"}),
                 "unknown value"));
  CHECK(
      contains(problems_with("plummer", {R"(bodies.masses={"function": "kroupa", "minimum": 0})"}),
               "bodies.masses.minimum: out of range"));
  // The parts of a composite, each with its own path in the deck.
  auto const composite = [](std::string const& part) {
    return problems({}, R"({"bodies": {"generator": "composite", "parts": [
                             {"bodies": {"generator": "figure_eight"}}, )" +
                            part + R"(]}, "integrator": {"time_step": 0.1}, "run": {"steps": 1}})");
  };
  CHECK(composite(R"({"bodies": {"generator": "kepler"}, "position": [9, 0, 0]})").empty());
  CHECK(contains(composite(R"({"bodies": {"generator": "solar_system"}})"),
                 "set units.system to 'solar'"));
  CHECK(contains(composite(R"({"bodies": {"generator": "kepler", "eccentricity": 2}})"),
                 "bodies.parts[1].bodies.eccentricity: out of range"));
  CHECK(contains(composite(R"({"bodies": {"generator": "plummer", "count": 1000000000000}})"),
                 "bodies: does not fit in memory"));
  CHECK(contains(composite(R"({"bodies": {"generator": "plummer", "count": 5, "masses":
                              {"function": "power_law", "minimum": 3, "maximum": 2}}})"),
                 "bodies.parts[1].bodies.masses.minimum: contradicts"));
}

TEST_CASE("a scheme with steps of its own needs exact forces and has no other stepping") {
  auto const problems_with_scheme = [](std::vector<std::string> overrides) {
    overrides.push_back("integrator.name=gauss_radau15");
    return problems(overrides);
  };
  CHECK(problems_with_scheme({}).empty());
  CHECK(problems_with_scheme({"gravity.solver=auto"}).empty());
  for (auto const* precision : {"single", "mixed"}) {
    CHECK(contains(problems_with_scheme({std::string("gravity.precision=") + precision}),
                   "gravity.precision: contradicts integrator.name ('gauss_radau15' needs forces "
                   "that are exact to rounding); set it to 'double'"));
  }
  CHECK(contains(problems_with_scheme({"gravity.solver=fmm"}),
                 "gravity.solver: contradicts integrator.name"));
  CHECK(contains(problems_with_scheme({R"(integrator.stepping={"mode": "fixed"})"}),
                 "integrator.stepping.mode"));
  CHECK(contains(problems_with_scheme({"integrator.stepping.epsilon=0"}),
                 "integrator.stepping.epsilon"));
  CHECK(problems_with_scheme(
            {R"(integrator.stepping={"epsilon": 1e-10, "most": 0.1, "judged": "all"})"})
            .empty());
}

TEST_CASE("bodies in the same place are refused without softening") {
  std::string const listed = R"({
    "bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 1, "position": [1, 0, 0]},
                        {"mass": 1, "position": [0, 0, 1e-9]}, {"mass": 1, "position": [1, 0, 0]}]},
    "integrator": {"time_step": 0.01}, "run": {"steps": 1}})";
  CHECK(contains(problems({}, listed), "bodies.list[3]: in the same place as bodies.list[1]"));
  CHECK(problems({"gravity.softening=0.1"}, listed).empty());
  // 1e-9 and 0 differ in double and in single; 1 and 1 + 1e-9 only in double.
  CHECK(problems({"bodies.list[3].position[0]=1.000000001"}, listed).empty());
  CHECK(contains(
      problems({"bodies.list[3].position[0]=1.000000001", "gravity.precision=single"}, listed),
      "in the same place"));
  CHECK(contains(
      problems({"bodies.list[3].position[0]=1.000000001", "gravity.precision=single"}, listed),
      "in single precision (they are 1e-09 apart, less than single precision resolves there; "
      "without softening their force has no direction); set gravity.precision to 'double'"));
  // Positions that overflow are not compared; they are refused when the bodies are made.
  CHECK_FALSE(contains(problems({"bodies.list[2].position[0]=1e200",
                                 "bodies.list[3].position[0]=1e201", "gravity.precision=single"},
                                listed),
                       "in the same place as bodies.list[2]"));
  // The squared distance underflows in single precision, and so does the force.
  CHECK(contains(problems({"bodies.list[2].position[2]=1e-20", "gravity.precision=single"}, listed),
                 "bodies.list[2]: in the same place as bodies.list[0]"));
  // Massless bodies do not interact; a massless body at a massive one is refused.
  CHECK(problems({"bodies.list[1].mass=0", "bodies.list[3].mass=0"}, listed).empty());
  CHECK(contains(problems({"bodies.list[3].mass=0"}, listed),
                 "bodies.list[3]: in the same place as bodies.list[1]"));
}

TEST_CASE("problems of single values and of combinations are reported together") {
  auto const text =
      problems({"gravity.softenin=1", "output.conservation_interval=0.015", "bodies.count=1e13"});
  CHECK(contains(text, "softenin"));
  CHECK(contains(text, "not a whole number of steps"));
  CHECK(contains(text, "does not fit in memory"));
}

TEST_CASE("the resolved deck reproduces the configuration") {
  auto const first = deck::configure(base, "deck", {"integrator.time_step=0.0025"});
  auto const second = deck::configure(first.resolved, "deck", {});
  CHECK(second.resolved == first.resolved);
  CHECK(second.configuration.steps == first.configuration.steps);
  CHECK(second.configuration.output.conservation_steps ==
        first.configuration.output.conservation_steps);
  CHECK(contains(first.resolved, "\"seed\": 0"));
}
