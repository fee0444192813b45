// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <exception>
#include <functional>
#include <string>

namespace apsis::run {

/// Action on an error in a component of a run.
enum class OnError {
  end_the_run,
  warn,              ///< warn and continue, however often
  warn_a_few_times,  ///< warn and continue; end the run at failure number
                     ///< ErrorPolicy::most_failures in a row
};

/// Callback for the warnings of a run.
using WarningHandler = std::function<void(Problem const&)>;

/// Error policy of a component: converts any exception, including out-of-memory and thread
/// failures, into the configured action. With OnError::warn no exception ends the run.
class ErrorPolicy {
 public:
  static constexpr int most_failures = 3;

  /// `name`: the component, for example "snapshot". `warn` must outlive this object.
  ErrorPolicy(std::string name, OnError policy, WarningHandler const& warn)
      : name_(std::move(name)), policy_(policy), warn_(&warn) {}

  /// Runs `work`; returns false if it failed and the run continues.
  template <class Work>
  bool attempt(Work const& work) {
    try {
      work();
      return true;
    } catch (...) {
      handle(std::current_exception());
      return false;
    }
  }

  /// Warns of an error, or rethrows it if the run must end.
  void handle(std::exception_ptr const& error) {
    // An error that ends the run may pass here more than once while it propagates.
    if (policy_ == OnError::end_the_run || ended_) std::rethrow_exception(error);
    auto const described = error_from(error);
    auto problem = described.problems().front();
    ++failures_;
    if (policy_ == OnError::warn_a_few_times && failures_ >= most_failures) {
      ended_ = true;
      problem.why += (problem.why.empty() ? "" : "; ") + std::to_string(failures_) + " " + name_ +
                     "s in a row";
      throw Error(described.status(), problem);
    }
    problem.problem = name_ + " failed: " + problem.problem;
    problem.advice = "the run goes on" + (problem.advice.empty() ? "" : "; " + problem.advice);
    (*warn_)(problem);
  }
  /// Resets the count of successive failures.
  void reset_failures() { failures_ = 0; }
  std::string const& name() const { return name_; }
  /// Whether the last work failed.
  bool failed_last() const { return failures_ > 0; }

 private:
  std::string name_;
  OnError policy_;
  WarningHandler const* warn_;
  int failures_ = 0;  ///< successive failures
  bool ended_ = false;
};

}  // namespace apsis::run
