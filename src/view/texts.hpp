// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace apsis::view {

using SharedText = std::shared_ptr<std::string const>;

/// What was said and appended, numbered in its order: a viewer needs to remember two numbers, and
/// what it has not seen is kept once for all of them.
class Texts {
 public:
  /// How far a viewer has seen.
  struct Seen {
    std::uint64_t said = 0, appended = 0;
  };

  void say(std::string const& topic, std::string json);
  /// Beyond `most` texts of a topic they are thinned out evenly, with the first and the last.
  void append(std::string const& topic, std::string json);
  void clear(std::string const& topic);
  bool has_said(std::string const& topic) const { return said_.contains(topic); }

  /// The next text for a viewer, which has then seen it; null if it has seen all. What was said
  /// comes before what was appended.
  SharedText next(Seen& seen) const;

  static constexpr std::size_t most = 4096;

 private:
  struct Text {
    std::uint64_t number;
    SharedText json;
    std::uint64_t place;  ///< among all that its topic ever had
  };
  struct Grown {
    std::vector<Text> texts;
    std::uint64_t count = 0;
  };

  std::uint64_t newest_ = 0;
  std::map<std::string, Text> said_;
  std::map<std::string, Grown> appended_;
};

}  // namespace apsis::view
