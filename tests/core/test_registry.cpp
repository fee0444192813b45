// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include <apsis/core/registry.hpp>

#include <doctest/doctest.h>

using namespace apsis;
using apsis::testing::contains;

namespace {

struct Tool {
  std::string name;
  int size;
};
struct Word {
  int size;
  std::string spelling;
};

}  // namespace

TEST_CASE("a registry finds entries by name and keeps their order") {
  Registry<Tool> const tools("tool", {{"hammer", 3}, {"saw", 5}});
  CHECK(tools.size() == 2);
  CHECK(tools.front().name == "hammer");
  CHECK(tools.names() == std::vector<std::string>{"hammer", "saw"});
  CHECK(tools.find("saw") == &tools.get("saw"));
  CHECK(tools.get("saw").size == 5);
  CHECK(tools.find("sa") == nullptr);
  CHECK(tools.find("") == nullptr);
  int sum = 0;
  for (auto const& tool : tools) sum += tool.size;
  CHECK(sum == 8);
}

TEST_CASE("an unknown name in a registry is an internal error") {
  Registry<Word, &Word::spelling> const words("word", {{1, "a"}});
  CHECK(words.get("a").size == 1);
  try {
    words.get("b");
    FAIL("no error");
  } catch (Error const& error) {
    CHECK(error.status() == ExitStatus::internal);
    CHECK(contains(error.what(), "word: there is no 'b'"));
  }
}
