// SPDX-License-Identifier: Apache-2.0
#include "state.hpp"
#include <apsis/core/error.hpp>
#include <apsis/run/session.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apsis::python {

namespace {

/// The state that an observer sees. Python may keep the object, but not use it later.
class Observed {
 public:
  explicit Observed(simulation::Instant& now) : now_(&now) {}

  simulation::Instant& now() {
    if (now_ != nullptr) return *now_;
    throw Error(ExitStatus::usage, {"observed state", "is gone", "the run has continued",
                                    "copy what is needed while the observer is called"});
  }
  void expire() { now_ = nullptr; }

 private:
  simulation::Instant* now_;
};

/// Requests and exceptions of the observers of a run. All members need Python's lock.
struct FromPython {
  std::optional<nb::python_error> raised{};  ///< ends the run, and is raised after it
  bool stops = false, writes_checkpoint = false;

  /// Calls a function; an exception of it ends the run.
  template <class Call>
  void attempt(Call const& call) {
    if (raised) return;
    try {
      call();
    } catch (nb::python_error& error) {
      raised.emplace(std::move(error));
    }
  }
};

/// Calls a function of Python with the state, at the start and every `interval` steps.
class PythonObserver final : public run::Observer {
 public:
  PythonObserver(std::uint64_t interval, nb::object const& function, FromPython& from_python)
      : interval_(interval), function_(function), from_python_(from_python) {}
  ~PythonObserver() override {
    nb::gil_scoped_acquire const lock;
    function_.reset();
  }

  bool is_due(run::RunStatus const& status, run::Occasion occasion) const override {
    return occasion == run::Occasion::scheduled && status.step % interval_ == 0;
  }
  std::uint64_t next_step(std::uint64_t step) const override {
    return run::next_multiple(step, interval_);
  }
  void observe(simulation::Instant& now, run::RunStatus const&, run::Occasion) override {
    nb::gil_scoped_acquire const lock;
    from_python_.attempt([&] {
      nb::object const observed = nb::cast(Observed(now), nb::rv_policy::move);
      std::string answer;
      try {
        nb::object const result = function_(observed);
        if (nb::isinstance<nb::str>(result)) answer = nb::cast<std::string>(result);
      } catch (...) {
        nb::cast<Observed&>(observed).expire();
        throw;
      }
      nb::cast<Observed&>(observed).expire();
      from_python_.stops = from_python_.stops || answer == "stop";
      from_python_.writes_checkpoint = from_python_.writes_checkpoint || answer == "checkpoint";
    });
  }

 private:
  std::uint64_t interval_;
  nb::object function_;
  FromPython& from_python_;
};

/// Passes remarks of a run on its bodies, "note: ...", to a function.
class Remarks final : public run::Observer {
 public:
  explicit Remarks(std::function<void(std::string const&)> warn) : warn_(std::move(warn)) {}
  std::uint64_t next_step(std::uint64_t /*step*/) const override { return run::no_step; }
  void note(std::string const& line) override {
    if (line.starts_with("note: ")) warn_(line);
  }

 private:
  std::function<void(std::string const&)> warn_;
};

/// Interval of an observer, in steps or as a time [time].
std::uint64_t steps_of(nb::handle interval, double time_step) {
  if (nb::isinstance<nb::int_>(interval)) return nb::cast<std::uint64_t>(interval);
  double const time = nb::cast<double>(interval), steps = time / std::abs(time_step);
  if (steps >= 1.0 && std::abs(steps - std::round(steps)) <= 1e-9 * steps) {
    return static_cast<std::uint64_t>(std::round(steps));
  }
  throw Error(ExitStatus::usage,
              {"observer", "its interval is no whole number of steps",
               "it is " + std::to_string(steps) + " steps", "give a multiple of the time step"});
}

run::Existing existing_of(std::string const& word) {
  if (word == "replace") return run::Existing::replace;
  if (word == "resume") return run::Existing::resume;
  if (word == "resume_if_possible") return run::Existing::resume_if_possible;
  return run::Existing::refuse;
}

/// Requests to the run of signals and observers, asked for at most 20 times per second for the
/// former: Python's lock costs more than a step of few bodies.
class PythonControl {
 public:
  explicit PythonControl(FromPython& from_python) : from_python_(from_python) {}

  std::optional<run::Request> operator()(run::RunClock const& clock) {
    using Kind = run::Request::Kind;
    constexpr double interval = 0.05;  // [s]
    if (from_python_.raised || from_python_.stops) return run::Request{Kind::stop};
    if (std::exchange(from_python_.writes_checkpoint, false)) {
      return run::Request{Kind::checkpoint};
    }
    if (clock.seconds - last_ < interval) return std::nullopt;
    last_ = clock.seconds;
    nb::gil_scoped_acquire const lock;
    from_python_.attempt([] {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    });
    return from_python_.raised ? std::optional(run::Request{Kind::stop}) : std::nullopt;
  }

 private:
  FromPython& from_python_;
  double last_ = 0.0;
};

/// Runs a deck in this process, with a directory. Returns exit status, problems, the directory and
/// the summary as text, which is empty for a run that had finished earlier.
nb::dict run(std::string const& deck, std::string const& source,
             std::vector<std::string> const& overrides, std::string const& directory,
             std::string const& existing, bool allow_deck_change, std::optional<int> threads,
             nb::list const& observers, nb::object const& warn) {
  FromPython from_python;
  run::Outcome outcome;
  std::string path, text;
  {
    nb::gil_scoped_release const release;
    run::Session session(
        {.deck = source,
         .text = deck.empty() ? std::nullopt : std::optional(deck),
         .overrides = overrides,
         .output = directory,
         .existing = existing_of(existing),
         .deck_change = allow_deck_change ? run::DeckChange::allow_safe : run::DeckChange::refuse,
         .threads = threads,
         .leader = current_leader()});
    run::Hooks hooks;
    hooks.initialise = [](std::optional<int> number) { start_kokkos(number); };
    hooks.warn = [&](Problem const& problem) {
      nb::gil_scoped_acquire const lock;
      from_python.attempt(
          [&] { warn(problem.where, problem.problem, problem.why, problem.advice); });
    };
    hooks.remark = [&](std::string const& remark) { hooks.warn({"deck", remark, "", ""}); };
    hooks.add_observers = [&](deck::Configuration const& configuration, run::RunOutput& output) {
      output.add("remarks", run::OnError::warn,
                 [&](auto&) { return std::make_unique<Remarks>(hooks.remark); });
      nb::gil_scoped_acquire const lock;
      for (nb::handle const item : observers) {
        auto const interval = steps_of(item[0], configuration.integrator.time_step);
        nb::object const function = item[1];
        output.add("observer", run::OnError::end_the_run, [&](auto&) {
          return std::make_unique<PythonObserver>(interval, function, from_python);
        });
      }
    };
    hooks.controls = {PythonControl(from_python)};
    outcome = session.run(hooks);
    path = session.directory().current_path().string();
    if (!outcome.finished) text = run::summary_text(session.configuration(), outcome, path);
  }
  if (from_python.raised) {
    from_python.raised->restore();
    throw nb::python_error();
  }
  nb::dict result;
  result["exit_status"] = static_cast<int>(outcome.exit);
  nb::list problems;
  for (auto const& problem : outcome.problems) {
    problems.append(nb::make_tuple(problem.where, problem.problem, problem.why, problem.advice));
  }
  result["problems"] = problems;
  result["directory"] = path;
  result["text"] = text;
  return result;
}

}  // namespace

void bind_run(nb::module_& extension) {
  using namespace nb::literals;
  nb::class_<Observed> type(extension, "Observed", "The state that an observer of a run sees.");
  bind_state(type);
  extension.def("run", run, "deck"_a, "source"_a, "overrides"_a, "directory"_a, "existing"_a,
                "allow_deck_change"_a, "threads"_a, "observers"_a, "warn"_a);
}

}  // namespace apsis::python
