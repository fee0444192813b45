// SPDX-License-Identifier: Apache-2.0
#include "domain/twins.hpp"
#include "support/scratch.hpp"
#include <apsis/driver/loop.hpp>
#include <apsis/driver/signals.hpp>

#include <csignal>
#include <unistd.h>

/// Ranks that have no bodies, that cannot start, and that signals are sent to.
using namespace apsis;
using namespace apsis::testing;

namespace {

/// A run in one process and the same on all ranks have the same state, and each goes on from the
/// state of the other, back to the mark and from there in finer steps. The states have the same
/// bytes, so this holds for ranks of any other number, too.
void check_shared(HostBodies const& bodies, std::vector<std::string> const& overrides) {
  CAPTURE(overrides);
  Twins const twins(bodies, overrides);
  twins.each([](auto& run) {
    run.advance(1, driver::Ask::measurement);
    run.measure();
    run.mark();
    run.advance(1);
  });
  auto const of_one = state_of(*twins.alone), of_all = state_of(*twins.shared);
  CHECK(difference(of_one, of_all) == "");
  CHECK(twins.alone->interactions() == twins.shared->interactions());
  CHECK(same_bits(twins.alone->measure(), twins.shared->measure()));
  auto run = driver::configure(law, "deck", overrides).configuration;
  SavedState from_all(of_all), from_one(of_one);
  Twins other;
  other.alone = driver::restore_simulation(run, bodies.size(), from_all);
  from_all.finish();
  Twins::share(run, overrides);
  other.shared = driver::restore_simulation(run, bodies.size(), from_one);
  from_one.finish();
  twins.alone->advance(1);
  other.each([](auto& each) { each.advance(1); });
  auto const expected = state_of(*twins.alone);
  CHECK(difference(expected, state_of(*other.alone)) == "");
  CHECK(difference(expected, state_of(*other.shared)) == "");
  other.each([](auto& each) {
    each.go_back();
    each.advance(1);
  });
  CHECK(difference(state_of(*other.alone), state_of(*other.shared)) == "");
}

/// Devices are told apart by process numbers again, as main() does it.
void begin_anew() {
  auto const own = member(std::to_string(getpid()), "");
  if (leader->members().size() == 1) return leader->begin({{}, true, true}, own);
  CHECK_THROWS_AS(leader->begin({{}, true, true}, own), Error);
}

pid_t last_rank() {
  return static_cast<pid_t>(std::stol(leader->members().back().device));
}

}  // namespace

TEST_CASE("promise: ranks without bodies take part in all that is done together") {
  // Two blocks, for every integrator and option.
  for (auto const& method : integrators::integrators()) {
    for (auto const& overrides : ways_to_step(method, "double")) {
      check_shared(sample_bodies(200), overrides);
    }
  }
  // Other numbers and precisions, with a method of each family.
  for (std::size_t const count : {1, 2, 129, 256}) {
    for (auto const* name : {"leapfrog_kdk", "leapfrog_dkd", "hermite4", "hermite6", "rk4"}) {
      auto const* const precision = count == 256 ? "single" : "mixed";
      for (auto const& overrides : ways_to_step(integrators::integrators().at(name), precision)) {
        CAPTURE(count);
        check_shared(sample_bodies(count), overrides);
      }
    }
  }
}

TEST_CASE("promise: ranks without bodies take part in sums over cells, and massless ones in all") {
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

TEST_CASE("promise: a paused run heeds a signal to any rank") {
  // The bodies of all ranks, and so few that they are the first rank's alone.
  for (auto const* count : {"bodies.count=300", "bodies.count=20"}) {
    CAPTURE(count);
    Scratch const scratch;
    auto deck = driver::configure(law, "deck", {count});
    driver::share(deck, leader);
    driver::RunDirectory directory(scratch / "run", driver::Existing::replace);
    directory.prepare();
    driver::RunOutput output(deck.configuration, directory, deck.resolved);
    driver::Signals const signals;
    int asked = 0;
    driver::Control const control = [&](auto const&) -> std::optional<driver::Request> {
      ++asked;
      if (asked == 1) return driver::Request{driver::Request::Kind::pause};
      if (asked == 3) kill(last_rank(), SIGUSR2);
      constexpr int long_after = 1000;  // naps
      if (asked < long_after) return std::nullopt;
      return driver::Request{driver::Request::Kind::stop};
    };
    auto const outcome = driver::simulate(
        deck.configuration, driver::make_bodies(deck.configuration), output, {control});
    CHECK(outcome.stop.signal == SIGUSR2);
    CHECK(outcome.steps == 0);
  }
}

TEST_CASE("a signal to a rank is heard in a run of so few bodies that it has none of them") {
  driver::Signals const signals;
  Twins const twins(sample_bodies(20), {});
  kill(last_rank(), SIGUSR2);
  for (int k = 0; k < 100 && driver::Signals::stop() == 0; ++k) {
    usleep(10000);
    twins.shared->advance(1);
  }
  CHECK(driver::Signals::stop() == SIGUSR2);
}

TEST_CASE("promise: a rank that cannot start is named, with the status of one process") {
  if (leader->members().size() == 1) return;
  auto const own = member("a device", "");
  std::string text;
  try {
    leader->begin({cannot_start, true, true}, own);
  } catch (Error const& error) {
    CHECK(error.status() == ExitStatus::usage);
    text = error.problems().front().text();
  }
  CHECK(text == "process 1 (" + host_name() +
                    "): cannot take part (OMP_NUM_THREADS: wrong value in the environment, found "
                    "'x'); unset it");
  begin_anew();
  Twins const twins(sample_bodies(300), {});
  twins.each([](auto& run) { run.advance(1); });
  CHECK(difference(state_of(*twins.alone), state_of(*twins.shared)) == "");
}

TEST_CASE("bodies of one block are moved by the first rank alone, and ranks without any are told") {
  std::size_t const ranks = leader->members().size();
  auto const words = [&](std::size_t idle) {
    return "note: " + std::to_string(idle) + " of " + std::to_string(ranks) + " ranks have no";
  };
  CHECK(leader->idle_ranks(128 * ranks) == "");
  if (ranks == 1) return;
  leader->begin({of_one_device, true, true}, member("a device", "at 01:00"));
  CHECK(leader->idle_ranks(128).find(words(ranks - 1)) == 0);
  CHECK(leader->idle_ranks(128 * (ranks - 1)).find(words(1)) == 0);
  Twins const few(sample_bodies(128), {});
  Twins const more(sample_bodies(129), {});
  constexpr std::uint64_t steps = 1000;
  auto const messages_of = [&](driver::Simulation& run) {
    auto const before = leader->traffic().calls;
    for (std::uint64_t k = 0; k < (&run == few.shared.get() ? steps : 1); ++k) run.advance(1);
    return leader->traffic().calls - before;
  };
  CHECK(messages_of(*few.shared) < steps);
  CHECK(messages_of(*more.shared) > 1);
  few.alone->advance(steps);
  CHECK(difference(state_of(*few.alone), state_of(*few.shared)) == "");
  begin_anew();
}
