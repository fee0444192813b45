// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/poll.hpp>

namespace apsis::forces {

/// While it exists, the calling thread calls `poll` before each Solver::evaluate(); an empty one is
/// not called. It may throw: then nothing was evaluated. `poll` must outlive this object.
class EvaluationPoll {
 public:
  explicit EvaluationPoll(Poll const& poll);
  ~EvaluationPoll();
  EvaluationPoll(EvaluationPoll const&) = delete;
  EvaluationPoll& operator=(EvaluationPoll const&) = delete;

 private:
  Poll const* before_;
};

}  // namespace apsis::forces
