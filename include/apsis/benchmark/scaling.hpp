// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/precision.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apsis::driver {
class Leader;
}
namespace apsis::benchmark {

/// Whether the bodies are as many on all processes as on one, or so many more that each has as much
/// work as one alone has: pairs, or bodies where the solver fmm has them.
enum class Scaling { strong, weak };

/// What is to be stepped.
struct ScalingRequest {
  Scaling scaling;
  std::size_t bodies;  ///< of the first process alone
  forces::Precision precision;
  std::optional<double> fmm_accuracy;  ///< of that solver; nothing: all pairs are summed
};

/// What whole leapfrog steps take on all processes, and on the first alone. Times are medians [s].
struct ScalingCost {
  ScalingRequest of;
  std::size_t processes;
  std::size_t bodies;  ///< on all of them
  std::string kernel;
  double seconds_step;
  double seconds_alone;
  double seconds_waiting;  ///< of a step, that the first waits for the others and their bodies
  double spread;           ///< of the step: (largest - smallest) / median
  double messages;         ///< of a step: between hosts, and between memories of bodies
  double bytes_gathered;   ///< of a step
  double bytes_exchanged;  ///< of a step, that come for the first

  /// The part of the first's rate that each of them adds.
  double efficiency() const;
  /// Pairs, or of the solver fmm bodies, in a second.
  double rate() const;
};

/// Measures it. Without a leader there is one process. `use_all_threads`: of each process, also
/// where fewer are faster.
ScalingCost scaling_cost(std::shared_ptr<driver::Leader> const& leader,
                         ScalingRequest const& request, int repeats, bool use_all_threads);

/// What messages cost: a step of P processes that makes M of them takes M times the latency, which
/// grows as log2(P), and what its bytes take.
struct MessageCost {
  std::size_t processes = 1;
  double latency = 0.0;    ///< [s], of a gather of a few bytes where the bodies live
  double bandwidth = 0.0;  ///< [bytes/s] that each gets
};
MessageCost message_cost(std::shared_ptr<driver::Leader> const& leader, int repeats);

/// What the model says of a step over all pairs.
struct Prediction {
  std::size_t processes;
  double bodies;
  double seconds_step;
  double rate;
  double efficiency;
};
/// On so many processes of the same kind: what one needs alone, shared evenly, and the messages.
/// Gathers bring what the others have; of what is exchanged between panels each gets less.
Prediction predicted(ScalingCost const& measured, MessageCost const& messages,
                     std::size_t processes);

std::string scaling_heading(MessageCost const& messages, bool of_fmm);
std::string scaling_line(ScalingCost const& cost);
/// What is predicted for the number that was measured, with its error, and for others.
std::string prediction_lines(ScalingCost const& cost, MessageCost const& messages,
                             std::vector<std::size_t> const& processes);

/// {"environment": {...}, "rows": [...]}; times in milliseconds. A row says what was measured, with
/// what the model says of it; rows of the "kernel" model what it says of other numbers.
std::string scaling_json(std::vector<ScalingCost> const& costs, MessageCost const& messages,
                         std::vector<std::size_t> const& processes, bool complete);

}  // namespace apsis::benchmark
