// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"

#include "commands.hpp"
#include "files/json_data.hpp"
#include <apsis/core/text.hpp>

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace apsis::cli {

namespace {

MessageFormat format = MessageFormat::text;

/// Whether a word is the option, alone or with "=VALUE".
bool is_option(std::string_view word) {
  std::string_view const name = message_format_option;
  return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
}

/// The value in a word such as "--errors=json"; empty if it is the next word.
std::string_view inline_value(std::string_view word) {
  auto const equals = word.find('=');
  return equals == std::string_view::npos ? "" : word.substr(equals + 1);
}

/// By MessageKind.
constexpr struct {
  char const* name;
  Tone tone;
} kind_words[]{{"error", Tone::bad}, {"warning", Tone::doubtful}, {"note", Tone::plain}};

}  // namespace

std::optional<int> terminal_columns(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

bool may_have_colours(int descriptor) {
  auto const* const refused = std::getenv("NO_COLOR");
  auto const* const kind = std::getenv("TERM");
  bool const is_refused = refused != nullptr && *refused != '\0';
  bool const is_dumb = kind == nullptr || *kind == '\0' || std::string_view(kind) == "dumb";
  return !is_refused && !is_dumb && ::isatty(descriptor) != 0;
}

std::string toned(std::string const& text, Tone tone, int descriptor) {
  if (tone == Tone::plain || !may_have_colours(descriptor)) return text;
  char const* const code = tone == Tone::good ? "32" : tone == Tone::doubtful ? "33" : "1;31";
  return "\033[" + std::string(code) + "m" + text + "\033[0m";
}

std::string with_toned_line(std::string const& text, std::string const& key, Tone tone,
                            int descriptor) {
  auto const line = text.starts_with(key) ? 0 : text.find("\n" + key);
  if (line == std::string::npos) return text;
  auto const begin = text.find_first_not_of(' ', line + key.size() + (line == 0 ? 0 : 1));
  auto const end = text.find('\n', begin);
  if (begin == std::string::npos || end == std::string::npos) return text;
  return text.substr(0, begin) + toned(text.substr(begin, end - begin), tone, descriptor) +
         text.substr(end);
}

void choose_message_format(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    std::string_view const word = argv[k];
    if (word == "--") return;
    if (!is_option(word)) continue;
    bool const is_next = word.find('=') == std::string_view::npos;
    std::string_view const value = !is_next ? inline_value(word) : k + 1 < argc ? argv[k + 1] : "";
    format = value == "json" ? MessageFormat::json : MessageFormat::text;
  }
}

MessageFormat message_format() {
  return format;
}

void take_message_format(std::vector<std::string>& words) {
  for (auto word = words.begin(); word != words.end() && *word != "--";) {
    if (!is_option(*word)) {
      ++word;
      continue;
    }
    bool const is_next = word->find('=') == std::string::npos;
    bool const has_value = !is_next || word + 1 != words.end();
    std::string const value(!has_value ? "" : is_next ? *(word + 1) : inline_value(*word));
    if (value != "json" && value != "text") {
      usage_error(message_format_option, has_value ? "is '" + value + "'" : "has no value", "",
                  "give text or json");
    }
    word = words.erase(word, word + (is_next ? 2 : 1));
  }
}

void print_message(MessageKind kind, Problem const& problem) {
  auto const& [name, tone] = kind_words[static_cast<std::size_t>(kind)];
  if (format == MessageFormat::json) {
    std::cerr << files::to_json_line(files::JsonData::Object{{"kind", name},
                                                             {"where", problem.where},
                                                             {"problem", problem.problem},
                                                             {"why", problem.why},
                                                             {"advice", problem.advice}});
    return;
  }
  auto const head = "apsis: " + std::string(name) + ":";
  auto const text = problem.where.empty() ? printable(problem.problem) : problem.text();
  std::cerr << toned(head, tone, STDERR_FILENO) << " " << text << std::endl;
}

}  // namespace apsis::cli
