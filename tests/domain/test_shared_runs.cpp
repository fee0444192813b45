// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include "core/signals.hpp"
#include "diagnostics/force_error_sample.hpp"
#include "domain/twins.hpp"
#include "run/observers/background.hpp"
#include "support/planets.hpp"
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/farthest_body.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/domain/processes.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/simulation/measurements.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <csignal>
#include <unistd.h>

/// Run by mpirun with different numbers of ranks: the leader rank executes these tests, the other
/// ranks follow.
using namespace apsis;
using namespace apsis::testing;

TEST_CASE("every integrator, option and precision gives the bits of one rank") {
  auto const bodies = sample_bodies(390);  // some ranks may have no bodies
  for (auto const& method : general_integrators()) {
    for (auto const* precision : {"single", "mixed", "double"}) {
      for (auto const& overrides : stepping_overrides(method, precision)) {
        CAPTURE(overrides);
        RunPair const runs(bodies, overrides);
        runs.apply([](auto& run) {
          run.advance(2, simulation::FollowUp::measurement);
          run.measure();
          run.advance(1);
        });
        CHECK(difference(state_of(*runs.alone), state_of(*runs.shared)) == "");
        CHECK(same_bits(runs.alone->measure(), runs.shared->measure()));
        CHECK(runs.alone->state().integrator_steps == runs.shared->state().integrator_steps);
        CHECK(runs.alone->interactions() == runs.shared->interactions());
        CHECK(runs.alone->info().kernel == runs.shared->info().kernel);
      }
    }
  }
}

TEST_CASE("wisdom_holman gives the bits of one rank") {
  auto const bodies = star_and_planets(5, 500);
  for (auto const* option : {"integrator.corrector=5", "integrator.coordinates=democratic"}) {
    CAPTURE(option);
    RunPair const runs(bodies, {"integrator.name=wisdom_holman", "gravity.softening=0", option});
    runs.apply([](auto& run) { run.advance(5, simulation::FollowUp::measurement); });
    CHECK(difference(state_of(*runs.alone), state_of(*runs.shared)) == "");
    CHECK(same_bits(runs.alone->measure(), runs.shared->measure()));
    CHECK(runs.alone->interactions() == runs.shared->interactions());
  }
}

TEST_CASE("runs with many bodies, all softening kernels and the FMM give the bits of one rank") {
  auto bodies = sample_bodies(5000);
  bodies.species.assign(bodies.size(), species_types::dark);
  std::fill(bodies.species.begin() + 3000, bodies.species.end(), species_types::disk);
  for (auto const& overrides : std::vector<std::vector<std::string>>{
           {"gravity.precision=single"},
           {"gravity.precision=double", "integrator.name=hermite4"},
           {"gravity.precision=mixed", "integrator.name=hermite6"},
           {"gravity.precision=double", "gravity.softening_kernel=spline"},
           {"gravity.softening_by_species={\"dark\": 0.1, \"disk\": 0.02}"},
           {"gravity.solver=fmm", "gravity.softening_by_species={\"dark\": 0.1, \"disk\": 0.02}"},
           {"gravity.solver=fmm", "gravity.precision=single"},
           {"gravity.solver=fmm", "gravity.precision=mixed"},
           {"gravity.solver=fmm", "gravity.precision=double", "integrator.name=pefrl"},
           {"gravity.solver=fmm", "gravity.precision=single",
            R"(integrator.stepping={"mode": "block", "eta": 1e-3})"}}) {
    CAPTURE(overrides.front());
    RunPair const runs(bodies, overrides);
    // With the FMM, load balancing assigns other leaves to each rank during the run.
    runs.apply([](auto& run) { run.advance(5, simulation::FollowUp::measurement); });
    CHECK(difference(state_of(*runs.alone), state_of(*runs.shared)) == "");
    CHECK(same_bits(runs.alone->measure(), runs.shared->measure()));
  }
}

TEST_CASE("massless bodies at any indices give the bits of one rank") {
  for (bool const in_front : {true, false}) {
    for (auto const* method : {"leapfrog_kdk", "hermite4", "hermite6"}) {
      CAPTURE(in_front);
      CAPTURE(method);
      RunPair const runs(with_massless(700, in_front), {std::string("integrator.name=") + method});
      runs.apply([](auto& run) {
        run.measure();
        run.advance(2, simulation::FollowUp::measurement);
      });
      CHECK(difference(state_of(*runs.alone), state_of(*runs.shared)) == "");
      CHECK(same_bits(runs.alone->measure(), runs.shared->measure()));
      CHECK(runs.alone->potential() == runs.shared->potential());
      CHECK(runs.alone->interactions() == runs.shared->interactions());
      CHECK(runs.alone->info().massless.count == runs.shared->info().massless.count);
    }
  }
}

TEST_CASE("the energy error of test particles is measured on any rank of the massive body") {
  auto bodies = sample_bodies(500);
  for (auto& m : bodies.mass) m = 0.0;
  bodies.mass[300] = 1.0;
  RunPair const runs(bodies, {});
  runs.apply([](auto& run) {
    run.measure();
    run.advance(3);
  });
  auto const error = runs.alone->measure().test_particle_energy_error;
  CHECK(error > 0.0);
  CHECK(runs.shared->measure().test_particle_energy_error == error);
  CHECK(difference(state_of(*runs.alone), state_of(*runs.shared)) == "");
}

TEST_CASE("all results of a simulation have the bits of one rank") {
  auto bodies = sample_bodies(700);
  bodies.species.assign(bodies.size(), species_types::stars);
  RunPair const runs(bodies, {"gravity.precision=single"});
  runs.apply([](auto& run) { run.advance(2); });
  auto& a = *runs.alone;
  auto& b = *runs.shared;
  CHECK(a.step() == b.step());
  CHECK(a.time() == b.time());
  CHECK(a.G() == b.G());
  CHECK(a.count() == b.count());
  CHECK((a.bodies().position == b.bodies().position));
  CHECK((a.bodies().velocity == b.bodies().velocity));
  CHECK((a.bodies().id == b.bodies().id));
  CHECK((a.bodies().species == b.bodies().species));
  CHECK(a.potential() == b.potential());
  CHECK(same_bits(simulation::density_centre(a).value(), simulation::density_centre(b).value()));
  CHECK(same_bits(a.closest_approach().value(), b.closest_approach().value()));
  CHECK(same_bits(simulation::pair_distances(a).value(), simulation::pair_distances(b).value()));
  CHECK(simulation::farthest_body(a).value().distance ==
        simulation::farthest_body(b).value().distance);
  CHECK(simulation::farthest_body(a).value().index == simulation::farthest_body(b).value().index);
  CHECK(same_bits(simulation::force_errors(a, 3, 100), simulation::force_errors(b, 3, 100)));
  CHECK(
      same_bits(simulation::potential_errors(a, 3, 100), simulation::potential_errors(b, 3, 100)));
  CHECK((simulation::identity_of(a) == simulation::identity_of(b)));
  CHECK(b.time_forces() > 0.0);
  deck::SnapshotContent content;
  content.accelerations = content.potentials = true;
  simulation::HostColumns columns_alone, columns_shared;
  simulation::copy_columns(a, columns_alone, content);
  simulation::copy_columns(b, columns_shared, content);
  auto const& x = std::get<ColumnSpans<float>>(columns_alone.columns);
  auto const& y = std::get<ColumnSpans<float>>(columns_shared.columns);
  auto const equal = [](auto const& p, auto const& q) {
    return std::equal(p.begin(), p.end(), q.begin(), q.end());
  };
  CHECK(equal(x.position, y.position));
  CHECK(equal(x.velocity, y.velocity));
  CHECK(equal(x.mass, y.mass));
  CHECK(equal(x.id, y.id));
  CHECK(equal(x.acceleration, y.acceleration));
  CHECK(equal(x.potential, y.potential));
  CHECK(equal(x.species, y.species));
  std::size_t rows = 0;
  simulation::on_whole(b, [&](Context const&, auto const& shown, auto const& species) {
    rows = shown.size();
    CHECK(species.size() == shown.size());
  });
  CHECK(rows == 700);
}

TEST_CASE("a state saved on all ranks continues on one rank and vice versa") {
  for (auto const* method : {"leapfrog_kdk", "hermite4", "pefrl"}) {
    CAPTURE(method);
    std::vector<std::string> overrides{std::string("integrator.name=") + method};
    if (std::string(method) == "pefrl") overrides.push_back("gravity.solver=fmm");
    if (std::string(method) == "hermite4") {
      overrides.push_back("integrator.stepping=" + steppings[3]);
    }
    RunPair const runs(with_massless(450, false), overrides);
    runs.apply([](auto& run) {
      run.advance(1);
      run.measure();
      run.mark();
      run.advance(1);
    });
    auto run = deck::configure(law, "deck", overrides).configuration;
    SavedState saved_shared(state_of(*runs.shared)), saved_alone(state_of(*runs.alone));
    auto const one = simulation::restore_simulation(run, 450, saved_shared);
    saved_shared.finish();
    RunPair::share(run, overrides);
    auto const shared = simulation::restore_simulation(run, 450, saved_alone);
    saved_alone.finish();
    runs.alone->advance(2);
    one->advance(2);
    shared->advance(2);
    auto const expected = state_of(*runs.alone);
    CHECK(difference(expected, state_of(*one)) == "");
    CHECK(difference(expected, state_of(*shared)) == "");
    one->roll_back();
    shared->roll_back();
    one->set_time_step(0.0078125);
    shared->set_time_step(0.0078125);
    one->reverse_time();
    shared->reverse_time();
    one->advance(1);
    shared->advance(1);
    CHECK(difference(state_of(*one), state_of(*shared)) == "");
  }
}

TEST_CASE("a body that is not finite is reported by its index on any rank") {
  auto bodies = sample_bodies(600);
  bodies.velocity[470].y = 3e38;
  RunPair const runs(bodies, {"gravity.precision=single", "integrator.time_step=1024"});
  runs.apply([](auto& run) { run.advance(2); });
  auto const expected = runs.alone->not_finite();
  auto const finding = runs.shared->not_finite();
  REQUIRE(expected);
  REQUIRE(finding);
  CHECK(expected->index == 470);
  CHECK(finding->index == 470);
  CHECK(finding->step == expected->step);
  CHECK(simulation::not_finite_measurement(*runs.shared).index ==
        simulation::not_finite_measurement(*runs.alone).index);
}

TEST_CASE("approaches and passages within steps have the bits of one rank") {
  auto bodies = apsis::testing::sample_bodies(300);  // some ranks may have no bodies
  for (bool const massive_first : {false, true}) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      bool const massive = massive_first ? i < 150 : i % 3 != 1;
      bodies.mass[i] = massive ? 1.0 / 200.0 : 0.0;
    }
    for (auto const* method : {"leapfrog_kdk", "hermite4"}) {
      for (auto const& stepping : {steppings[0], steppings[3]}) {
        CAPTURE(method);
        CAPTURE(stepping);
        RunPair const runs(
            bodies, {std::string("integrator.name=") + method, "integrator.stepping=" + stepping,
                     "gravity.softening=0.01", "integrator.time_step=0.0625",
                     "run.encounter_distance=100", R"(diagnostics={"pair_distances": {}})"});
        runs.apply([](auto& run) { run.advance(3); });
        auto& a = *runs.alone;
        auto& b = *runs.shared;
        CHECK(same_bits(a.closest_approach().value(), b.closest_approach().value()));
        CHECK(difference(state_of(a), state_of(b)) == "");
        CHECK(same_bits(simulation::pair_distances(a).value(),
                        simulation::pair_distances(b).value()));
        REQUIRE(a.coarsest_passage().has_value());
        CHECK(same_bits(a.coarsest_passage().value(), b.coarsest_passage().value()));
      }
    }
  }
}

TEST_CASE("a collision is thrown on all ranks, which can start the next run") {
  auto bodies = sample_bodies(300);
  for (auto& v : bodies.velocity) v = {};
  bodies.position[299] = bodies.position[0] + Vec3<double>{1e-9, 0.0, 0.0};
  RunPair const runs(bodies, {"gravity.softening=0", "integrator.name=hermite4",
                              "integrator.stepping=" + steppings[3]});
  auto const collides = [](auto& run) {
    try {
      run.advance(4);
    } catch (integrators::Collision const&) {
      return true;
    }
    return false;
  };
  CHECK(collides(*runs.alone));
  CHECK(collides(*runs.shared));
  CHECK_FALSE(leader->is_broken());
}

TEST_CASE("a signal to any rank is received by the leader rank") {
  Signals const signals;
  RunPair const runs(sample_bodies(300), {});
  CHECK(Signals::stop_signal() == 0);
  auto const last = leader->ranks().back();
  kill(static_cast<pid_t>(std::stol(last.device)), SIGUSR2);
  usleep(100000);
  runs.shared->advance(1);
  CHECK(Signals::stop_signal() == SIGUSR2);
}

TEST_CASE("two ranks on one device are rejected, unless sharing is allowed") {
  if (leader->ranks().size() == 1) return;
  auto const own_member = member("a device", "at 01:00");
  auto const begins = [&](bool share) -> std::string {
    try {
      leader->begin({of_one_device, share}, own_member);
    } catch (Error const& error) {
      CHECK(error.status() == ExitStatus::usage);
      return error.what();
    }
    return "";
  };
  CHECK(begins(false).find("process 1 (here): has no GPU of its own") != std::string::npos);
  CHECK(begins(true) == "");
  std::size_t const threads = 2 * leader->ranks().size();
  CHECK(leader->oversubscription() ==
        "here: " + std::to_string(threads) + " threads on 3 processors");
  CHECK(leader->devices_by_host() ==
        "here: " + std::to_string(leader->ranks().size()) + " x a device");
}

TEST_CASE("an error of a reader is thrown in its caller only") {
  RunPair const runs(sample_bodies(300), {});
  auto const broken = [](Context const&, auto const&, auto const&) {
    throw std::runtime_error("no room for a picture");
  };
  CHECK_THROWS_WITH(simulation::on_whole(*runs.shared, broken), "no room for a picture");
  CHECK_FALSE(leader->is_broken());
  runs.apply([](auto& run) { run.advance(1); });
  CHECK(difference(state_of(*runs.alone), state_of(*runs.shared)) == "");
}

TEST_CASE("a run without bodies gives the bits of one rank") {
  RunPair const runs(HostBodies(), {});
  runs.apply([](auto& run) { run.advance(2); });
  CHECK(difference(state_of(*runs.alone), state_of(*runs.shared)) == "");
  CHECK_FALSE(runs.shared->closest_approach());
}

int main(int argc, char** argv) {
  domain::Processes const ranks;
  Kokkos::ScopeGuard const kokkos(argc, argv);
  // The process id represents the device, so that the tests of signals can read it.
  auto const own_member = member(std::to_string(getpid()), "");
  if (ranks.rank() != 0) {
    return static_cast<int>(simulation::follow(
        ranks.communicator(), [&](simulation::SharingOptions const& how, std::shared_ptr<void>&) {
          if (how.threads == cannot_start) {
            throw Error(ExitStatus::usage,
                        Problem{"OMP_NUM_THREADS", "wrong value in the environment", "found 'x'",
                                "unset it"});
          }
          if (how.threads != of_one_device) return own_member;
          return member("a device", "at 01:00");
        }));
  }
  leader = std::make_shared<simulation::Leader>(ranks.communicator());
  int status = 1;
  leader->begin({of_one_device, true, true}, member("a device", "at 01:00"));  // connects all ranks
  try {
    leader->begin({{}, false, true}, own_member);
  } catch (Error const&) {
    status = 0;  // expected with more than one rank, since the devices differ
  }
  bool const refused = status == 0;
  status = refused == (ranks.size() > 1) ? doctest::Context(argc, argv).run() : 1;
  if (leader->is_broken()) ranks.abort(70);
  leader->release(static_cast<ExitStatus>(status));
  leader.reset();
  return status;
}
