// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/core/parameter.hpp>

#include <doctest/doctest.h>

using namespace apsis;

TEST_CASE("the allowed values of a parameter are described in words") {
  CHECK(allowed(number("a", "")) == "a finite number");
  CHECK(allowed(number("a", "").above(0.0)) == "a finite number > 0");
  CHECK(allowed(integer("a", "").at_least(1).at_most(9)) == "a whole number >= 1 and <= 9");
  CHECK(allowed(number("a", "").at_most(2.5)) == "a finite number <= 2.5");
  CHECK(allowed(choice("a", {"x", "y"}, "")) == "one of 'x', 'y'");
}

TEST_CASE("accessing a missing value or a value of another kind throws") {
  Values values;
  values.set("a", 1.5);
  CHECK(values.number("a") == 1.5);
  CHECK_THROWS_AS(values.integer("a"), Error);
  CHECK_THROWS_AS(values.number("b"), Error);
}

TEST_CASE("an error is one line in the agreed grammar") {
  CHECK(Problem{"deck.json: a.b", "unknown key", "allowed: 'c'", "remove it"}.text() ==
        "deck.json: a.b: unknown key (allowed: 'c'); remove it");
  CHECK(Problem{"x", "bad", "", ""}.text() == "x: bad");
  CHECK(Problem{"a\nb", "\033[2J", "", ""}.text() == "a?b: ?[2J");
}
