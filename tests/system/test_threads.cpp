// SPDX-License-Identifier: Apache-2.0
#include "support/executable/commands.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <thread>

/// Threads of a run: their number, their processors, and the same bits on any number.
using namespace apsis::testing;
using nlohmann::json;

TEST_CASE("the bits do not depend on the number of threads and are reproducible") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  for (auto const* precision : {"single", "double"}) {
    for (auto const* integrator : {"leapfrog_kdk", "euler"}) {
      std::string first;
      for (int const threads : {1, 2, 3, 2}) {
        std::string const option = on_threads() ? " --threads " + std::to_string(threads) : "";
        auto const run = run_apsis(std::string("run deck.json --quiet --force --output out") +
                                       " --set bodies.count=2777 --set bodies.henon_units=true" +
                                       " --set gravity.precision=" + precision +
                                       " --set integrator.name=" + integrator +
                                       " --set conservation.max_momentum_error=1" + option,
                                   scratch);
        CHECK(run.status == 0);
        if (on_threads()) {
          CHECK(json::parse(content(scratch / "out/summary.json"))["threads"] == threads);
        }
        auto const log = without_wall_seconds(scratch / "out/conservation.csv");
        CHECK(log.size() > 500);
        if (first.empty()) first = log;
        CHECK(log == first);
      }
    }
  }
}

TEST_CASE("every integrator and kind of steps has the same bits on any number of threads") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  std::vector<std::string> rows;
  for (std::string const name : {"leapfrog_kdk", "hermite4"}) {
    rows.push_back(name + " --set integrator.stepping.mode=adaptive");
    rows.push_back(name + " --set integrator.stepping.mode=block");
  }
  std::istringstream lines(run_apsis("list integrators", scratch).out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ")) rows.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  CHECK(rows.size() > 25);
  for (auto const& row : rows) {
    CAPTURE(row);
    std::string first;
    for (int const threads : {1, 3}) {
      std::string const option = on_threads() ? " --threads " + std::to_string(threads) : "";
      auto const run = run_apsis(
          "run deck.json --quiet --force --output out --set bodies.count=1537 --set "
          "run.steps=2 --set output.conservation_interval=0.01 --set "
          "conservation.max_relative_energy_error=1 --set "
          "conservation.max_momentum_error=1 --set integrator.name=" +
              row + option,
          scratch);
      if (run.status == 65) {
        CHECK(row == "wisdom_holman");  // it needs a dominant body, and has a case below
        break;
      }
      CHECK(run.status == 0);
      auto const log = without_wall_seconds(scratch / "out/conservation.csv");
      CHECK(log.size() > 300);
      if (first.empty()) first = log;
      CHECK(log == first);
    }
  }
}

TEST_CASE("bodies that are scaled to a virial ratio have the same bits on any number of threads") {
  Scratch const scratch;
  for (std::string const generator :
       {R"("fractal", "dimension": 1.6)",
        R"("plummer", "masses": {"function": "kroupa", "segregation": 0.7})"}) {
    scratch.write("deck.json", R"({"bodies": {"generator": )" + generator +
                                   R"(, "count": 3001, "virial_ratio": 0.3},
      "gravity": {"softening": 0.01}, "integrator": {"time_step": 0.001}, "run": {"steps": 2},
      "diagnostics": {"escapers": {"radius": 1}}})");
    std::string first;
    for (int const threads : {1, 2, 3}) {
      std::string const option = on_threads() ? " --threads " + std::to_string(threads) : "";
      CHECK(run_apsis("run deck.json --quiet --force --output out" + option, scratch).status == 0);
      auto const bytes = without_wall_seconds(scratch / "out/conservation.csv") +
                         content(scratch / "out/escapers.csv");
      CHECK(bytes.size() > 500);
      if (first.empty()) first = bytes;
      CHECK(bytes == first);
    }
  }
}

TEST_CASE("massless bodies of wisdom_holman have the same bits on any number of threads") {
  Scratch const scratch;
  std::string list = R"({"mass": 1, "position": [0, 0, 0]}, {"mass": 1e-3, "semi_major_axis": 2})";
  for (int i = 0; i < 600; ++i) {
    list += R"(, {"mass": 0, "eccentricity": 0.1, "semi_major_axis": )" +
            std::to_string(0.5 + 0.01 * i) + R"(, "mean_anomaly": )" + std::to_string(7 * i) + "}";
  }
  scratch.write("deck.json", R"({"bodies": {"list": [)" + list + R"(]},
    "integrator": {"name": "wisdom_holman", "time_step": 0.5, "substeps": 5, "corrector": 3},
    "run": {"steps": 8}, "output": {"conservation_interval": 0.5}})");
  std::string first;
  for (int const threads : {1, 3, 2}) {
    std::string const option = on_threads() ? " --threads " + std::to_string(threads) : "";
    CHECK(run_apsis("run deck.json --quiet --force" + option, scratch).status == 0);
    std::string bytes = without_wall_seconds(scratch / "deck.run/conservation.csv");
    std::size_t snapshots = 0;
    for (auto const& file : std::filesystem::directory_iterator(scratch / "deck.run")) {
      if (file.path().extension() != ".h5") continue;
      bytes += content(file.path());
      ++snapshots;
    }
    CHECK(snapshots == 1);
    if (first.empty()) first = bytes;
    CHECK((bytes == first));
  }
}

TEST_CASE("every kernel in every precision has reproducible bits and is named in the summary") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  for (auto const* kernel : {"naive", "scratch_tile", "target_tile", "register_tile",
                             "shuffle_tile", "pairwise_tile", "split"}) {
    for (auto const* precision : {"single", "double", "mixed"}) {
      std::string first;
      for (int const threads : {1, 3, 2}) {
        std::string const option = on_threads() ? " --threads " + std::to_string(threads) : "";
        auto const run = run_apsis(
            std::string("run deck.json --quiet --force --output out --set bodies.count=1537") +
                " --set integrator.name=leapfrog_kdk --set gravity.precision=" + precision +
                " --set gravity.kernel=" + kernel +
                " --set conservation.max_momentum_error=1 --set run.end_time=null" +
                " --set run.steps=3 --set output.conservation_interval=0.01" + option,
            scratch);
        if (run.status == 65) {
          check_errors(run, 65);
          CHECK(contains(run.err, "gravity.kernel: 'shuffle_tile' is not available"));
          CHECK(std::string(kernel) == "shuffle_tile");
          break;
        }
        CHECK(run.status == 0);
        CHECK(json::parse(content(scratch / "out/summary.json"))["kernel"] == kernel);
        auto const log = without_wall_seconds(scratch / "out/conservation.csv");
        CHECK(log.size() > 300);
        if (first.empty()) first = log;
        CHECK(log == first);
      }
    }
  }
}

TEST_CASE("few bodies get one thread unless the user requests more") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  if (!on_threads()) {  // the backend has no choice of threads
    CHECK(run_apsis("run deck.json --force --quiet --threads 2", scratch).status == 64);
    return;
  }
  auto const threads = [&](std::string const& options) {
    auto const run = run_apsis("run deck.json --force --quiet " + options, scratch,
                               "env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT -u KOKKOS_NUM_THREADS");
    REQUIRE(run.status == 0);
    return json::parse(content(scratch / "deck.run/summary.json"))["threads"].get<int>();
  };
  CHECK(threads("--set bodies.count=63") == 1);
  CHECK(threads("--set bodies.count=63 --threads 2") == 2);
  CHECK(threads("--threads 2") == 2);
  int const default_threads = threads("");
  CHECK((default_threads > 1 || std::thread::hardware_concurrency() == 1));
}

TEST_CASE("a run that rolls back has the same bits on any number of threads") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  std::string first;
  for (int const threads : {1, 2, 3}) {
    std::string const option = on_threads() ? " --threads " + std::to_string(threads) : "";
    auto const run = run_apsis(
        "run deck.json --force --set bodies.count=1537 --set conservation.on_violation=retry "
        "--set conservation.max_relative_energy_error=1e-6 --set run.steps=60" +
            option,
        scratch);
    CHECK(run.status <= 1);
    CHECK(contains(run.out, "retry 1 of 2"));
    CHECK(json::parse(content(scratch / "deck.run/summary.json"))["retries"] >= 1);
    auto const log = without_wall_seconds(scratch / "deck.run/conservation.csv");
    if (first.empty()) first = log;
    CHECK(log == first);
  }
}

TEST_CASE("threads are bound unless the user requests otherwise" *
          doctest::skip(std::string(APSIS_TEST_BACKEND) != "openmp")) {
  Scratch const scratch;
  scratch.write("deck.json", small);
  // A long run in the background, inspected once all its threads are working.
  auto const processors = [&](std::string const& environment) {
    std::string const command =
        "cd '" + scratch.path().string() + "' && { exec env " + environment + " '" + executable() +
        "' run deck.json --force --quiet --output bound --set run.steps=1000000000 --set "
        "output.conservation_interval=0.01 >/dev/null 2>&1 & } ; pid=$!; "
        "for i in $(seq 200); do [ -s bound/conservation.csv ] && break; sleep 0.05; done; sleep "
        "0.2; "
        "for task in /proc/$pid/task/*; do sed -n 's/^Cpus_allowed_list:\\t//p' $task/status; "
        "done | sort -u >'" +
        (scratch / "cpus").string() + "'; kill -9 $pid; rm -r bound";
    REQUIRE(std::system(("{ " + command + "; } >/dev/null 2>&1").c_str()) == 0);
    std::set<std::string> lists;
    std::istringstream lines(content(scratch / "cpus"));
    for (std::string line; std::getline(lines, line);) lists.insert(line);
    return lists;
  };
  long const available = std::stol([&] {
    REQUIRE(std::system(("nproc >'" + (scratch / "nproc").string() + "'").c_str()) == 0);
    return content(scratch / "nproc");
  }());
  CHECK(static_cast<long>(processors("-u OMP_PROC_BIND").size()) == available);
  if (available > 1) CHECK(processors("OMP_PROC_BIND=false").size() == 1);
}
