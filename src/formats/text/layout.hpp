// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Numbers above the rows of a text table: a count of bodies, a time, a dimension.
///
/// | layout | lines |
/// |---|---|
/// | blocks | N, dimension, time on one to three lines; then N masses, N positions, N velocities |
/// | counted | N, or N, 3, time, or N and one more number on a line; then rows |
/// | COS 126 | N; radius; then rows x y vx vy mass and a name or a colour; then any text |
/// | FDPS | time; N; then rows id mass x y z vx vy vz |
/// | PeTar | file N time, and optionally the centre of mass; then rows mass x y z vx vy vz ... |
namespace apsis::formats {

struct TextLayout {
  enum class Kind { rows, blocks, cos126, fdps, petar };

  Kind kind = Kind::rows;
  std::string title{};  ///< "FDPS"; empty if the first line is a row or names columns
  /// How many numbers each line above the rows has, without comments and blank lines.
  std::vector<std::size_t> line_sizes{};
  std::vector<std::uint64_t> counts{};  ///< possible numbers of rows; empty if none is stated
  std::optional<double> time{};
  std::size_t dimension = 3;
  /// Places of these among the numbers above the rows. A layout with a place of the count may have
  /// several states, each with such numbers above its rows (states.hpp).
  std::optional<std::size_t> count_place{}, dimension_place{}, time_place{};
  std::size_t row_columns = 0;  ///< number of columns of the first row
  /// Names of the columns as in roles_of_columns(); empty if the layout does not define them.
  std::string columns{};
  std::vector<std::string> unused{};  ///< numbers of the header without a known meaning
  /// Why the file can be read in several ways, or its columns are not known; then nothing else is
  /// set. Empty if the layout is clear.
  std::string doubt{};

  bool has_header() const { return !line_sizes.empty(); }
};

/// A whole number >= 1 that is written with digits alone.
std::optional<std::uint64_t> count_in(std::string_view word);

/// Finds the layout of a table.
/// \param head      beginning of the file, without a byte order mark
/// \param is_whole  whether `head` is the whole file
/// \param is_named  whether the caller or a comment names the columns
TextLayout find_text_layout(std::string_view head, bool is_whole, bool is_named);

}  // namespace apsis::formats
