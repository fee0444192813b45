// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"

#include "commands.hpp"
#include "files/json_data.hpp"
#include "terminal.hpp"
#include <apsis/core/text.hpp>

#include <iostream>
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

struct KindWords {
  char const* name;
  Tone tone;
};

KindWords words_of(MessageKind kind) {
  switch (kind) {
    case MessageKind::warning:
      return {"warning", Tone::doubtful};
    case MessageKind::note:
      return {"note", Tone::plain};
    default:
      return {"error", Tone::bad};
  }
}

}  // namespace

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
  auto const [name, tone] = words_of(kind);
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
