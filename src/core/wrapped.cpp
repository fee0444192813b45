// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/wrapped.hpp>

#include <algorithm>

namespace apsis {

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

}  // namespace apsis
