// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace apsis::formats {

/// Rounds doubles to 32 bits and records the largest relative error.
class Rounding {
 public:
  /// `format`: name of the format in errors.
  explicit Rounding(char const* format) : format_(format) {}

  /// Throws a bad-input error for a value that is too large; name() gives its place.
  template <class Name>
  std::uint32_t operator()(double value, Name const& name) {
    auto const single = static_cast<float>(value);
    APSIS_VALIDATE(std::isfinite(single), {name(), std::string("too large for ") + format_,
                                           shortest(value) + " overflows its 32 bits",
                                           "write another format, or choose larger units"});
    double const error = value == 0.0 ? 0.0 : std::abs((single - value) / value);
    largest_ = std::max(largest_, error);
    return std::bit_cast<std::uint32_t>(single);
  }

  void report(std::string const& what, std::vector<std::string>& lost) const {
    if (largest_ == 0.0) return;
    lost.push_back(what + " are rounded to 32 bits, with a relative error of up to " +
                   formatted("%.2g", largest_));
  }

 private:
  char const* format_;
  double largest_ = 0.0;
};

}  // namespace apsis::formats
