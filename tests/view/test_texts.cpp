// SPDX-License-Identifier: Apache-2.0
#include "view/server/hub.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace apsis::view;

namespace {
std::vector<std::string> take_all(Texts const& texts, Texts::Position& position) {
  std::vector<std::string> heard;
  while (auto const text = texts.next(position)) heard.push_back(*text);
  return heard;
}
using Heard = std::vector<std::string>;
}  // namespace

TEST_CASE("viewers get the newest text of a topic, and all texts of a growing one") {
  Texts texts;
  Texts::Position position;
  CHECK(texts.next(position) == nullptr);
  texts.append("plot", "1");
  texts.say("hello", "hello");
  texts.say("state", "a");
  texts.say("state", "b");
  texts.append("plot", "2");
  CHECK(take_all(texts, position) == Heard{"hello", "b", "1", "2"});
  CHECK(take_all(texts, position).empty());
  texts.append("plot", "3");
  texts.append("other", "x");
  texts.say("state", "c");
  CHECK(take_all(texts, position) == Heard{"c", "3", "x"});
  Texts::Position later;
  CHECK(take_all(texts, later) == Heard{"hello", "c", "1", "2", "3", "x"});
  texts.clear("plot");
  Texts::Position latest;
  CHECK(take_all(texts, latest) == Heard{"hello", "c", "x"});
  texts.append("plot", "4");
  CHECK(take_all(texts, latest) == Heard{"4"});
  CHECK(take_all(texts, position) == Heard{"4"});
}

TEST_CASE("a growing topic is thinned out; its first and last text remain") {
  Texts texts;
  for (int i = 0; i < 100'000; ++i) {
    texts.append("plot", std::to_string(i));
    if (i % 9973 != 0) continue;
    Texts::Position position;
    auto const heard = take_all(texts, position);
    CHECK(heard.size() <= Texts::max_texts);
    CHECK(heard.front() == "0");
    CHECK(heard.back() == std::to_string(i));
  }
  Texts::Position position;
  auto const heard = take_all(texts, position);
  CHECK(heard.size() > Texts::max_texts / 2);
  for (std::size_t i = 1; i < heard.size(); ++i) {
    auto const step = std::stoi(heard[i]) - std::stoi(heard[i - 1]);
    CHECK(step > 0);
    CHECK(step <= 64);
  }
}
