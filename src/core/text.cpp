// SPDX-License-Identifier: Apache-2.0
#include "apsis/core/text.hpp"

#include "core/decimal.hpp"
#include "core/program.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

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

std::string escaped(std::string const& word) {
  std::string quoted = "$'";
  for (char const letter : word) {
    auto const code = static_cast<unsigned char>(letter);
    if (letter == '\'' || letter == '\\') {
      quoted += std::string("\\") + letter;
    } else if (code < 0x20 || code >= 0x7f) {
      quoted += formatted("\\%03o", static_cast<unsigned>(code));
    } else {
      quoted += letter;
    }
  }
  return quoted + "'";
}

}  // namespace

std::string formatted(char const* format, ...) {
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  std::string text(static_cast<std::size_t>(std::vsnprintf(nullptr, 0, format, arguments)), ' ');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  va_end(arguments);
  return text;
}

std::string shortest(double value) {
  std::array<char, 40> buffer{};
  auto const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3 && seconds >= 1e-6) return formatted("%.3g us", seconds * 1e6);
  if (seconds < 1.0) return formatted("%.3g ms", seconds * 1e3);
  if (seconds < 10.0) return formatted("%.2g s", seconds);
  if (seconds < 100.0) return formatted("%.0f s", seconds);
  if (seconds < 6000.0) return formatted("%.0f min", seconds / 60.0);
  if (seconds < 72.0 * 3600.0) return formatted("%.1f h", seconds / 3600.0);
  return formatted("%.3g days", seconds / 86400.0);
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) --most;
  return std::string(text.substr(0, most)) + "...";
}

namespace {
/// Length [bytes] and code point of the UTF-8 character at the start; length 0 if it is not valid.
std::pair<std::size_t, std::uint32_t> character(std::string_view text) {
  auto const first = static_cast<unsigned char>(text.front());
  std::size_t const bytes = first < 0x80                    ? 1
                            : first >= 0xc2 && first < 0xe0 ? 2
                            : first >= 0xe0 && first < 0xf0 ? 3
                            : first >= 0xf0 && first < 0xf5 ? 4
                                                            : 0;
  if (bytes == 0 || bytes > text.size()) return {0, 0};
  std::uint32_t code = bytes == 1 ? first : first & (0xffU >> (bytes + 1));
  for (std::size_t k = 1; k < bytes; ++k) {
    auto const next = static_cast<unsigned char>(text[k]);
    if ((next & 0xc0U) != 0x80U) return {0, 0};
    code = (code << 6U) | (next & 0x3fU);
  }
  return {bytes, code};
}

bool affects_terminals(std::uint32_t code) {
  bool const control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  bool const line = code == 0x2028 || code == 0x2029;
  bool const direction = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return control || line || direction;
}
}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    auto const [bytes, code] = character(text);
    bool const good = bytes > 0 && !affects_terminals(code);
    shown += good ? text.substr(0, bytes) : "?";
    text.remove_prefix(std::max<std::size_t>(1, bytes));
  }
  return shown;
}

std::string quoted_list(std::vector<std::string> const& words) {
  std::string list;
  for (auto const& word : words) list += (list.empty() ? "'" : ", '") + word + "'";
  return list;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_up(b.size() + 1), up(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) up[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const substituted = up[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0);
      row[j] = std::min({up[j] + 1, row[j - 1] + 1, substituted});
      bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_up[j - 2] + 1);
    }
    std::swap(two_up, up);
    std::swap(up, row);
  }
  return up[b.size()];
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view gaps = " \t\v\f\r";
  auto const first = text.find_first_not_of(gaps);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(gaps) - first + 1);
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    auto const comma = std::min(text.find(','), text.size());
    words.emplace_back(trimmed(text.substr(0, comma)));
    if (comma == text.size()) return words;
    text.remove_prefix(comma + 1);
  }
}

std::string lower_case(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::optional<double> positive_number_in(std::string_view word) {
  double value = 0.0;
  bool const good = read_decimal(word, value) == Numeral::good && value > 0.0;
  return good ? std::optional(value) : std::nullopt;
}

std::string normalized_word(std::string_view word) {
  auto text = lower_case(word);
  std::erase_if(text, [](char c) { return c == '_' || c == '-' || c == ' '; });
  return text;
}

std::string nearest(std::string_view word, std::vector<std::string> const& candidates) {
  auto const plain = normalized_word(word);
  // A word is never matched to a candidate that shares no letter with it.
  std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
  std::string result;
  for (auto const& candidate : candidates) {
    // A common beginning is a clearer hint than a small edit distance.
    auto const other = normalized_word(candidate);
    bool const begins = (plain.size() >= 3 && other.starts_with(plain)) ||
                        (other.size() >= 4 && plain.starts_with(other));
    auto const distance = begins ? std::size_t{1} : edit_distance(word, candidate);
    if (distance < best && distance < std::max(word.size(), candidate.size())) {
      best = distance;
      result = candidate;
    }
  }
  return result;
}

std::string wrapped(std::string const& text, std::size_t columns, std::size_t indent) {
  std::string lines, line;
  auto const put = [&] {
    lines += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  for (std::size_t begin = 0; begin < text.size();) {
    auto const end = std::min(text.find(' ', begin), text.size());
    auto const word = text.substr(begin, end - begin);
    if (!line.empty() && indent + line.size() + 1 + word.size() > columns) put();
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  if (!line.empty()) put();
  return lines;
}

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

std::string shell_quote(std::string const& word) {
  bool const plain =
      !word.empty() &&
      word.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,:@%=") ==
          std::string::npos;
  if (plain) return word;
  if (printable(word) != word) return escaped(word);
  std::string quoted = "'";
  for (char const letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

std::string shell_path(std::string const& path) {
  return shell_quote(path.starts_with('-') ? "./" + path : path);
}

std::string quoted_command(std::string const& command) {
  return command.find('\'') == std::string::npos ? "'" + command + "'" : command;
}

namespace {

std::string& program() {
  static std::string name = "apsis";
  return name;
}

}  // namespace

void name_program(char const* argv0) {
  auto const* const script = std::getenv("APSIS_STARTED_AS");
  std::string const name = script != nullptr ? script : argv0 != nullptr ? argv0 : "";
  if (!name.empty()) program() = shell_path(name);
}

std::string program_command(std::string const& words) {
  return quoted_command(program() + " " + words);
}

}  // namespace apsis
