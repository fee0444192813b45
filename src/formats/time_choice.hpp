// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <optional>
#include <set>
#include <string>

namespace apsis::formats {

/// Choice of one time of a file that may have several.
class TimeChoice {
 public:
  /// `wanted`: the time to choose, in the units of the file; without it the file must have a single
  /// time.
  explicit TimeChoice(std::optional<double> wanted) : wanted_(wanted) {}

  /// Whether the state at this time is read: the wanted one, or the first. Times match if they
  /// agree to single precision.
  bool accepts(double time);
  /// The time that was accepted; nothing so far.
  std::optional<double> chosen() const { return chosen_; }

  /// The problem of a file with several times and no wanted one, or without the wanted one; nothing
  /// if there is none. Call after the last accepts(). `other_advice`: an alternative to choosing a
  /// time, or empty.
  std::optional<Problem> problem(std::string const& source,
                                 std::string const& other_advice = "") const;

 private:
  std::string list() const;

  std::optional<double> wanted_, chosen_;
  std::set<double> times_;  ///< different times, up to a maximum
  bool is_ambiguous_ = false;
};

}  // namespace apsis::formats
