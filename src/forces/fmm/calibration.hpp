// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/saved_state.hpp>
#include <apsis/forces/solver.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace apsis::forces::fmm {

/// How strict a criterion must be for the errors that are asked for depends on the bodies: what
/// each cell adds may be missing up to a part of the accuracy, and this finds the part. It begins
/// with one that was enough for all bodies that were tried, and follows the errors of a sample
/// (whose 99 % fall as the power 0.63 of the part, measured) into a band below the accuracy; then
/// it looks again from time to time, since bodies move.
class Calibration {
 public:
  /// What it begins with. With 0.1 the errors were 1.2 of what was asked for, in the worst of nine
  /// configurations of 20 000 to 400 000 bodies.
  static constexpr double usual_part = 0.06;

  explicit Calibration(double accuracy) : accuracy_(accuracy) {}

  /// Of the accuracy, that a cell may add.
  double part() const { return part_; }
  /// Whether this evaluation is one whose errors are looked at; each is to be asked for once. If
  /// the last look saw more than was needed, it is less strict from now on.
  bool is_due();
  /// Told of what 99 % of the bodies stay within; whether that will do. Otherwise the part is
  /// another now, at last one that will.
  bool accepts(double error);

  /// The error that it was told last, if any: where it did not accept that, it is told another.
  std::optional<double> found() const {
    return found_ < 0.0 ? std::nullopt : std::optional(found_);
  }
  /// The largest error of all looks at what the run used: of evaluations that were accepted, and of
  /// the part that was in force since the look before. 0 before the first look.
  double worst() const { return worst_; }

  /// How often it was content: other bodies for another time.
  std::uint64_t turn() const { return turn_; }

  void exchange(SavedState& state);

 private:
  bool is_stricter_than_needed() const;
  void follow(double error);
  bool accept(double error);

  double accuracy_;
  double part_ = usual_part;
  double found_ = -1.0, worst_ = 0.0;
  bool is_in_use_ = false;        ///< whether evaluations before this look had the part as it is
  std::uint64_t until_next_ = 0;  ///< evaluations
  std::uint64_t turn_ = 0;
  /// Parts that were too much and needlessly strict in this evaluation; 0: none were.
  double too_loose_ = 0.0, strict_ = 0.0;

  static constexpr std::uint64_t interval = 64;
};

/// How many of so many bodies a sample has: enough to know 99 % to 9 %. Until the calibration is
/// content for the first time up to four times as many, where that does not take long: most runs
/// keep what is found then.
std::size_t size_of_sample(std::size_t bodies, std::uint64_t turn);

/// What the relative errors of 99 % of the accelerations stay within, of a sample spread over
/// all bodies, that a request for all of them found. `direct` knows better: O(N) pairs for each,
/// with `sources`, the bodies of all processes. `turn`: other bodies for another one. All processes
/// find the same. Fences.
template <class Stored>
double error_of_sample(Context const& context, Solver<Stored>& direct, Request<Stored> const& found,
                       Sources<Stored> const& sources, std::uint64_t turn);

extern template double error_of_sample(Context const&, Solver<float>&, Request<float> const&,
                                       Sources<float> const&, std::uint64_t);
extern template double error_of_sample(Context const&, Solver<double>&, Request<double> const&,
                                       Sources<double> const&, std::uint64_t);

}  // namespace apsis::forces::fmm
