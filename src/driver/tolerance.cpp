// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/driver/tolerance.hpp>

namespace apsis::driver {

void Tolerance::failed(std::exception_ptr const& error) {
  // What ends the run may pass here more than once on its way out.
  if (policy_ == OnError::end_the_run || over_) std::rethrow_exception(error);
  auto const known = error_from(error);
  auto problem = known.problems().front();
  ++failures_;
  if (policy_ == OnError::warn_a_few_times && failures_ >= most_failures) {
    over_ = true;
    problem.why +=
        (problem.why.empty() ? "" : "; ") + std::to_string(failures_) + " " + what_ + "s in a row";
    throw Error(known.status(), problem);
  }
  problem.problem = what_ + " failed: " + problem.problem;
  problem.advice = "the run goes on" + (problem.advice.empty() ? "" : "; " + problem.advice);
  (*warn_)(problem);
}

}  // namespace apsis::driver
