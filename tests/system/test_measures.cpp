// SPDX-License-Identifier: Apache-2.0
#include "support/executable/background.hpp"
#include "support/executable/commands.hpp"
#include "support/relative.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <vector>

/// Tests of the commands `bench` and `compare`.
using namespace apsis::testing;
using nlohmann::json;

TEST_CASE("bench makes the requested measurements and writes them to a file") {
  Scratch const scratch;
  auto const result = run_apsis("bench --bodies 10:40:2 --kernel all --json b.json", scratch);
  INFO(result.err);
  REQUIRE(result.status == 0);
  auto const bench = json::parse(content(scratch / "b.json"));
  for (auto const* key : {"backend", "device", "compiler", "kokkos", "git", "date"}) {
    CHECK(!bench["environment"][key].get<std::string>().empty());
  }
  std::set<std::string> rows_seen;
  for (auto const& row : bench["rows"]) {
    rows_seen.insert(row["kernel"].get<std::string>() + row["precision"].get<std::string>() +
                     std::to_string(row["bodies"].get<int>()));
    for (auto const* key : {"milliseconds_force", "milliseconds_step", "interactions_per_second",
                            "gflops_field", "percent_of_limit"}) {
      CHECK(row[key].get<double>() > 0.0);
    }
    for (auto const* key : {"spread", "milliseconds_to_device", "milliseconds_to_host"}) {
      CHECK(row[key].get<double>() >= 0.0);
    }
    CHECK(row["repeats"].get<int>() >= 10);
    CHECK(row["threads"].get<int>() >= 1);
    // 60 operations with the jerk and 97 with the snap, as usual in the field.
    double const alone = row["precision"] == "double" ? 30e-9 : 20e-9;
    double const flops = std::array{alone, 60e-9, 97e-9}.at(row["derivatives"].get<std::size_t>());
    CHECK(row["gflops_field"].get<double>() ==
          approximately(flops * row["interactions_per_second"].get<double>()));
  }
  CHECK(rows_seen.size() == bench["rows"].size());
  for (auto const* kernel : {"auto", "naive", "scratch_tile", "target_tile", "register_tile",
                             "pairwise_tile", "pairwise_atomic", "split"}) {
    for (auto const* precision : {"single", "double", "mixed"}) {
      for (int const bodies : {10, 20, 40}) {
        CHECK(rows_seen.count(kernel + std::string(precision) + std::to_string(bodies)) == 1);
      }
    }
  }
}

TEST_CASE("bench estimates its run time and keeps the results of an interrupted run") {
  Scratch const scratch;
  Background cut_short("bench --preset classroom --json b.json", scratch);
  cut_short.await_output("takes about ");
  REQUIRE(comes_true([&] {
    auto const bench = json::parse(content(scratch / "b.json"), nullptr, false);
    return !bench.is_discarded() && !bench["rows"].empty();
  }));
  cut_short.send(SIGTERM);
  auto const status = cut_short.wait();
  auto const bench = json::parse(content(scratch / "b.json"));
  CHECK(bench["environment"]["complete"] == (status == 0));
  CHECK(bench["rows"].size() > 0);
}

TEST_CASE("bench times every tile shape and names the best") {
  Scratch const scratch;
  auto const result = run_apsis("bench --bodies 300 --sweep --json b.json", scratch);
  INFO(result.err);
  REQUIRE(result.status == 0);
  auto const rows = json::parse(content(scratch / "b.json"))["rows"];
  std::map<std::string, std::set<std::string>> shapes;
  for (auto const& row : rows) {
    if (row["precision"] == "double") {
      shapes[row["kernel"].get<std::string>()].insert(row["shape"].get<std::string>());
    }
  }
  bool const on_host = shapes.count("shuffle_tile") == 0;
  // On a GPU five teams or more, with three loops each.
  std::size_t const fewest = on_host ? 3 : 15;
  for (auto const* kernel : {"naive", "scratch_tile", "target_tile", "shuffle_tile"}) {
    CAPTURE(kernel);
    if (shapes.count(kernel) > 0) CHECK(shapes[kernel].size() >= fewest);
  }
  CHECK(shapes["register_tile"].size() > 3);
  // The best of each kernel and precision, the fastest kernel first.
  auto const heading = std::string("\nbest shape of each kernel, the fastest kernel first\n");
  auto const begin = result.out.find(heading);
  REQUIRE(begin != std::string::npos);
  std::istringstream lines(result.out.substr(begin + heading.size()));
  std::map<std::string, std::vector<double>> rates;
  std::set<std::string> kernels;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string bodies, kernel, precision;
    double force = 0.0, step = 0.0, rate = 0.0;
    if (!(words >> bodies >> kernel >> precision >> force >> step >> rate)) continue;
    CHECK(kernels.insert(kernel + precision).second);
    rates[precision].push_back(rate);
    double fastest = 0.0;
    for (auto const& row : rows) {
      if (row["kernel"] != kernel || row["precision"] != precision) continue;
      fastest = std::max(fastest, row["interactions_per_second"].get<double>());
    }
    CHECK(rate == approximately(fastest, 0.01));
  }
  CHECK(rates.size() == 3);
  for (auto const& [precision, list] : rates) {
    CHECK(list.size() == shapes.size());
    CHECK(std::is_sorted(list.rbegin(), list.rend()));
  }
}

TEST_CASE("bench starts a program of its own, of the same build") {
  namespace fs = std::filesystem;
  Scratch const scratch;
  auto const before = executable();
  struct OtherExecutable {
    std::string before;
    explicit OtherExecutable(fs::path const& path) : before(executable()) {
      setenv("APSIS_EXECUTABLE", path.c_str(), 1);
    }
    ~OtherExecutable() { setenv("APSIS_EXECUTABLE", before.c_str(), 1); }
  };
  {
    fs::copy_file(before, scratch / "alone");
    OtherExecutable const alone(scratch / "alone");
    CHECK(run_apsis("bench --bodies 8 --precision double", scratch).status == 0);
    std::vector<std::string> words{"--few", "--bodies 8 --sweep", "--bodies 8 --snapshots .",
                                   "--bodies 8 --render", "--bodies 8 --strong"};
    if (!on_a_device()) words.emplace_back("--bodies 8 --kernel reference");
    for (auto const& options : words) {
      CAPTURE(options);
      auto const missing = run_apsis("bench " + options, scratch);
      check_errors(missing, 64);
      CHECK(contains(missing.err, "needs the program apsis-bench."));
      CHECK(contains(missing.err, "install Apsis again"));
    }
    check_errors(run_apsis("bench --few --bodies 8", scratch), 64);
    std::ofstream(scratch / "CMakeCache.txt");
    auto const missing = run_apsis("bench --few", scratch);
    check_errors(missing, 64);
    CHECK(contains(missing.err, "build it with 'cmake --build . --target apsis_bench'"));
  }
  auto const name = std::string("apsis-bench.") + APSIS_TEST_BACKEND;
  OtherExecutable const other(fs::path(before).parent_path() / name);
  auto const stale = run_apsis("bench --bodies 8", scratch, "APSIS_BENCH_STARTED_BY=apsis");
  check_errors(stale, 70);
  CHECK(contains(stale.err, "of another build"));
  CHECK(run_apsis("bench --bodies 8 --precision double", scratch).status == 0);
}

TEST_CASE("compare checks every kernel in every precision against the reference") {
  Scratch const scratch;
  for (auto const* bodies : {"1", "2", "257"}) {
    auto const result =
        run_apsis("compare --bodies " + std::string(bodies) + " --json c.json", scratch);
    INFO(result.out);
    CHECK(result.status == 0);
    auto const compared = json::parse(content(scratch / "c.json"));
    CHECK(!compared["environment"]["device"].get<std::string>().empty());
    std::set<std::string> rows_seen;
    for (auto const& row : compared["rows"]) {
      rows_seen.insert(row["configuration"].get<std::string>() + row["kernel"].get<std::string>() +
                       row["precision"].get<std::string>());
      CHECK(row["bodies"] == std::stoi(bodies));
      CHECK(row["passed"] == true);
      bool const promised = row["precision"] != "single" || row["configuration"] == "at origin";
      CHECK(row.contains("limit_worst") == promised);
      if (promised) CHECK(row["worst"] <= row["limit_worst"]);
      CHECK(row["median"] <= row["percentile_99"]);
      CHECK(row["percentile_99"] <= row["worst"]);
      // The difference between the precisions: distances far from the origin.
      if (row["bodies"] == 257 && row["configuration"] != "at origin") {
        CHECK((row["median"] > 1e-4) == (row["precision"] == "single"));
      }
    }
    for (auto const* kernel : {"auto", "naive", "scratch_tile", "target_tile", "register_tile",
                               "pairwise_tile", "pairwise_atomic", "split"}) {
      for (auto const* precision : {"single", "double", "mixed"}) {
        for (auto const* place : {"at origin", "offset 1e6"}) {
          CHECK(rows_seen.count(place + std::string(kernel) + precision) == 1);
        }
      }
    }
  }
}

TEST_CASE("compare and bench cover the solver fmm") {
  Scratch const scratch;
  auto const compared = run_apsis(
      "compare --solver fmm --bodies 12000 --precision double --accuracy 1e-4 --json c.json",
      scratch);
  INFO(compared.out);
  CHECK(compared.status == 0);
  auto const rows = json::parse(content(scratch / "c.json"))["rows"];
  CHECK(rows.size() == 9);
  for (auto const& row : rows) {
    CHECK(row["percentile_99"] <= 1e-4);
    CHECK(row["percentile_99"] > 1e-7);
    CHECK(row["momentum"] < 1e-14);
    CHECK(row["passed"] == true);
  }
  auto const timed =
      run_apsis("bench --solver fmm --bodies 3000 --precision single --json b.json", scratch);
  CHECK(timed.status == 0);
  auto const row = json::parse(content(scratch / "b.json"))["rows"][0];
  CHECK(row["error_percentile_99"] <= 1e-3);
  // Times are meaningless while other tests run at the same time.
  for (auto const* part : {"sort", "keys", "moments", "tree", "lists", "far", "near"}) {
    CHECK(row["ms_" + std::string(part)].get<double>() > 0.0);
  }
  check_errors(run_apsis("bench --solver tree", scratch), 64);
  check_errors(run_apsis("bench --solver fmm --kernel auto", scratch), 64);
  check_errors(run_apsis("compare --solver fmm --accuracy 0", scratch), 64);
  auto const too_small = run_apsis("compare --solver fmm --accuracy 1e-7", scratch);
  check_errors(too_small, 64);
  CHECK(contains(too_small.err, "--precision double"));
  // Neither option is silently ignored.
  check_errors(run_apsis("compare --accuracy 1e-4", scratch), 64);
  check_errors(run_apsis("bench --accuracy 1e-4", scratch), 64);
  check_errors(run_apsis("bench --solver auto", scratch), 64);
  check_errors(run_apsis("compare --solver auto", scratch), 64);
}
