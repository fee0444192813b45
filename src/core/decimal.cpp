// SPDX-License-Identifier: Apache-2.0
#include "core/decimal.hpp"

#include <charconv>
#include <system_error>

namespace apsis {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Removes the digits at the start of `word` and returns how many there were.
std::size_t skip_digits(std::string_view& word) {
  std::size_t count = 0;
  while (count < word.size() && is_digit(word[count])) ++count;
  word.remove_prefix(count);
  return count;
}

bool skip_one_of(std::string_view& word, std::string_view characters) {
  if (word.empty() || characters.find(word.front()) == std::string_view::npos) return false;
  word.remove_prefix(1);
  return true;
}

/// Removes an integer without a sign; false if there is none.
bool skip_integer(std::string_view& word) {
  bool const leading_zero = word.size() > 1 && word[0] == '0' && is_digit(word[1]);
  return !leading_zero && skip_digits(word) > 0;
}

bool is_integer(std::string_view word) {
  return skip_integer(word) && word.empty();
}

bool is_number(std::string_view word) {
  skip_one_of(word, "-");
  if (!skip_integer(word)) return false;
  if (skip_one_of(word, ".") && skip_digits(word) == 0) return false;
  if (skip_one_of(word, "eE")) {
    skip_one_of(word, "+-");
    if (skip_digits(word) == 0) return false;
  }
  return word.empty();
}

template <class Number>
Numeral converted(std::string_view word, Number& value) {
  Number read{};
  auto const result = std::from_chars(word.data(), word.data() + word.size(), read);
  if (result.ec != std::errc()) return Numeral::out_of_range;
  value = read;
  return Numeral::good;
}

}  // namespace

Numeral read_decimal(std::string_view word, std::uint64_t& value) {
  return is_integer(word) ? converted(word, value) : Numeral::malformed;
}

Numeral read_decimal(std::string_view word, std::int64_t& value) {
  auto digits = word;
  skip_one_of(digits, "-");
  return is_integer(digits) ? converted(word, value) : Numeral::malformed;
}

Numeral read_decimal(std::string_view word, double& value) {
  return is_number(word) ? converted(word, value) : Numeral::malformed;
}

}  // namespace apsis
