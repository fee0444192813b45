// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/core/text.hpp>
#include <apsis/io/file.hpp>
#include <apsis/verification/verify.hpp>

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

/// The problems of these names, all if there are none.
std::vector<verification::KnownAnswer> chosen_problems(std::vector<std::string> const& names) {
  auto const& table = verification::known_answers();
  if (names.empty()) return {table.begin(), table.end()};
  std::vector<verification::KnownAnswer> chosen;
  for (auto const& name : names) {
    auto const* found = table.find(name);
    if (found == nullptr) {
      usage_error("--problem " + name, "unknown problem", "",
                  "use one of " + quoted_list(table.names()));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

ExitStatus verify(VerifyOptions const& options, Together const& with) {
  auto const problems = chosen_problems(options.problems);
  auto const kokkos = kokkos_session(options.threads, with);
  if (with.leader) with.leader->begin({options.threads, options.share_gpus}, this_member(with));
  std::cout << verification::verify_heading() << std::flush;
  std::vector<verification::Row> rows;
  for (auto const& problem : problems) {
    problem.verify({options.quick, with.leader}, [&](verification::Row const& row) {
      rows.push_back(row);
      std::cout << verification::verify_line(row) << std::flush;
    });
  }
  std::cout << verification::verify_verdict(rows);
  if (!options.json.empty()) io::write_file(options.json, verification::verify_json(rows));
  bool const passed = std::all_of(rows.begin(), rows.end(),
                                  [](verification::Row const& row) { return row.passed(); });
  return passed ? ExitStatus::conserved : ExitStatus::not_conserved;
}

}  // namespace

Command verify_command(Together const& with) {
  auto const options = std::make_shared<VerifyOptions>();
  return {"verify",
          "Hold this executable against known answers",
          {{"--quick", "Fewer bodies and shorter spans: under a minute", &options->quick},
           {"--problem", "A problem of the command list (default: all); repeatable",
            Words{&options->problems, true}},
           {"--json", "Write the rows to this file", &options->json, "FILE"},
           share_gpus_option(options->share_gpus),
           threads_option(options->threads)},
          [options, with] { return verify(*options, with); }};
}

}  // namespace apsis::cli
