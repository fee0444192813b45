// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formats/time_choice.hpp"
#include "header.hpp"
#include "layout.hpp"
#include <apsis/formats/bodies_file.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace apsis::formats {

/// Reader of a text in blocks: N, dimension d and time, then N masses, N d positions and N d
/// velocities; possibly several such states one after the other. Line breaks have no meaning. The
/// coordinate z of a plane is 0.
class TextBlocks {
 public:
  /// `size`: of the file [bytes], if it is known. Reports a count that does not fit in the file.
  TextBlocks(TextProblems& problems, BodiesFile& file, TextLayout const& layout, TimeChoice& times,
             std::optional<std::uint64_t> size);

  /// Reads the numbers of the next line below the header.
  void read(std::vector<std::string_view> const& fields);
  /// Reports missing numbers after the last line.
  void finish();

 private:
  void begin_state(double time);
  void add(double value);
  void add_header(double value);
  void store(double value);
  std::uint64_t state_size() const { return count_ * (1 + 2 * dimension_); }

  TextProblems& problems_;
  BodiesFile& file_;
  TimeChoice& times_;
  std::uint64_t count_;
  std::size_t dimension_;
  std::uint64_t place_ = 0;       ///< number of values of the present state so far
  bool is_stored_ = false;        ///< whether the present state is the chosen one
  std::vector<double> header_{};  ///< numbers after a state, which may begin another
  std::uint64_t further_ = 0;     ///< numbers after the states that begin no other
};

}  // namespace apsis::formats
