// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>

#include <doctest/doctest.h>

#include <cstdlib>

using namespace apsis;

TEST_CASE("edit distance counts insertions, deletions, substitutions and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("softening", "softening") == 0);
  CHECK(edit_distance("sofetning", "softening") == 1);  // a swap
  CHECK(edit_distance("softning", "softening") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest word is found, and none for a word that is unlike all candidates") {
  std::vector<std::string> const words{"softening", "solver", "G", "precision"};
  CHECK(nearest("sofetning", words) == "softening");
  CHECK(nearest("solvr", words) == "solver");
  CHECK(nearest("zzzzzzzz", words) == "");
  CHECK(nearest("X", words) == "");
  CHECK(nearest("", words) == "");
  CHECK(nearest("prec", words) == "precision");
}

TEST_CASE("printable text has no effect on a terminal") {
  CHECK(printable("Jupiter, \u00e6\u2299\U0001f31e") == "Jupiter, \u00e6\u2299\U0001f31e");
  CHECK(printable("\x1b[2J\r\n\t\x7f") == "?[2J????");
  CHECK(printable("\u009b31m\u202e\u2066\u2028") == "?31m???");
  CHECK(printable("\x9b\xff\xc3") == "???");
  CHECK(printable("\xe2\x82") == "??");
  CHECK(printable(std::string_view("a\0b", 3)) == "a?b");
}

TEST_CASE("long words are shortened between characters") {
  CHECK(shortened("abc", 3) == "abc");
  CHECK(shortened("abcd", 3) == "abc...");
  CHECK(shortened("ab\xC3\xA9"
                  "d",
                  3) == "ab...");
  CHECK(shortened("ab\xC3\xA9"
                  "d",
                  4) == "ab\xC3\xA9...");
  CHECK(shortened("\xA9\xA9\xA9", 1) == "...");
}

TEST_CASE("numbers are written so that they read back exactly") {
  for (double const value : {0.1, 1.0 / 3.0, 6.02214076e23, 5e-324, -0.0, 1e22}) {
    CHECK(std::strtod(shortest(value).c_str(), nullptr) == value);
  }
  CHECK(shortest(0.1) == "0.1");
  CHECK(quoted_list({"a", "b"}) == "'a', 'b'");
}

TEST_CASE("text is broken into lines at blanks, and long words are kept") {
  CHECK(wrapped("", 10, 0).empty());
  CHECK(wrapped("a few words", 80, 2) == "  a few words\n");
  CHECK(wrapped("a few words", 7, 2) == "  a few\n  words\n");
  CHECK(wrapped("a few words", 6, 2) == "  a\n  few\n  words\n");
  CHECK(wrapped("an unbreakable word", 5, 0) == "an\nunbreakable\nword\n");
}
