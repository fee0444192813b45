// SPDX-License-Identifier: Apache-2.0
#include "run/observers/background.hpp"
#include "support/contains.hpp"
#include "support/runs.hpp"
#include "support/suites.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <ctime>
#include <new>
#include <system_error>

using namespace apsis;
using apsis::testing::contains;
using apsis::testing::RunFiles;
using run::Occasion;
using run::OnError;
using run::Request;
using RequestKind = run::Request::Kind;

namespace {

std::string const loop_deck = R"({
  "bodies": {"generator": "plummer", "count": 70, "seed": 5},
  "gravity": {"softening": 0.05}, "integrator": {"time_step": 0.03125}, "run": {"steps": 12},
  "output": {"conservation_interval": 0.125}})";

/// Control that returns the requests of a test; `k` counts the calls.
run::Controls controls(std::function<std::optional<RequestKind>(int k)> next_request) {
  return {[next_request = std::move(next_request), k = 0](run::RunClock const&) mutable {
    auto const kind = next_request(k++);
    return kind ? std::optional(Request{*kind}) : std::nullopt;
  }};
}

/// Steps and messages that an observer has received.
struct Recording {
  std::vector<std::uint64_t> passed, observed;
  std::vector<std::string> notes;
};

/// Observer with its own schedule that runs the callback of a test.
class TestObserver final : public run::Observer {
 public:
  TestObserver(Recording& recording, std::function<void(std::uint64_t step)> on_observe)
      : recording_(recording), on_observe_(std::move(on_observe)) {}

  bool is_due(run::RunStatus const& status, Occasion occasion) const override {
    return occasion == Occasion::scheduled && status.step % 2 == 0;
  }
  void observe(simulation::Instant& now, run::RunStatus const& status, Occasion) override {
    CHECK(now.step() == status.step);
    recording_.observed.push_back(status.step);
    on_observe_(status.step);
  }
  void update(simulation::Instant const&, run::RunStatus const& status) override {
    recording_.passed.push_back(status.step);
  }
  void note(std::string const& line) override { recording_.notes.push_back(line); }

 private:
  Recording& recording_;
  std::function<void(std::uint64_t)> on_observe_;
};

/// Adds a watcher under the name "picture".
std::function<void(run::RunOutput&)> add_test_observer(
    Recording& recording, OnError policy,
    std::function<void(std::uint64_t)> on_observe = [](std::uint64_t) {}) {
  return [&recording, policy, on_observe](run::RunOutput& output) {
    output.add("picture", policy, [&](run::ErrorPolicy&) {
      return std::make_unique<TestObserver>(recording, on_observe);
    });
  };
}

[[noreturn]] void fail(int kind) {
  if (kind == 0) throw std::bad_alloc();
  if (kind == 1) throw std::system_error(EAGAIN, std::generic_category(), "thread");
  if (kind == 2) throw std::runtime_error("something else");
  throw 42;
}

}  // namespace

TEST_CASE("a pause waits for the next request and uses little processor time") {
  RunFiles plain("plain"), paused("paused");
  plain.start(loop_deck, {});
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin, end;
  // Time of this thread only: how long the others spin is up to the OpenMP library.
  auto const processor = [] {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double used = 0.0;
  // Called before the first step and after each step: call 3 is after step 3.
  auto const next_request = [&](int k) -> std::optional<RequestKind> {
    if (k == 3) {
      begin = Clock::now();
      used = processor();
      return RequestKind::pause;
    }
    if (k == 33) {
      end = Clock::now();
      used = processor() - used;
      return RequestKind::go_on;
    }
    return std::nullopt;
  };
  Recording recording;
  auto const outcome = paused.start(loop_deck, {}, controls(next_request),
                                    add_test_observer(recording, OnError::warn));
  CHECK(outcome.exit == ExitStatus::conserved);
  CHECK(outcome.steps == 12);
  CHECK(end - begin > std::chrono::milliseconds(250));
  CHECK(std::chrono::duration<double>(end - begin).count() > 2.0 * used);
  CHECK(std::count(recording.passed.begin(), recording.passed.end(), 3) > 20);
  CHECK(recording.notes == std::vector<std::string>{"pauses after step 3 at time 0.09375"});
  CHECK(paused.table("conservation.csv") == plain.table("conservation.csv"));
}

TEST_CASE("few bodies pass the steps that nothing observes, with the same results" *
          testing::thread_counts) {
  // The observer of the second run is asked after each step.
  std::vector<std::string> const few{"bodies.count=20", "run.steps=96",
                                     "output.conservation_interval=1",
                                     "output.checkpoint_interval=0.75"};
  RunFiles quiet("quiet"), observed("observed");
  std::uint64_t polls = 0;
  auto const count_polls = [&](int) -> std::optional<RequestKind> {
    ++polls;
    return std::nullopt;
  };
  auto const outcome = quiet.start(loop_deck, few, controls(count_polls));
  Recording recording;
  observed.start(loop_deck, few, {}, add_test_observer(recording, OnError::warn));
  CHECK(outcome.steps == 96);
  CHECK(recording.passed.size() == 96);
  if (bodies_on_host) CHECK(polls < 48);
  CHECK(quiet.table("conservation.csv") == observed.table("conservation.csv"));
}

TEST_CASE("a single step is one step, and then a pause again") {
  RunFiles plain("plain"), stepped("stepped");
  plain.start(loop_deck, {});
  auto const next_request = [](int k) -> std::optional<RequestKind> {
    if (k == 0) return RequestKind::pause;  // before the first step
    if (k <= 12 && k % 2 == 0) return RequestKind::single_step;
    if (k == 13) return RequestKind::go_on;
    return std::nullopt;
  };
  Recording recording;
  auto const outcome = stepped.start(loop_deck, {}, controls(next_request),
                                     add_test_observer(recording, OnError::warn));
  CHECK(outcome.steps == 12);
  CHECK(recording.notes.size() >= 5);
  CHECK(recording.notes.at(0) == "pauses after step 0 at time 0");
  CHECK(recording.notes.at(1) == "pauses after step 1 at time 0.03125");
  CHECK(recording.notes.at(2) == "pauses after step 2 at time 0.0625");
  CHECK(stepped.table("conservation.csv") == plain.table("conservation.csv"));
}

TEST_CASE("a paused run writes checkpoints, and stops with one from which it can be resumed") {
  RunFiles plain("plain"), stopped("stopped");
  plain.start(loop_deck, {});
  auto const next_request = [&](int k) -> std::optional<RequestKind> {
    auto const manifest = stopped.path() / "checkpoint/manifest.json";
    if (k == 5) return RequestKind::pause;
    if (k == 7) {
      CHECK_FALSE(std::filesystem::exists(manifest));
      return RequestKind::checkpoint;
    }
    if (k == 8) {
      CHECK(std::filesystem::exists(manifest));
      return RequestKind::stop;
    }
    return std::nullopt;
  };
  auto const outcome = stopped.start(loop_deck, {}, controls(next_request));
  CHECK(outcome.exit == ExitStatus::stopped);
  CHECK(outcome.stop.reason == run::StopReason::request);
  CHECK(outcome.steps == 5);
  CHECK(outcome.checkpoint == 5);
  REQUIRE(outcome.problems.size() == 1);
  CHECK(outcome.problems[0].text() ==
        "control: stopped after step 5 at time 0.15625 by a request (the run has not reached its "
        "end, a checkpoint was written); go on with 'apsis run " +
            stopped.path().string() + " --resume'");
  CHECK(stopped.resume(loop_deck, {}).exit == ExitStatus::conserved);
  CHECK(stopped.table("conservation.csv") == plain.table("conservation.csv"));
}

TEST_CASE("promise: any error in an observer is handled by its error policy") {
  for (int kind = 0; kind < 4; ++kind) {
    CAPTURE(kind);
    auto const always = [&](std::uint64_t) { fail(kind); };
    Recording recording;
    RunFiles warned("warned");
    auto const outcome =
        warned.start(loop_deck, {}, {}, add_test_observer(recording, OnError::warn, always));
    CHECK(outcome.exit == ExitStatus::conserved);
    CHECK(outcome.steps == 12);
    CHECK(recording.observed.size() == 7);
    REQUIRE(warned.warnings.size() == 7);
    CHECK(contains(warned.warnings[0], ": picture failed: "));
    CHECK(contains(warned.warnings[0], "; the run goes on"));

    // Two successive failures are accepted, repeatedly; the third is not.
    int calls = 0;
    auto const often = [&](std::uint64_t) {
      if (++calls % 3 != 0) fail(kind);
    };
    RunFiles forgiven("forgiven");
    auto const few = add_test_observer(recording, OnError::warn_a_few_times, often);
    CHECK(forgiven.start(loop_deck, {}, {}, few).exit == ExitStatus::conserved);
    CHECK(forgiven.warnings.size() == 5);
    RunFiles ended("ended");
    auto const three = add_test_observer(recording, OnError::warn_a_few_times, always);
    std::string what;
    try {
      ended.start(loop_deck, {}, {}, three);
    } catch (Error const& error) {
      what = error.what();
      CHECK(error.status() ==
            ExitStatus::internal);  // a thread that cannot be started is a limit of the system
    }
    CHECK(contains(what, "(3 pictures in a row)"));
    CHECK(ended.warnings.size() == 2);

    recording = {};
    RunFiles over("over");
    CHECK_THROWS(
        over.start(loop_deck, {}, {}, add_test_observer(recording, OnError::end_the_run, always)));
    CHECK(recording.observed.size() == 1);
  }
}

TEST_CASE("promise: any failure of background work is reported and costs no step") {
  auto const run = deck::configure(loop_deck, "deck", {}).configuration;
  auto const bodies = simulation::make_simulation(run, simulation::make_bodies(run));
  std::vector<std::string> warnings;
  run::WarningHandler const warn = [&](Problem const& problem) {
    warnings.push_back(problem.text());
  };
  run::ErrorPolicy error_policy("picture", OnError::warn, warn);
  std::vector<double> observed;  // filled by one task after the other
  run::Background background(error_policy);
  std::vector<double> expected;
  for (int k = 0; k < 6; ++k) {
    bodies->advance();
    expected.push_back(bodies->bodies().position[7].x);
    background.submit(*bodies, {}, [&observed, k](simulation::HostColumns const& copies) {
      auto const& columns = std::get<ColumnSpans<double>>(copies.columns);
      observed.push_back(columns.position[7]);
      if (k < 4) fail(k);
    });
    CHECK(background.is_busy());
  }
  background.wait();
  CHECK_FALSE(background.is_busy());
  CHECK(observed == expected);
  REQUIRE(warnings.size() == 4);
  CHECK(contains(warnings[0], "memory: picture failed: exhausted"));
  CHECK(contains(warnings[1], "system: picture failed: thread"));
  CHECK(contains(warnings[2], "something else"));
}

TEST_CASE("a collision ends a run in order: closed files, a reason, a message") {
  for (auto const* mode : {"adaptive", "block"}) {
    CAPTURE(mode);
    RunFiles files("collision");
    auto const outcome = files.start(
        R"({"bodies": {"list": [{"mass": 0.5, "position": [1, 0, 0]},
                               {"mass": 0.5, "position": [-1, 0, 0]}]},
            "gravity": {"softening": 0}, "integrator": {"name": "hermite4", "time_step": 0.0625},
            "run": {"steps": 100}, "output": {"conservation_interval": 0.25}})",
        {"integrator.stepping={\"mode\":\"" + std::string(mode) + "\"}"});
    CHECK(outcome.exit == ExitStatus::internal);
    CHECK(outcome.stop.reason == run::StopReason::collision);
    // From rest at distance 2 with a total mass of 1 the bodies meet at t = pi.
    CHECK(outcome.steps == 50);
    REQUIRE(outcome.problems.size() == 1);
    CHECK(contains(outcome.problems[0].text(),
                   "integrator: stopped after step 50 at time 3.125 by a collision: bodies 0 and 1 "
                   "are "));
    CHECK(contains(outcome.problems[0].text(), "the time step would fall below "));
    CHECK_FALSE(contains(outcome.problems[0].text(), "double"));
    CHECK(outcome.stop.ids == std::vector<std::uint64_t>{0, 1});
    CHECK(outcome.stop.distance < 1e-6);
    CHECK(std::abs(3.125 + outcome.stop.offset - 3.14159265) < 1e-5);
    // The last good state is that of the beginning of the step, in every file.
    CHECK(outcome.checkpoint == 50);
    CHECK(files.table("conservation.csv").rfind("\n48,3,") != std::string::npos);
    CHECK(files.table("conservation.csv").rfind("\n50,3.125,") != std::string::npos);
  }
}
