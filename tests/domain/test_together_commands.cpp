// SPDX-License-Identifier: Apache-2.0
#include "parallel_run.hpp"
#include "support/relative.hpp"

#include <cmath>

/// Commands other than `run` under mpirun.
using namespace apsis::testing;

TEST_CASE("verify on several ranks gives the same bits as on one rank") {
  Scratch const scratch;
  std::string const command =
      "verify --quick --problem cold_collapse --problem figure_eight --problem "
      "block_steps --json ";
  REQUIRE(run_apsis(command + "alone.json", scratch).status == 0);
  auto const rows = nlohmann::json::parse(content(scratch / "alone.json"))["rows"];
  REQUIRE(rows.size() > 5);
  for (auto const processes : {2, 4}) {
    CHECK(run_parallel(processes, command + "together.json", scratch).status == 0);
    CHECK(nlohmann::json::parse(content(scratch / "together.json"))["rows"] == rows);
  }
}

TEST_CASE("info lists all ranks, and other commands are executed by one rank") {
  Scratch const scratch;
  auto const info = run_parallel(3, "info", scratch);
  CHECK(info.status == 0);
  for (auto const* line : {"process 0 ", "process 1 ", "process 2 "}) {
    CHECK(occurrences(info.out, line) == 1);
  }
  scratch.write("deck.json", deck);
  auto const check = run_parallel(2, "check deck.json", scratch);
  CHECK(check.status == 0);
  CHECK(occurrences(check.out, "half-mass radius") == 1);
}

TEST_CASE("bench measures the scaling of steps and predicts it by a model") {
  Scratch const scratch;
  std::string const small =
      "bench --strong --weak --bodies 300:1200:4 --precision double --steps 10 --json rows.json";
  auto const result = run_parallel(2, small + " --predict 1,8", scratch);
  CHECK(result.status == 0);
  CHECK(occurrences(result.out, "strong") == 2);
  auto const report = nlohmann::json::parse(content(scratch / "rows.json"));
  CHECK(report["environment"]["complete"] == true);
  CHECK(report["environment"]["message_microseconds"] > 0.0);
  CHECK(report["rows"].size() == 12);
  for (auto const& row : report["rows"]) {
    CHECK(row["milliseconds_step"] > 0.0);
    bool const weak = row["scaling"] == "weak";
    double const alone = row["bodies_alone"], processes = row["processes"];
    CHECK(row["bodies"] == std::round(alone * (weak ? std::sqrt(processes) : 1.0)));
    double const bodies = row["bodies"], rate = row["interactions_per_second"];
    CHECK(rate * 1e-3 * row["milliseconds_step"].get<double>() == approximately(bodies * bodies));
    if (row["kernel"] == "model") {
      CHECK((processes == 1 || processes == 8));
      CHECK(row["efficiency"] <= 1.0 + 1e-12);
      if (processes == 1) CHECK(row["efficiency"] == approximately(1.0));
    } else {
      CHECK(processes == 2);
      CHECK(row["megabytes_gathered"] > 0.0);
      CHECK(row["milliseconds_waiting"] <= row["milliseconds_step"]);
      CHECK(row["milliseconds_waiting"] > 0.0);
    }
  }
  std::string const one_process = "note: there is one process and nothing to compare it with";
  CHECK_FALSE(contains(result.out, one_process));
  auto const alone = run_apsis(small, scratch);
  CHECK(alone.status == 0);
  CHECK(occurrences(alone.out, one_process) == 1);
  CHECK(contains(alone.out, "mpirun"));
  CHECK_FALSE(contains(alone.out, "100.0%"));
  for (auto const* words : {"--predict 8", "--predict 0", "--predict x"}) {
    auto const refused = run_apsis(std::string("bench --bodies 300 ") + words, scratch);
    CHECK(refused.status == 64);
    CHECK(contains(refused.err, "--predict"));
  }
}

TEST_CASE("bench measures the scaling of steps with the solver fmm") {
  Scratch const scratch;
  auto const result = run_parallel(2,
                                   "bench --strong --weak --solver fmm --accuracy 3e-3 --bodies "
                                   "3000 --precision single --json rows.json",
                                   scratch);
  CHECK(result.status == 0);
  CHECK(contains(result.out, "bodies/s"));
  auto const report = nlohmann::json::parse(content(scratch / "rows.json"));
  REQUIRE(report["rows"].size() == 2);
  for (auto const& row : report["rows"]) {
    CHECK(row["kernel"] == "fmm");
    CHECK(row["accuracy"] == 3e-3);
    double const bodies = row["bodies"], rate = row["bodies_per_second"];
    CHECK(bodies == (row["scaling"] == "weak" ? 6000.0 : 3000.0));
    CHECK(rate * 1e-3 * row["milliseconds_step"].get<double>() == approximately(bodies));
    double const work = bodies / row["bodies_alone"].get<double>();
    double const alone = row["milliseconds_alone"], step = row["milliseconds_step"];
    CHECK(row["efficiency"] == approximately(work * alone / (2.0 * step)));
    // Both ranks gather the positions and masses of all bodies and the results of the leaves.
    CHECK(row["megabytes_gathered"].get<double>() * 1e6 >= 28.0 * bodies);
    CHECK_FALSE(row.contains("interactions_per_second"));
  }
  auto const refused = run_parallel(2, "bench --solver fmm --bodies 3000 --predict 8", scratch);
  CHECK(refused.status == 64);
  CHECK(contains(refused.err, "covers direct summation only"));
}
