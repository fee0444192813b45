// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/log_line.hpp"
#include "support/problems.hpp"
#include "support/runs.hpp"
#include "support/suites.hpp"
#include <apsis/run/session.hpp>

#include <doctest/doctest.h>

#include <sstream>

using namespace apsis;
using apsis::testing::contains;
using apsis::testing::content;
using apsis::testing::file_refusal;
using apsis::testing::refusal;
using apsis::testing::Scratch;
using run::Existing;
using run::Order;
using run::Session;

namespace {

std::string const session_deck = R"({
  "title": "a small sphere",
  "bodies": {"generator": "plummer", "count": 20, "seed": 5, "henon_units": true},
  "gravity": {"softening": 0.05}, "integrator": {"time_step": 0.03125}, "run": {"steps": 8},
  "output": {"conservation_interval": 0.0625, "snapshot_interval": 0.125}})";

/// A session in a directory of its own, with recorded callbacks.
class SessionFiles {
 public:
  SessionFiles() : scratch_(testing::fast_directory()) {
    hooks.display.out = &printed;
    hooks.display.style = run::ProgressStyle::lines;
    hooks.warn = [this](Problem const& problem) { warnings.push_back(problem.text()); };
    hooks.initialise = [this](std::optional<int>) { calls += "initialise "; };
    hooks.prepare = [this] { calls += "prepare "; };
    hooks.begin = [this](deck::Configuration const&) { calls += "begin "; };
    hooks.end = [this](run::Outcome const&) {
      CHECK(std::filesystem::exists(path() / "summary.json"));
      calls += "end ";
    };
  }

  Order order(Existing existing, std::vector<std::string> overrides = {}) const {
    Order result;
    result.text = session_deck;
    result.overrides = std::move(overrides);
    result.output = path().string();
    result.existing = existing;
    return result;
  }
  /// Forgets earlier callbacks and runs.
  run::Outcome run(Order const& order) {
    calls.clear();
    warnings.clear();
    printed.str("");
    return Session(order).run(hooks);
  }
  run::Outcome run(Existing existing, std::vector<std::string> const& overrides = {}) {
    return run(order(existing, overrides));
  }
  /// Runs until a control requests a stop after this step.
  run::Outcome run_until(std::uint64_t step, std::vector<std::string> const& overrides = {}) {
    hooks.controls = {stop_at_call(step, run::StopReason::request)};
    auto outcome = run(Existing::refuse, overrides);
    hooks.controls.clear();
    return outcome;
  }
  /// Control that requests a stop once, when it is asked again after `calls` calls.
  static run::Control stop_at_call(std::uint64_t calls, run::StopReason reason) {
    // Shared by the copies that each start of the run gets.
    return [left = std::make_shared<std::uint64_t>(calls + 1), reason](run::RunClock const&) {
      bool const is_now = *left > 0 && --*left == 0;
      using Kind = run::Request::Kind;
      return is_now ? std::optional(run::Request{Kind::stop, run::Stop{reason}}) : std::nullopt;
    };
  }

  std::filesystem::path path() const { return scratch_ / "run"; }
  std::string text(std::string const& file) const { return content(path() / file); }
  /// The conservation log without its column of wall time.
  std::string log() const {
    std::istringstream lines(text("conservation.csv"));
    std::string result;
    for (std::string line; std::getline(lines, line);) {
      result += testing::without_wall_seconds_field(line) + "\n";
    }
    return result;
  }
  Scratch const& scratch() const { return scratch_; }

  run::Hooks hooks;
  std::ostringstream printed;
  std::string calls;
  std::vector<std::string> warnings;

 private:
  Scratch scratch_;
};

}  // namespace

TEST_CASE("session: a run starts, prints to the given stream, and ends with a summary") {
  SessionFiles files;
  auto const outcome = files.run(Existing::refuse);
  CHECK(outcome.exit == ExitStatus::conserved);
  CHECK(outcome.steps == 8);
  CHECK_FALSE(outcome.finished.has_value());
  CHECK(files.calls == "initialise prepare begin end ");
  CHECK(files.warnings.empty());
  auto const printed = files.printed.str();
  for (auto const* part : {"a small sphere\n", "total mass 1", "20 bodies, 8 steps: ", "step 8/8"})
    CHECK(contains(printed, part));
  CHECK(contains(files.text("summary.json"), "\"status\": \"not_judged\""));
  CHECK(contains(outcome.tables, "conservation.csv "));
  CHECK(std::filesystem::exists(files.path() / "snapshot_000002.h5"));

  SessionFiles silent;
  silent.hooks.display = {};
  silent.run(Existing::refuse);
  CHECK(silent.printed.str().empty());
  CHECK(silent.log() == files.log());
}

TEST_CASE("session: the output directory of a deck file has its name, and observers see the run") {
  SessionFiles files;
  Order order;
  order.deck = files.scratch().write("sphere.json", session_deck);
  order.output = files.path().string();
  std::uint64_t observers = 0;
  files.hooks.add_observers = [&](deck::Configuration const& run, run::RunOutput&) {
    CHECK(run.steps == 8);
    ++observers;
  };
  CHECK(files.run(order).exit == ExitStatus::conserved);
  CHECK(observers == 1);
  order.output.clear();
  CHECK(Session(order).directory().path() == "sphere.run");  // nothing is created yet
  CHECK_FALSE(std::filesystem::exists("sphere.run"));
}

TEST_CASE("session: what is wrong is refused before anything is computed or written") {
  SessionFiles files;
  auto order = files.order(Existing::refuse, {"gravity.softening=-1"});
  CHECK(contains(refusal([&] { files.run(order); }), "deck: gravity.softening"));
  CHECK_FALSE(std::filesystem::exists(files.path()));
  files.run(Existing::refuse);
  auto const log = files.text("conservation.csv");
  CHECK(contains(file_refusal([&] { files.run(Existing::refuse); }), "already holds a run"));
  // Errors of the deck come first.
  CHECK(contains(refusal([&] { files.run(order); }), "deck: gravity.softening"));
  // The directory as the deck needs to be told what happens to its run.
  order.text.reset();
  order.overrides.clear();
  order.deck = files.path().string();
  CHECK(contains(refusal([&] { files.run(order); }, ExitStatus::usage),
                 "is the directory of a run; give --resume"));
  // Another session has the lock.
  Session const other(files.order(Existing::replace));
  CHECK(contains(file_refusal([&] { files.run(Existing::replace); }), "another run is writing"));
  CHECK(files.calls.empty());
  CHECK(files.text("conservation.csv") == log);
}

TEST_CASE("session: a run replaces another, which is restored if the new one does not start") {
  SessionFiles files;
  files.run(Existing::refuse);
  auto const log = files.log();
  // Inputs of the new run are not removed.
  auto const snapshot = (files.path() / "snapshot_000001.h5").string();
  auto const from_snapshot = [&] {
    files.run(Existing::replace, {"bodies={\"file\": \"" + snapshot + "\"}"});
  };
  CHECK(contains(file_refusal(from_snapshot), "belongs to the run that --force replaces"));
  files.hooks.add_observers = [](deck::Configuration const&, run::RunOutput&) {
    throw Error(ExitStatus::input_output, Problem{"observer", "cannot be added"});
  };
  auto const fail = [&] { files.run(Existing::replace, {"run.steps=4"}); };
  CHECK(contains(file_refusal(fail), "observer: cannot be added"));
  REQUIRE(files.warnings.size() == 1);
  CHECK(contains(files.warnings[0], "the previous run was restored"));
  CHECK(files.log() == log);
  CHECK(files.calls == "initialise prepare begin ");

  files.hooks.add_observers = [](deck::Configuration const&, run::RunOutput&) {};
  CHECK(files.run(Existing::replace, {"run.steps=4"}).steps == 4);
  CHECK(files.log() != log);
  CHECK_FALSE(std::filesystem::exists(files.path() / "snapshot_000002.h5"));
  // The directory itself as the deck: the resolved deck is read and then replaced.
  Order order;
  order.deck = files.path().string();
  order.existing = Existing::replace;
  order.overrides = {"run.steps=8"};
  CHECK(files.run(order).steps == 8);
  CHECK(files.log() == log);
}

TEST_CASE("session: a stopped run resumes with the same bits, a finished one is left alone" *
          testing::thread_counts) {
  SessionFiles whole, files;
  auto const expected = whole.run(Existing::refuse);
  auto const stopped = files.run_until(3);
  CHECK(stopped.exit == ExitStatus::stopped);
  CHECK(stopped.stop.reason == run::StopReason::request);
  CHECK(stopped.steps == 3);
  CHECK(stopped.checkpoint == 3);
  REQUIRE(stopped.problems.size() == 1);
  CHECK(contains(stopped.problems[0].text(), "stopped after step 3 at time 0.09375"));

  auto const unsafe = [&] { files.run(Existing::resume, {"gravity.softening=0.1"}); };
  CHECK(contains(refusal(unsafe), "gravity.softening: changed since the checkpoint"));
  auto const rarer = files.order(Existing::resume, {"output.snapshot_interval=0.25"});
  CHECK(contains(refusal([&] { files.run(rarer); }), "--allow-deck-change"));
  CHECK(files.calls.empty());

  auto const resumed = files.run(Existing::resume);
  CHECK(resumed.exit == expected.exit);
  CHECK(resumed.resumed == 3);
  CHECK(resumed.interactions == expected.interactions);
  CHECK(files.log() == whole.log());
  CHECK(contains(files.printed.str(), "resumes from generation 1: after step 3"));
  CHECK(files.calls == "initialise prepare begin end ");

  for (auto const existing : {Existing::resume, Existing::resume_if_possible}) {
    auto const again = files.run(existing);
    REQUIRE(again.finished.has_value());
    CHECK(again.finished->steps == 8);
    CHECK(again.finished->status == "not_judged");
    CHECK(again.exit == ExitStatus::conserved);
    CHECK(files.calls.empty());
  }
  // A later end continues it.
  CHECK(files.run(Existing::resume, {"run.steps=10"}).resumed == 8);
}

TEST_CASE("session: safe changes of the deck are accepted if the order allows them") {
  SessionFiles files;
  files.run_until(3);
  auto order = files.order(Existing::resume, {"output.snapshot_interval=0.25"});
  order.deck_change = run::DeckChange::allow_safe;
  CHECK(files.run(order).steps == 8);
}

TEST_CASE("session: a run that can only be resumed if possible starts where there is none") {
  SessionFiles files;
  CHECK(contains(file_refusal([&] { files.run(Existing::resume); }), "no checkpoint to resume"));
  CHECK_FALSE(files.run(Existing::resume_if_possible).resumed.has_value());
  CHECK(files.log().rfind("\n8,0.25,") != std::string::npos);
}

TEST_CASE("session: a control may start the run again, also one that was resumed") {
  SessionFiles whole, files;
  whole.run(Existing::refuse);
  files.hooks.controls = {SessionFiles::stop_at_call(5, run::StopReason::restart)};
  CHECK(files.run(Existing::refuse).exit == ExitStatus::conserved);
  CHECK(files.calls == "initialise prepare begin begin end ");
  CHECK(contains(files.printed.str(), "starts again, as requested"));
  CHECK(files.log() == whole.log());

  SessionFiles resumed;
  resumed.run_until(3);
  resumed.hooks.controls = {SessionFiles::stop_at_call(1, run::StopReason::restart)};
  auto const outcome = resumed.run(Existing::resume);
  CHECK_FALSE(outcome.resumed.has_value());
  CHECK(resumed.calls == "initialise prepare begin begin end ");
  CHECK(resumed.log() == whole.log());
}

TEST_CASE("session: the outcome carries the limit, the collision or the body that ended the run") {
  SessionFiles limited;
  auto outcome = limited.run(Existing::refuse, {"conservation.max_relative_energy_error=1e-15",
                                                "conservation.on_violation=stop"});
  CHECK(outcome.exit == ExitStatus::not_conserved);
  CHECK(outcome.stop.reason == run::StopReason::violation);
  REQUIRE(outcome.problems.size() == 1);
  CHECK(outcome.problems[0].where == "conservation.max_relative_energy_error");
  CHECK_FALSE(outcome.collision.has_value());
  CHECK_FALSE(outcome.not_finite.has_value());

  // From rest at distance 2 with a total mass of 1 the bodies meet at t = pi.
  SessionFiles files;
  Order order;
  order.output = files.path().string();
  order.text = R"({"bodies": {"list": [{"mass": 0.5, "position": [1, 0, 0]},
                                       {"mass": 0.5, "position": [-1, 0, 0]}]},
    "gravity": {"softening": 0}, "run": {"steps": 100},
    "integrator": {"name": "hermite4", "time_step": 0.0625, "stepping": {"mode": "adaptive"}}})";
  outcome = files.run(order);
  CHECK(outcome.exit == ExitStatus::internal);
  REQUIRE(outcome.collision.has_value());
  CHECK(outcome.collision->first == 0);
  CHECK(outcome.collision->second == 1);
  CHECK(outcome.collision->distance < 1e-6);
  CHECK(std::abs(outcome.collision->time - 3.14159265) < 1e-5);
  CHECK(files.calls == "initialise prepare begin end ");

  // The massless body moves beyond the largest number.
  order.existing = Existing::replace;
  order.text = R"({"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
                      {"mass": 0, "position": [1, 0, 0], "velocity": [1e150, 0, 0]}]},
    "gravity": {"softening": 1}, "run": {"steps": 3}, "integrator": {"time_step": 1e200}})";
  outcome = files.run(order);
  CHECK(outcome.exit == ExitStatus::internal);
  CHECK(outcome.stop.reason == run::StopReason::non_finite);
  REQUIRE(outcome.not_finite.has_value());
  CHECK(outcome.not_finite->index == 1);
  CHECK(outcome.not_finite->id == 1);
  CHECK_FALSE(outcome.not_finite->what.empty());
  CHECK_FALSE(outcome.collision.has_value());
}
