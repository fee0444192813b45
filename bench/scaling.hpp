// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/precision.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apsis::simulation {
class Leader;
}
namespace apsis::benchmark {

/// Strong scaling: the same number of bodies on all ranks as on one. Weak scaling: the same work
/// per rank as on one rank alone (pairs; with the solver fmm, bodies).
enum class Scaling { strong, weak };

struct ScalingRequest {
  Scaling scaling;
  std::size_t bodies;  ///< number of bodies on one rank alone
  forces::Precision precision;
  std::optional<double> fmm_accuracy;  ///< accuracy of the solver fmm; empty: direct summation
};

/// Times of whole leapfrog steps on all ranks, and on rank 0 alone. Times are medians [s].
struct ScalingCost {
  ScalingRequest request;
  std::size_t processes;
  std::size_t bodies;  ///< total number of bodies on all ranks
  std::string kernel;
  double seconds_step;
  double seconds_alone;
  double
      seconds_waiting;    ///< per step, time that rank 0 waits for the other ranks and their bodies
  double spread;          ///< of the step: (largest - smallest) / median
  double messages;        ///< per step: between hosts, and between memories of bodies
  double bytes_gathered;  ///< per step
  double bytes_exchanged;  ///< per step, received by rank 0

  /// Rate per rank relative to the rate of rank 0 alone.
  double efficiency() const;
  /// Pairs per second; bodies per second for the solver fmm.
  double rate() const;
};

/// Measures the scaling. Without a leader there is a single rank. `use_all_threads`: on each rank,
/// also where fewer threads are faster.
ScalingCost scaling_cost(std::shared_ptr<simulation::Leader> const& leader,
                         ScalingRequest const& request, int repeats, bool use_all_threads);

/// Cost of messages. A step of P ranks with M messages takes M times the latency, which grows as
/// log2(P), plus the transfer time of its bytes.
struct MessageCost {
  std::size_t processes = 1;
  double latency = 0.0;    ///< of a gather of a few bytes, in the memory of the bodies [s]
  double bandwidth = 0.0;  ///< received per rank [bytes/s]
};
MessageCost message_cost(std::shared_ptr<simulation::Leader> const& leader, int repeats);

/// Prediction of the cost model for a direct-summation step.
struct Prediction {
  std::size_t processes;
  double bodies;
  double seconds_step;
  double rate;
  double efficiency;
};
/// Predicts a step on another number of equal ranks: the time of one rank alone, shared evenly,
/// plus the messages. Gathers deliver the data of all other ranks; of panel exchanges each rank
/// gets less with more ranks.
Prediction predict(ScalingCost const& measured, MessageCost const& messages, std::size_t processes);

std::string scaling_heading(MessageCost const& messages, bool of_fmm);
std::string scaling_line(ScalingCost const& cost);
/// Returns the prediction for the measured number of ranks, with its error, and for other numbers.
std::string prediction_lines(ScalingCost const& cost, MessageCost const& messages,
                             std::vector<std::size_t> const& processes);

/// Returns {"environment": {...}, "rows": [...]}; times in milliseconds. Each row holds a
/// measurement and its prediction; rows with the "kernel" model hold predictions for other numbers
/// of ranks.
std::string scaling_json(std::vector<ScalingCost> const& costs, MessageCost const& messages,
                         std::vector<std::size_t> const& processes, bool complete);

}  // namespace apsis::benchmark
