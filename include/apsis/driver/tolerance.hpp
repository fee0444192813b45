// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <exception>
#include <functional>
#include <string>

namespace apsis::driver {

/// What an error in a part of a run comes to.
enum class OnError {
  end_the_run,
  warn,              ///< and go on, however often
  warn_a_few_times,  ///< and go on, unless it is Tolerance::most_failures in a row
};

/// Whom a run warns.
using Warn = std::function<void(Problem const&)>;

/// Turns errors of whatever kind into what a part's policy says: nothing that fails there, memory
/// and threads included, ends a run that was promised a warning.
class Tolerance {
 public:
  static constexpr int most_failures = 3;

  /// `what` cannot be done if it fails: "snapshot". `warn` must outlive it.
  Tolerance(std::string what, OnError policy, Warn const& warn)
      : what_(std::move(what)), policy_(policy), warn_(&warn) {}

  /// Does some work; false if it failed and the run goes on.
  template <class Work>
  bool attempt(Work const& work) {
    try {
      work();
      return true;
    } catch (...) {
      failed(std::current_exception());
      return false;
    }
  }

  /// Warns of an error, or throws it if it is one too many.
  void failed(std::exception_ptr const& error) {
    // What ends the run may pass here more than once on its way out.
    if (policy_ == OnError::end_the_run || over_) std::rethrow_exception(error);
    auto const known = error_from(error);
    auto problem = known.problems().front();
    ++failures_;
    if (policy_ == OnError::warn_a_few_times && failures_ >= most_failures) {
      over_ = true;
      problem.why += (problem.why.empty() ? "" : "; ") + std::to_string(failures_) + " " + what_ +
                     "s in a row";
      throw Error(known.status(), problem);
    }
    problem.problem = what_ + " failed: " + problem.problem;
    problem.advice = "the run goes on" + (problem.advice.empty() ? "" : "; " + problem.advice);
    (*warn_)(problem);
  }
  /// Failures in a row are counted anew.
  void succeeded() { failures_ = 0; }
  std::string const& what() const { return what_; }
  /// Whether the last work failed.
  bool failed_last() const { return failures_ > 0; }

 private:
  std::string what_;
  OnError policy_;
  Warn const* warn_;
  int failures_ = 0;  ///< in a row
  bool over_ = false;
};

}  // namespace apsis::driver
