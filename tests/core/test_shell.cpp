// SPDX-License-Identifier: Apache-2.0
#include "core/program.hpp"
#include "support/scratch.hpp"
#include <apsis/core/text.hpp>

#include <doctest/doctest.h>

#include <cstdlib>

using namespace apsis;

TEST_CASE("a shell reads a quoted word back unchanged, and the quoted word is printable") {
  testing::Scratch const scratch;
  auto const out = (scratch / "out").string();
  for (std::string const word : {"deck.run",
                                 "/a/b-c_d+e,f:g@h%i=j",
                                 "",
                                 "a b",
                                 "$(touch P)",
                                 "`touch P`",
                                 "a\"b",
                                 "a'b",
                                 "''",
                                 "a\\b",
                                 "a\\'b",
                                 "~",
                                 "a;b&c|d>e",
                                 "*?[x]",
                                 "!x",
                                 "#x",
                                 "a\nb",
                                 "\n",
                                 "\ta",
                                 "a\x1b[1m",
                                 "\xc3\xa4",
                                 "\xff",
                                 "a\nb'c\\d\"e$f"}) {
    CAPTURE(word);
    auto const quoted = shell_quote(word);
    CHECK(printable(quoted) == quoted);
    std::ofstream(scratch / "script")
        << "cd '" << scratch.path().string() << "' && printf %s " << quoted << " >out\n";
    std::filesystem::remove(out);
    REQUIRE(std::system(("bash '" + (scratch / "script").string() + "'").c_str()) == 0);
    CHECK(testing::content(out) == word);
  }
  CHECK_FALSE(std::filesystem::exists(scratch / "P"));
}

TEST_CASE("a suggested command is safe with and without the quotes around it") {
  CHECK(shell_path("deck.run") == "deck.run");
  CHECK(shell_path("-x") == "./-x");
  CHECK(shell_path("-x y") == "'./-x y'");
  CHECK(quoted_command("apsis run deck.run") == "'apsis run deck.run'");
  CHECK(quoted_command("apsis run 'a b'") == "apsis run 'a b'");
}
