// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace apsis::cli {

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

}  // namespace apsis::cli
