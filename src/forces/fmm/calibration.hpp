// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/saved_state.hpp>
#include <apsis/forces/solver.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace apsis::forces::fmm {

/// Calibrates the acceptance criterion. The error that one cell may add is a fraction of the
/// requested accuracy. Which fraction gives this accuracy depends on the bodies. The calibration
/// starts with a fraction that was sufficient for all configurations tried. It adjusts the fraction
/// until the 99th percentile of the errors of a sample is in a band below the accuracy. It measures
/// again every 64 evaluations, since bodies move.
class Calibration {
 public:
  /// Initial fraction. With 0.1 the errors were 1.2 times the requested accuracy in the worst of
  /// nine configurations of 20 000 to 400 000 bodies.
  static constexpr double default_fraction = 0.06;

  explicit Calibration(double accuracy) : accuracy_(accuracy) {}

  /// Fraction of the accuracy that one cell may add as an error.
  double fraction() const { return fraction_; }
  /// Counts an evaluation. Returns whether its errors must be measured. Call once per evaluation.
  /// If the last measurement was stricter than needed, relaxes the fraction first.
  bool begin_evaluation();
  /// Processes the measured 99th percentile of the errors of an evaluation. Returns whether the
  /// evaluation is accepted. Otherwise the fraction has changed and the evaluation must be
  /// repeated.
  bool process_measurement(double error);

  /// The last measured error, if any. It may be that of a rejected evaluation, until the repetition
  /// is measured.
  std::optional<double> last_error() const {
    return last_error_ < 0.0 ? std::nullopt : std::optional(last_error_);
  }
  /// Largest measured error of the evaluations that the run used: of the accepted ones, and of
  /// those since the previous measurement, if they had the fraction that is measured now. 0 before
  /// the first measurement.
  double worst_error() const { return worst_error_; }

  /// Number of finished calibrations. Each uses a different sample.
  std::uint64_t round() const { return round_; }

  void exchange(SavedState& state);

 private:
  bool is_stricter_than_needed() const;
  /// Changes the fraction, after a measured error, so that the next error is expected in the band.
  void adjust_fraction(double error);
  double accuracy_;
  double fraction_ = default_fraction;
  double last_error_ = -1.0, worst_error_ = 0.0;
  bool was_fraction_used_ = false;  ///< whether previous evaluations used the present fraction
  std::uint64_t evaluations_until_next_ = 0;  ///< evaluations before the next measurement
  std::uint64_t round_ = 0;
  /// Fractions that were too large and needlessly small in this evaluation; 0: none.
  double too_loose_ = 0.0, too_strict_ = 0.0;

  static constexpr std::uint64_t interval = 64;
};

/// Size of a sample of `bodies` bodies: 4000 suffice to measure the 99th percentile to 9 %. The
/// first calibration uses up to four times as many if that is cheap, since most runs keep its
/// result.
std::size_t sample_size(std::size_t bodies, std::uint64_t round);

/// Returns the 99th percentile of the relative errors of accelerations over a sample of all bodies.
/// `result`: an evaluated request for all bodies. `reference`: sums over all pairs, O(N) for each
/// sampled body. `sources`: the bodies of all ranks. Each `round` has another sample. All ranks get
/// the same value. Fences.
template <class Stored>
double sample_error(Context const& context, Solver<Stored>& reference,
                    Request<Stored> const& result, Sources<Stored> const& sources,
                    std::uint64_t round);

extern template double sample_error(Context const&, Solver<float>&, Request<float> const&,
                                    Sources<float> const&, std::uint64_t);
extern template double sample_error(Context const&, Solver<double>&, Request<double> const&,
                                    Sources<double> const&, std::uint64_t);

}  // namespace apsis::forces::fmm
