// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "verification/verify.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>

using namespace apsis;
using apsis::testing::contains;
using verification::Row;

TEST_CASE("a row passes only within its limit, and never with NaN") {
  CHECK(Row{"error", "", 1e-3, std::nullopt, 1e-3}.passed());
  CHECK_FALSE(Row{"error", "", 1.1e-3, std::nullopt, 1e-3}.passed());
  CHECK_FALSE(Row{"error", "", -1.1e-3, std::nullopt, 1e-3}.passed());
  CHECK(Row{"order", "", 3.95, 4.0, 0.1}.passed());
  CHECK_FALSE(Row{"order", "", 3.85, 4.0, 0.1}.passed());
  CHECK_FALSE(Row{"order", "", 4.15, 4.0, 0.1}.passed());
  double const nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(Row{"error", "", nan, std::nullopt, 1.0}.passed());
  CHECK_FALSE(Row{"order", "", nan, 4.0, 0.1}.passed());
}

TEST_CASE("the report counts failures and marks each line") {
  Row const good{"answer", "method", 1.0, 1.0, 0.1};
  Row const bad{"error", "method", 2.0, std::nullopt, 0.1};
  CHECK(contains(verification::verify_line(good, ""), "pass"));
  CHECK(contains(verification::verify_line(bad, ""), "FAIL"));
  CHECK(verification::verify_line(good, "").starts_with("answer\n"));
  CHECK(verification::verify_line(good, "answer").starts_with("  method "));
  CHECK(contains(verification::verify_verdict({good, good}), "all 2 answers"));
  CHECK(contains(verification::verify_verdict({good, bad, bad}), "2 of 3 answers are not"));
  auto const json = verification::verify_json({good, bad});
  CHECK(contains(json, "\"expected\": null"));
  CHECK(contains(json, "\"pass\": false"));
}

TEST_CASE("every known answer has a unique name and a source") {
  std::set<std::string> names;
  for (auto const& answer : verification::known_answers()) {
    CHECK(!answer.doc.empty());
    CHECK(names.insert(answer.name).second);
  }
}
