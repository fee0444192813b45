// SPDX-License-Identifier: Apache-2.0
#include "parallel_run.hpp"

#include <array>
#include <utility>

/// Results of the executable under mpirun: bytes of files on any number of ranks.
using namespace apsis::testing;

TEST_CASE("promise: every file has the bytes of a run on one rank, for any number of ranks") {
  Scratch const scratch;
  auto const expected = expected_result(scratch);
  CHECK(expected.size() > 30);
  for (int const processes : {1, 2, 3, 4}) {
    CAPTURE(processes);
    auto const result = run_parallel(processes, "run deck.json --output run --force", scratch);
    CHECK(result.status == 0);
    CHECK(errors_in(result.err) == "");
    CHECK(difference(expected, result_of(files_of(scratch / "run"))) == "");
    auto const summary = nlohmann::json::parse(content(scratch / "run/summary.json"));
    auto const text = std::to_string(processes) + " processes: ";
    CHECK(occurrences(result.out, text) == (processes > 1 ? 1 : 0));
    CHECK(summary.value("processes", 1) == processes);
    if (processes > 1) {
      CHECK(contains(summary["process_places"], std::to_string(processes) + " x"));
      std::string const transport = summary["transport"];
      CHECK((contains(transport, "MPI") || contains(transport, "CCL ")));
    }
  }
}

TEST_CASE("promise: a run resumed with another number of ranks gives the same bits") {
  Scratch const scratch;
  scratch.write("deck.json", deck);
  auto const in_parts = [&](std::string const& output, std::array<int, 4> const& processes) {
    std::string const steps[]{"11", "20", "37", "48"};
    for (int part = 0; part < 4; ++part) {
      auto const result = run_parallel(processes[part],
                                       "run deck.json --output " + output +
                                           " --resume-if-possible --set run.steps=" + steps[part],
                                       scratch);
      INFO(result.err);
      REQUIRE(result.status == 0);
      CHECK(occurrences(result.out, "resumes from generation ") == (part > 0));
    }
    return result_of(files_of(scratch / output));
  };
  CHECK(difference(in_parts("alone", {1, 1, 1, 1}), in_parts("run", {3, 1, 4, 2})) == "");
  CHECK(occurrences(run_parallel(2, "run deck.json --output run --resume", scratch).out,
                    "is finished") == 1);
}

TEST_CASE("promise: ranks without bodies write and resume checkpoints with compensated sums") {
  Scratch const scratch;
  scratch.write("deck.json", R"({"bodies": {"generator": "plummer", "count": 200, "seed": 3},
    "gravity": {"softening": 0.03125}, "run": {"steps": 24},
    "integrator": {"name": "leapfrog_kdk", "time_step": 0.015625, "compensated": true,
                   "stepping": {"mode": "block"}},
    "output": {"conservation_interval": 0.0625, "checkpoint_interval": 0.0625,
               "checkpoint_wall_interval": 0}})");
  REQUIRE(run_apsis("run deck.json --output alone --quiet", scratch).status == 0);
  // Two blocks: at least one of three ranks has no bodies.
  for (auto const& [ranks, steps] : {std::pair(3, "7"), std::pair(4, "13"), std::pair(1, "24")}) {
    CAPTURE(ranks);
    auto const result = run_parallel(
        ranks,
        std::string("run deck.json --output run --resume-if-possible --set run.steps=") + steps,
        scratch);
    INFO(result.err);
    REQUIRE(result.status == 0);
    CHECK(occurrences(result.out, "ranks have no bodies") == (ranks > 1));
  }
  CHECK(log_rows(scratch / "run") == log_rows(scratch / "alone"));
}
