// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>

#include <bit>
#include <cmath>

namespace apsis::formats {

/// Note on formats that store bodies by species.
inline constexpr char const* order_is_lost =
    "the order of the bodies: they are written species by species";

/// Rows of the bodies ordered by `group` of their species, in their order within a group. O(N).
/// group(species) < species_types::count.
template <class Group>
std::vector<std::size_t> rows_by_group(HostBodies const& bodies, Group const& group) {
  std::array<std::size_t, species_types::count + 1> next{};
  for (std::size_t i = 0; i < bodies.size(); ++i) ++next[group(bodies.species_of(i)) + 1U];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::size_t> rows(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) rows[next[group(bodies.species_of(i))]++] = i;
  return rows;
}

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
