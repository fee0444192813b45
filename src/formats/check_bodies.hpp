// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/formats/bodies_file.hpp>

#include <cstddef>
#include <set>
#include <utility>

namespace apsis::formats {

/// Maximum number of reported problems of one file.
inline constexpr std::size_t max_problems_per_file = 10;

/// Note on files with gas.
inline constexpr char const* gas_words =
    "gas: only gravity acts on it, Apsis computes no gas dynamics";

/// A word of a file in a message: safe for a terminal, and shortened.
std::string printed_word(std::string_view word, std::size_t most = 40);

/// Indices of two bodies with the same id, in ascending order; nothing if ids are unique. Cost
/// O(N log N) and memory for a copy of the ids.
std::optional<std::pair<std::size_t, std::size_t>> repeated_id(
    std::vector<std::uint64_t> const& ids);

/// Numbers the bodies 0 ... N - 1 in place of the ids of the file.
void number_anew(BodiesFile& file);

/// Throws the problems of the bodies, if there are any.
void check_values(BodiesFile const& file, std::string const& source);

/// Problems of the bodies: values that are not finite, negative masses and duplicate ids. Each
/// problem names the body's index in the file, from 0, and its id. At most max_problems_per_file of
/// values and masses, and one of ids.
std::vector<Problem> problems_of(BodiesFile const& file, std::string const& source);

/// Choice of one time of a file that may have several.
class TimeChoice {
 public:
  /// `wanted`: the time to choose, in units of the file; without it there must be a single time.
  explicit TimeChoice(std::optional<double> wanted) : wanted_(wanted) {}

  /// Whether this time is read: the wanted one, or the first. Equal is to single precision.
  bool accepts(double time);
  /// The time that was accepted; nothing so far.
  std::optional<double> chosen() const { return chosen_; }

  /// The problem of a file with several times and no wanted one, or without the wanted one; nothing
  /// if there is none. Call after the last accepts(). `other_advice`: an alternative, or empty.
  std::optional<Problem> problem(std::string const& source,
                                 std::string const& other_advice = "") const;

 private:
  std::string list() const;

  std::optional<double> wanted_, chosen_;
  std::set<double> times_;  ///< different times, up to a maximum
  bool is_ambiguous_ = false;
};

}  // namespace apsis::formats
