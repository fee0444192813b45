// SPDX-License-Identifier: Apache-2.0
#include "verification/verify.hpp"

#include "cli/commands.hpp"
#include "files/file.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <iostream>

namespace apsis::cli {

namespace {

struct VerifyOptions {
  bool quick = false;
  bool share_gpus = false;
  std::vector<std::string> problems;
  std::string json;
  std::optional<int> threads;
};

/// Returns the problems of these names; all if the list is empty.
std::vector<verification::KnownAnswer> find_problems(std::vector<std::string> const& names) {
  auto const& table = verification::known_answers();
  if (names.empty()) return {table.begin(), table.end()};
  std::vector<verification::KnownAnswer> chosen;
  for (auto const& name : names) {
    auto const* problem = table.find(name);
    if (problem == nullptr) {
      usage_error("--problem " + name, "unknown problem", "",
                  "use one of " + quoted_list(table.names()));
    }
    chosen.push_back(*problem);
  }
  return chosen;
}

ExitStatus verify(VerifyOptions const& options, RankContext const& ranks) {
  auto const problems = find_problems(options.problems);
  auto const kokkos = kokkos_session(options.threads, ranks);
  if (ranks.leader) ranks.leader->begin({options.threads, options.share_gpus}, this_member(ranks));
  std::cout << verification::verify_heading() << std::flush;
  std::vector<verification::Row> rows;
  for (auto const& problem : problems) {
    problem.verify({options.quick, ranks.leader}, [&](verification::Row const& row) {
      auto const above = rows.empty() ? "" : rows.back().problem;
      rows.push_back(row);
      std::cout << verification::verify_line(row, above) << std::flush;
    });
  }
  std::cout << verification::verify_verdict(rows);
  if (!options.json.empty()) files::write_file(options.json, verification::verify_json(rows));
  bool const passed = std::all_of(rows.begin(), rows.end(),
                                  [](verification::Row const& row) { return row.passed(); });
  return passed ? ExitStatus::conserved : ExitStatus::not_conserved;
}

}  // namespace

Command verify_command(RankContext const& ranks) {
  auto const options = std::make_shared<VerifyOptions>();
  return {"verify",
          "Check this executable against problems with known solutions",
          {{"--quick", "Fewer bodies and shorter runs; takes under a minute", &options->quick},
           {"--problem", "Problem to solve, see 'list known_answers' (default: all); repeatable",
            TextList{&options->problems, true}},
           {"--json", "Write the results to this file as JSON", &options->json, "FILE"},
           share_gpus_option(options->share_gpus),
           threads_option(options->threads)},
          [options, ranks] { return verify(*options, ranks); }};
}

}  // namespace apsis::cli
