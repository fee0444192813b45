// SPDX-License-Identifier: Apache-2.0
#include "view/texts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace apsis::view;

namespace {
std::vector<std::string> all(Texts const& texts, Texts::Seen& seen) {
  std::vector<std::string> heard;
  while (auto const text = texts.next(seen)) heard.push_back(*text);
  return heard;
}
using Heard = std::vector<std::string>;
}  // namespace

TEST_CASE("of a topic that is said the newest is heard, of one that grows all") {
  Texts texts;
  Texts::Seen seen;
  CHECK(texts.next(seen) == nullptr);
  texts.append("plot", "1");
  texts.say("hello", "hello");
  texts.say("state", "a");
  texts.say("state", "b");
  texts.append("plot", "2");
  CHECK(all(texts, seen) == Heard{"hello", "b", "1", "2"});
  CHECK(all(texts, seen).empty());
  texts.append("plot", "3");
  texts.append("other", "x");
  texts.say("state", "c");
  CHECK(all(texts, seen) == Heard{"c", "3", "x"});
  Texts::Seen later;
  CHECK(all(texts, later) == Heard{"hello", "c", "1", "2", "3", "x"});
  texts.clear("plot");
  Texts::Seen latest;
  CHECK(all(texts, latest) == Heard{"hello", "c", "x"});
  texts.append("plot", "4");
  CHECK(all(texts, latest) == Heard{"4"});
  CHECK(all(texts, seen) == Heard{"4"});
}

TEST_CASE("a topic that grows for ever is thinned out, with its first and last text") {
  Texts texts;
  for (int i = 0; i < 100'000; ++i) {
    texts.append("plot", std::to_string(i));
    if (i % 9973 != 0) continue;
    Texts::Seen seen;
    auto const heard = all(texts, seen);
    CHECK(heard.size() <= Texts::most);
    CHECK(heard.front() == "0");
    CHECK(heard.back() == std::to_string(i));
  }
  Texts::Seen seen;
  auto const heard = all(texts, seen);
  CHECK(heard.size() > Texts::most / 2);
  for (std::size_t i = 1; i < heard.size(); ++i) {
    auto const step = std::stoi(heard[i]) - std::stoi(heard[i - 1]);
    CHECK(step > 0);
    CHECK(step <= 64);
  }
}
