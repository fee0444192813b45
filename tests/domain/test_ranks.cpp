// SPDX-License-Identifier: Apache-2.0
#include "core/signals.hpp"
#include "domain/twins.hpp"
#include "support/scratch.hpp"
#include <apsis/run/loop.hpp>
#include <apsis/run/run_directory.hpp>

#include <csignal>
#include <unistd.h>

/// Tests of ranks without bodies, ranks that cannot start, and signals to ranks.
using namespace apsis;
using namespace apsis::testing;

namespace {

/// Checks that a run on one rank and the same run on all ranks have the same state, and that each
/// continues from the saved state of the other, also after rolling back to the mark. The states are
/// equal byte by byte, so this holds for any number of ranks.
void check_shared(HostBodies const& bodies, std::vector<std::string> const& overrides) {
  CAPTURE(overrides);
  RunPair const runs(bodies, overrides);
  runs.apply([](auto& run) {
    run.advance(1, simulation::FollowUp::measurement);
    run.measure();
    run.mark();
    run.advance(1);
  });
  auto const state_alone = state_of(*runs.alone), state_shared = state_of(*runs.shared);
  CHECK(difference(state_alone, state_shared) == "");
  CHECK(runs.alone->interactions() == runs.shared->interactions());
  CHECK(same_bits(runs.alone->measure(), runs.shared->measure()));
  auto run = deck::configure(law, "deck", overrides).configuration;
  SavedState saved_shared(state_shared), saved_alone(state_alone);
  RunPair other;
  other.alone = simulation::restore_simulation(run, bodies.size(), saved_shared);
  saved_shared.finish();
  RunPair::share(run, overrides);
  other.shared = simulation::restore_simulation(run, bodies.size(), saved_alone);
  saved_alone.finish();
  runs.alone->advance(1);
  other.apply([](auto& each) { each.advance(1); });
  auto const expected = state_of(*runs.alone);
  CHECK(difference(expected, state_of(*other.alone)) == "");
  CHECK(difference(expected, state_of(*other.shared)) == "");
  other.apply([](auto& each) {
    each.roll_back();
    each.advance(1);
  });
  CHECK(difference(state_of(*other.alone), state_of(*other.shared)) == "");
}

/// Restores the setup of main(), in which process ids represent devices.
void restore_members() {
  auto const own_member = member(std::to_string(getpid()), "");
  if (leader->ranks().size() == 1) return leader->begin({{}, true, true}, own_member);
  CHECK_THROWS_AS(leader->begin({{}, true, true}, own_member), Error);
}

pid_t last_rank() {
  return static_cast<pid_t>(std::stol(leader->ranks().back().device));
}

}  // namespace

TEST_CASE("promise: ranks without bodies take part in all collective operations") {
  // Two blocks of bodies, for every integrator and option.
  for (auto const& method : general_integrators()) {
    for (auto const& overrides : stepping_overrides(method, "double")) {
      check_shared(sample_bodies(200), overrides);
    }
  }
  // Other numbers of bodies and precisions, with one integrator of each family.
  for (std::size_t const count : {1, 2, 129, 256}) {
    for (auto const* name : {"leapfrog_kdk", "leapfrog_dkd", "hermite4", "hermite6", "rk4"}) {
      auto const* const precision = count == 256 ? "single" : "mixed";
      for (auto const& overrides :
           stepping_overrides(integrators::integrators().get(name), precision)) {
        CAPTURE(count);
        check_shared(sample_bodies(count), overrides);
      }
    }
  }
}

TEST_CASE("promise: ranks without bodies take part in the FMM and in runs with massless bodies") {
  for (std::size_t const count : {1, 100, 129, 256}) {
    CAPTURE(count);
    auto const* const precision = count % 2 == 0 ? "single" : "double";
    for (auto const* solver : {"direct", "fmm"}) {
      for (auto const& stepping : {steppings[0], steppings[1], steppings[3]}) {
        std::vector<std::string> const overrides{
            std::string("gravity.solver=") + solver, std::string("gravity.precision=") + precision,
            "integrator.compensated=true", "integrator.stepping=" + stepping};
        if (std::string(solver) == "fmm") {
          check_shared(sample_bodies(count), overrides);
        }
        check_shared(with_massless(count, false), overrides);
        check_shared(with_massless(count, true), overrides);
      }
    }
  }
}

TEST_CASE("promise: a paused run reacts to a signal to any rank") {
  // Bodies on all ranks, and so few bodies that only the leader rank has some.
  for (auto const* count : {"bodies.count=300", "bodies.count=20"}) {
    CAPTURE(count);
    Scratch const scratch;
    auto deck = deck::configure(law, "deck", {count});
    simulation::set_leader(deck, leader);
    run::RunDirectory directory(scratch / "run", run::Existing::replace);
    directory.prepare();
    run::RunOutput output(deck.configuration, directory, deck.resolved);
    Signals const signals;
    int polls = 0;
    run::Control const control = [&](auto const&) -> std::optional<run::Request> {
      ++polls;
      if (polls == 1) return run::Request{run::Request::Kind::pause};
      if (polls == 3) kill(last_rank(), SIGUSR2);
      constexpr int max_polls = 1000;
      if (polls < max_polls) return std::nullopt;
      return run::Request{run::Request::Kind::stop};
    };
    auto const outcome = run::simulate(
        deck.configuration, simulation::make_bodies(deck.configuration), output, {control});
    CHECK(outcome.stop.signal == SIGUSR2);
    CHECK(outcome.steps == 0);
  }
}

TEST_CASE("a signal to a rank without bodies is received") {
  Signals const signals;
  RunPair const runs(sample_bodies(20), {});
  kill(last_rank(), SIGUSR2);
  for (int k = 0; k < 100 && Signals::stop_signal() == 0; ++k) {
    usleep(10000);
    runs.shared->advance(1);
  }
  CHECK(Signals::stop_signal() == SIGUSR2);
}

TEST_CASE("promise: a rank that cannot start is named, with the exit status of a single process") {
  if (leader->ranks().size() == 1) return;
  auto const own_member = member("a device", "");
  std::string text;
  try {
    leader->begin({cannot_start, true, true}, own_member);
  } catch (Error const& error) {
    CHECK(error.status() == ExitStatus::usage);
    text = error.problems().front().text();
  }
  CHECK(text == "process 1 (" + host_name() +
                    "): cannot take part (OMP_NUM_THREADS: wrong value in the environment, found "
                    "'x'); unset it");
  restore_members();
  RunPair const runs(sample_bodies(300), {});
  runs.apply([](auto& run) { run.advance(1); });
  CHECK(difference(state_of(*runs.alone), state_of(*runs.shared)) == "");
}

TEST_CASE("bodies of one block are advanced by the leader rank alone; idle ranks are reported") {
  std::size_t const ranks = leader->ranks().size();
  auto const note = [&](std::size_t idle) {
    return "note: " + std::to_string(idle) + " of " + std::to_string(ranks) + " ranks have no";
  };
  CHECK(leader->idle_ranks(128 * ranks) == "");
  if (ranks == 1) return;
  leader->begin({of_one_device, true, true}, member("a device", "at 01:00"));
  CHECK(leader->idle_ranks(128).find(note(ranks - 1)) == 0);
  CHECK(leader->idle_ranks(128 * (ranks - 1)).find(note(1)) == 0);
  RunPair const few(sample_bodies(128), {});
  RunPair const more(sample_bodies(129), {});
  constexpr std::uint64_t steps = 1000;
  auto const messages_of = [&](simulation::Simulation& run) {
    auto const before = leader->traffic().calls;
    for (std::uint64_t k = 0; k < (&run == few.shared.get() ? steps : 1); ++k) run.advance(1);
    return leader->traffic().calls - before;
  };
  CHECK(messages_of(*few.shared) < steps);
  CHECK(messages_of(*more.shared) > 1);
  few.alone->advance(steps);
  CHECK(difference(state_of(*few.alone), state_of(*few.shared)) == "");
  restore_members();
}
