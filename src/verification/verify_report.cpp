// SPDX-License-Identifier: Apache-2.0
#include <apsis/benchmark/environment.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/verification/verify.hpp>

#include <algorithm>

namespace apsis::verification {

std::string verify_heading() {
  return device_name() + "\n\n" +
         formatted("%-52s %-14s %12s %12s %9s\n", "problem", "method", "measured", "expected",
                   "limit");
}

std::string verify_line(Row const& row) {
  auto const expected = row.expected ? formatted("%.7g", *row.expected) : "";
  return formatted("%-52s %-14s %12.7g %12s %9.2g  %s\n", row.problem.c_str(), row.method.c_str(),
                   row.measured, expected.c_str(), row.limit, row.passed() ? "pass" : "FAIL");
}

std::string verify_verdict(std::vector<Row> const& rows) {
  auto const failed =
      std::count_if(rows.begin(), rows.end(), [](Row const& row) { return !row.passed(); });
  if (failed == 0) return formatted("\nall %zu answers are as known\n", rows.size());
  return formatted("\n%td of %zu answers are not as known\n", failed, rows.size());
}

std::string verify_json(std::vector<Row> const& rows) {
  std::vector<io::Record> records;
  for (auto const& row : rows) {
    records.push_back({{"problem", row.problem},
                       {"method", row.method},
                       {"measured", row.measured},
                       {"expected", row.expected ? Value(*row.expected) : Value()},
                       {"limit", row.limit},
                       {"pass", row.passed()}});
  }
  return io::to_json(benchmark::environment_record(), records);
}

}  // namespace apsis::verification
