// SPDX-License-Identifier: Apache-2.0
#include "text_numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace apsis::io {

namespace {

template <class Number>
Fault parse_plain(std::string_view word, Number& value) {
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  bool const whole = end == word.data() + word.size();
  if (!whole || error == std::errc::invalid_argument) return Fault::not_a_number;
  return error == std::errc() ? Fault::none : Fault::out_of_range;
}

/// The word without a plus sign, which from_chars() does not accept.
std::string_view without_plus(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  return word;
}

}  // namespace

Fault parse(std::string_view word, double& value) {
  word = without_plus(word);
  auto const fault = parse_plain(word, value);
  if (fault != Fault::not_a_number) return fault;
  // Fortran writes exponents of double precision numbers with a D.
  auto const letter = word.find_first_of("dD");
  std::array<char, 64> buffer{};
  if (letter == std::string_view::npos || word.size() > buffer.size()) return fault;
  std::copy(word.begin(), word.end(), buffer.begin());
  buffer[letter] = 'e';
  return parse_plain({buffer.data(), word.size()}, value);
}

Fault parse(std::string_view word, std::uint64_t& value) {
  auto const fault = parse_plain(without_plus(word), value);
  if (fault != Fault::not_a_number) return fault;
  double real = -1.0;
  bool const whole = parse(word, real) == Fault::none && real >= 0.0 && real <= 0x1p53 &&
                     real == std::floor(real);  // above 2^53 different ids have the same double
  if (!whole) return Fault::not_a_number;
  value = static_cast<std::uint64_t>(real);
  return Fault::none;
}

}  // namespace apsis::io
