// SPDX-License-Identifier: Apache-2.0
#include "support/executable/commands.hpp"

#include <nlohmann/json.hpp>

#include <set>

using namespace apsis::testing;
using nlohmann::json;

namespace {

/// Returns the names that `apsis list` prints below a title.
std::set<std::string> list_names(std::string const& title, Scratch const& scratch) {
  std::set<std::string> names;
  std::istringstream lines(run_apsis("list", scratch).out);
  bool in_section = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  ", 0) != 0) in_section = line.rfind(title, 0) == 0;
    std::istringstream words(line);
    std::string name;
    if (in_section && line.rfind("  ", 0) == 0 && words >> name) names.insert(name);
  }
  return names;
}

}  // namespace

TEST_CASE("the quick known-answer suite passes and covers every integrator") {
  Scratch const scratch;
  auto const result = run_apsis("verify --quick --json v.json", scratch);
  INFO(result.out);
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.err == "");
  CHECK(contains(result.out, "answers are within their limits"));
  auto const report = json::parse(content(scratch / "v.json"));
  REQUIRE(report["rows"].size() > 40);
  std::set<std::string> problems, methods, ordered;
  // It chooses its steps, so its error does not depend on time_step.
  ordered.insert("gauss_radau15");
  for (auto const& row : report["rows"]) {
    CAPTURE(row.dump());
    std::set<std::string> keys;
    for (auto const& [key, value] : row.items()) keys.insert(key);
    CHECK(keys ==
          std::set<std::string>{"problem", "method", "measured", "expected", "limit", "pass"});
    CHECK(row["pass"] == true);
    double const expected = row["expected"].is_null() ? 0.0 : row["expected"].get<double>();
    CHECK(std::abs(row["measured"].get<double>() - expected) <= row["limit"].get<double>());
    auto const problem = row["problem"].get<std::string>();
    problems.insert(problem);
    CHECK(contains(result.out, problem));
    if (contains(problem, "order of the energy error")) {
      ordered.insert(row["method"].get<std::string>());
      CHECK(row["limit"].get<double>() <= 0.1);
    }
  }
  CHECK(ordered == list_names("integrators", scratch));
  for (auto const* word : {"Kepler", "figure of eight", "Lagrange triangle", "Plummer", "cold",
                           "King", "planets", "forth and back"}) {
    CAPTURE(word);
    CHECK(std::any_of(problems.begin(), problems.end(),
                      [&](std::string const& problem) { return contains(problem, word); }));
  }
}

TEST_CASE("selected problems are run by name, with the same bits on any number of threads") {
  Scratch const scratch;
  auto const known = list_names("known_answers", scratch);
  CHECK(known.count("figure_eight") == 1);
  std::set<std::string> rows;
  for (auto const* threads : {"", "--threads 1", "--threads 3"}) {
    if (!on_threads() && *threads != '\0') continue;
    auto const result = run_apsis(
        "verify --quick --problem figure_eight,time_reversal --json v.json " + std::string(threads),
        scratch);
    CHECK(result.status == 0);
    rows.insert(json::parse(content(scratch / "v.json"))["rows"].dump());
  }
  CHECK(rows.size() == 1);
}

TEST_CASE("wrong options of verify are status 64, a file that cannot be written is 74") {
  Scratch const scratch;
  check_errors(run_apsis("verify --fast", scratch), 64);
  check_errors(run_apsis("verify --quick extra", scratch), 64);
  check_errors(run_apsis("verify --json", scratch), 64);
  check_errors(run_apsis("verify --threads 0", scratch), 64);
  auto const unknown = run_apsis("verify --problem figure_nine", scratch);
  check_errors(unknown, 64);
  CHECK(contains(unknown.err, "figure_eight"));
  check_errors(run_apsis("verify --quick --problem king_tables --json no/where.json", scratch), 74);
}
