// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include "domain/twins.hpp"
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/farthest_body.hpp>
#include <apsis/diagnostics/force_error_sample.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/domain/processes.hpp>
#include <apsis/driver/background.hpp>
#include <apsis/driver/signals.hpp>
#include <apsis/integrators/collision.hpp>

#include <csignal>
#include <unistd.h>

/// Run by mpirun on several numbers of processes: the first runs these tests, the others follow.
using namespace apsis;
using namespace apsis::testing;

TEST_CASE("every integrator, option and precision gives the bits of one process") {
  auto const bodies = sample_bodies(390);  // not every process may have some
  for (auto const& method : integrators::integrators()) {
    for (auto const* precision : {"single", "mixed", "double"}) {
      for (auto const& overrides : ways_to_step(method, precision)) {
        CAPTURE(overrides);
        Twins const twins(bodies, overrides);
        twins.each([](auto& run) {
          run.advance(2, driver::Ask::measurement);
          run.measure();
          run.advance(1);
        });
        CHECK(difference(state_of(*twins.alone), state_of(*twins.shared)) == "");
        CHECK(same_bits(twins.alone->measure(), twins.shared->measure()));
        CHECK(twins.alone->integrator_steps() == twins.shared->integrator_steps());
        CHECK(twins.alone->interactions() == twins.shared->interactions());
        CHECK(twins.alone->kernel() == twins.shared->kernel());
      }
    }
  }
}

TEST_CASE("also where each pair is met once, and where the softening has a size") {
  auto const bodies = sample_bodies(5000);
  for (auto const& overrides : std::vector<std::vector<std::string>>{
           {"gravity.precision=single"},
           {"gravity.precision=double", "integrator.name=hermite4"},
           {"gravity.precision=mixed", "integrator.name=hermite6"},
           {"gravity.precision=double", "gravity.softening_kernel=spline"},
           {"gravity.solver=fmm", "gravity.precision=single"},
           {"gravity.solver=fmm", "gravity.precision=mixed"},
           {"gravity.solver=fmm", "gravity.precision=double", "integrator.name=pefrl"},
           {"gravity.solver=fmm", "gravity.precision=single",
            R"(integrator.stepping={"mode": "block", "eta": 1e-3})"}}) {
    CAPTURE(overrides.front());
    Twins const twins(bodies, overrides);
    // With fmm each process meanwhile gets other leaves, by the time that they took.
    twins.each([](auto& run) { run.advance(5, driver::Ask::measurement); });
    CHECK(difference(state_of(*twins.alone), state_of(*twins.shared)) == "");
    CHECK(same_bits(twins.alone->measure(), twins.shared->measure()));
  }
}

TEST_CASE("bodies without mass, wherever they are") {
  for (bool const in_front : {true, false}) {
    for (auto const* method : {"leapfrog_kdk", "hermite4", "hermite6"}) {
      CAPTURE(in_front);
      CAPTURE(method);
      Twins const twins(with_massless(700, in_front), {std::string("integrator.name=") + method});
      twins.each([](auto& run) {
        run.measure();
        run.advance(2, driver::Ask::measurement);
      });
      CHECK(difference(state_of(*twins.alone), state_of(*twins.shared)) == "");
      CHECK(same_bits(twins.alone->measure(), twins.shared->measure()));
      CHECK(twins.alone->potential() == twins.shared->potential());
      CHECK(twins.alone->interactions() == twins.shared->interactions());
      CHECK(twins.alone->massless().count == twins.shared->massless().count);
    }
  }
}

TEST_CASE("test particles are judged wherever the massive body is") {
  auto bodies = sample_bodies(500);
  for (auto& m : bodies.mass) m = 0.0;
  bodies.mass[300] = 1.0;
  Twins const twins(bodies, {});
  twins.each([](auto& run) {
    run.measure();
    run.advance(3);
  });
  auto const error = twins.alone->measure().test_particle_energy_error;
  CHECK(error > 0.0);
  CHECK(twins.shared->measure().test_particle_energy_error == error);
  CHECK(difference(state_of(*twins.alone), state_of(*twins.shared)) == "");
}

TEST_CASE("whatever is asked of a simulation has the bits of one process") {
  auto bodies = sample_bodies(700);
  bodies.species.assign(bodies.size(), species_types::stars);
  Twins const twins(bodies, {"gravity.precision=single"});
  twins.each([](auto& run) { run.advance(2); });
  auto& a = *twins.alone;
  auto& b = *twins.shared;
  CHECK(a.step() == b.step());
  CHECK(a.time() == b.time());
  CHECK(a.G() == b.G());
  CHECK(a.count() == b.count());
  CHECK((a.bodies().position == b.bodies().position));
  CHECK((a.bodies().velocity == b.bodies().velocity));
  CHECK((a.bodies().id == b.bodies().id));
  CHECK((a.bodies().species == b.bodies().species));
  CHECK(a.potential() == b.potential());
  CHECK(same_bits(a.density_centre().value(), b.density_centre().value()));
  CHECK(same_bits(a.closest_approach().value(), b.closest_approach().value()));
  CHECK(same_bits(a.pair_distances().value(), b.pair_distances().value()));
  CHECK(a.farthest_body().value().distance == b.farthest_body().value().distance);
  CHECK(a.farthest_body().value().index == b.farthest_body().value().index);
  CHECK(same_bits(a.force_errors(3, 100), b.force_errors(3, 100)));
  CHECK(same_bits(a.potential_errors(3, 100), b.potential_errors(3, 100)));
  CHECK((a.identity() == b.identity()));
  CHECK(b.time_forces() > 0.0);
  driver::SnapshotContent content;
  content.accelerations = content.potentials = true;
  driver::HostColumns of_one, of_all;
  a.copy_to(of_one, content);
  b.copy_to(of_all, content);
  auto const& x = std::get<io::SnapshotColumns<float>>(of_one.columns);
  auto const& y = std::get<io::SnapshotColumns<float>>(of_all.columns);
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
  driver::ReaderBy look([&](auto const&, auto const& all, auto const& species) {
    rows = all.size();
    CHECK(species.size() == all.size());
  });
  b.show(look);
  CHECK(rows == 700);
}

TEST_CASE("what all of them saved goes on in one process, and the other way round") {
  for (auto const* method : {"leapfrog_kdk", "hermite4", "pefrl"}) {
    CAPTURE(method);
    std::vector<std::string> overrides{std::string("integrator.name=") + method};
    if (std::string(method) == "pefrl") overrides.push_back("gravity.solver=fmm");
    if (std::string(method) == "hermite4") {
      overrides.push_back("integrator.stepping=" + steppings[3]);
    }
    Twins const twins(with_massless(450, false), overrides);
    twins.each([](auto& run) {
      run.advance(1);
      run.measure();
      run.mark();
      run.advance(1);
    });
    auto run = driver::configure(law, "deck", overrides).configuration;
    SavedState from_all(state_of(*twins.shared)), from_one(state_of(*twins.alone));
    auto const one = driver::restore_simulation(run, 450, from_all);
    from_all.finish();
    Twins::share(run, overrides);
    auto const all = driver::restore_simulation(run, 450, from_one);
    from_one.finish();
    twins.alone->advance(2);
    one->advance(2);
    all->advance(2);
    auto const expected = state_of(*twins.alone);
    CHECK(difference(expected, state_of(*one)) == "");
    CHECK(difference(expected, state_of(*all)) == "");
    one->go_back();
    all->go_back();
    one->set_time_step(0.0078125);
    all->set_time_step(0.0078125);
    one->turn_back();
    all->turn_back();
    one->advance(1);
    all->advance(1);
    CHECK(difference(state_of(*one), state_of(*all)) == "");
  }
}

TEST_CASE("a body that is not finite is told by its number, whoever has it") {
  auto bodies = sample_bodies(600);
  bodies.velocity[470].y = 3e38;
  Twins const twins(bodies, {"gravity.precision=single", "integrator.time_step=1024"});
  twins.each([](auto& run) { run.advance(2); });
  auto const expected = twins.alone->not_finite();
  auto const found = twins.shared->not_finite();
  REQUIRE(expected);
  REQUIRE(found);
  CHECK(expected->index == 470);
  CHECK(found->index == 470);
  CHECK(found->step == expected->step);
  CHECK(twins.shared->not_finite_measurement().index ==
        twins.alone->not_finite_measurement().index);
}

TEST_CASE("what happens within steps has the bits of one process") {
  auto bodies = apsis::testing::sample_bodies(300);  // not every process may have some
  for (bool const massive_first : {false, true}) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      bool const massive = massive_first ? i < 150 : i % 3 != 1;
      bodies.mass[i] = massive ? 1.0 / 200.0 : 0.0;
    }
    for (auto const* method : {"leapfrog_kdk", "hermite4"}) {
      for (auto const& stepping : {steppings[0], steppings[3]}) {
        CAPTURE(method);
        CAPTURE(stepping);
        Twins const twins(
            bodies, {std::string("integrator.name=") + method, "integrator.stepping=" + stepping,
                     "gravity.softening=0.01", "integrator.time_step=0.0625",
                     "run.encounter_distance=100", R"(diagnostics={"pair_distances": {}})"});
        twins.each([](auto& run) { run.advance(3); });
        auto& a = *twins.alone;
        auto& b = *twins.shared;
        CHECK(same_bits(a.closest_approach().value(), b.closest_approach().value()));
        CHECK(difference(state_of(a), state_of(b)) == "");
        CHECK(same_bits(a.pair_distances().value(), b.pair_distances().value()));
        REQUIRE(a.coarsest_passage().has_value());
        CHECK(same_bits(a.coarsest_passage().value(), b.coarsest_passage().value()));
      }
    }
  }
}

TEST_CASE("a collision comes to all of them, and they go on with the next run") {
  auto bodies = sample_bodies(300);
  for (auto& v : bodies.velocity) v = {};
  bodies.position[299] = bodies.position[0] + Vec3<double>{1e-9, 0.0, 0.0};
  Twins const twins(bodies, {"gravity.softening=0", "integrator.name=hermite4",
                             "integrator.stepping=" + steppings[3]});
  auto const collides = [](auto& run) {
    try {
      run.advance(4);
    } catch (integrators::Collision const&) {
      return true;
    }
    return false;
  };
  CHECK(collides(*twins.alone));
  CHECK(collides(*twins.shared));
  CHECK_FALSE(leader->is_torn());
}

TEST_CASE("a signal to any process is heard by the first") {
  driver::Signals const signals;
  Twins const twins(sample_bodies(300), {});
  CHECK(driver::Signals::stop() == 0);
  auto const last = leader->members().back();
  kill(static_cast<pid_t>(std::stol(last.device)), SIGUSR2);
  usleep(100000);
  twins.shared->advance(1);
  CHECK(driver::Signals::stop() == SIGUSR2);
}

TEST_CASE("two processes on one device are refused, unless they may share it") {
  if (leader->members().size() == 1) return;
  auto const own = member("a device", "at 01:00");
  auto const begins = [&](bool share) -> std::string {
    try {
      leader->begin({of_one_device, share}, own);
    } catch (Error const& error) {
      CHECK(error.status() == ExitStatus::usage);
      return error.what();
    }
    return "";
  };
  CHECK(begins(false).find("process 1 (here): has no GPU of its own") != std::string::npos);
  CHECK(begins(true) == "");
  std::size_t const threads = 2 * leader->members().size();
  CHECK(leader->crowds() == "here: " + std::to_string(threads) + " threads on 3 processors");
  CHECK(leader->places() == "here: " + std::to_string(leader->members().size()) + " x a device");
}

TEST_CASE("a reader's own error is his caller's alone") {
  Twins const twins(sample_bodies(300), {});
  driver::ReaderBy broken([](auto const&, auto const&, auto const&) {
    throw std::runtime_error("no room for a picture");
  });
  CHECK_THROWS_WITH(twins.shared->show(broken), "no room for a picture");
  CHECK_FALSE(leader->is_torn());
  twins.each([](auto& run) { run.advance(1); });
  CHECK(difference(state_of(*twins.alone), state_of(*twins.shared)) == "");
}

TEST_CASE("no bodies at all") {
  Twins const twins(HostBodies(), {});
  twins.each([](auto& run) { run.advance(2); });
  CHECK(difference(state_of(*twins.alone), state_of(*twins.shared)) == "");
  CHECK_FALSE(twins.shared->closest_approach());
}

int main(int argc, char** argv) {
  domain::Processes const all;
  Kokkos::ScopeGuard const kokkos(argc, argv);
  // The number of the process stands for a device, so that the test of signals knows it.
  auto const own = member(std::to_string(getpid()), "");
  if (all.rank() != 0) {
    return static_cast<int>(driver::follow(all.communicator(), [&](driver::Sharing const& how,
                                                                   std::shared_ptr<void>&) {
      if (how.threads == cannot_start) {
        throw Error(ExitStatus::usage, Problem{"OMP_NUM_THREADS", "wrong value in the environment",
                                               "found 'x'", "unset it"});
      }
      if (how.threads != of_one_device) return own;
      return member("a device", "at 01:00");
    }));
  }
  leader = std::make_shared<driver::Leader>(all.communicator());
  int status = 1;
  leader->begin({of_one_device, true, true}, member("a device", "at 01:00"));  // connects all
  try {
    leader->begin({{}, false, true}, own);
  } catch (Error const&) {
    status = 0;  // the devices differ, where there are more than one
  }
  bool const refused = status == 0;
  status = refused == (all.size() > 1) ? doctest::Context(argc, argv).run() : 1;
  if (leader->is_torn()) all.abort(70);
  leader->release(static_cast<ExitStatus>(status));
  leader.reset();
  return status;
}
