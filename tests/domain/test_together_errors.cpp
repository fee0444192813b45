// SPDX-License-Identifier: Apache-2.0
#include "parallel_run.hpp"

#include <thread>

/// Errors of ranks: each is reported once and ends all ranks.
using namespace apsis::testing;

TEST_CASE("ranks with different arguments are rejected, too many threads are warned about") {
  Scratch const scratch;
  scratch.write("deck.json", deck);
  auto const other = run_parallel(2,
                                  "run deck.json --output run : -n 1 '" + executable() + "' " +
                                      with_shared_gpus("run deck.json --output two"),
                                  scratch);
  CHECK(other.status == 70);
  CHECK(contains(errors_in(other.err), "was started with another command line ('run "));
  CHECK_FALSE(std::filesystem::exists(scratch / "run/conservation.csv"));
  if (!on_threads()) return;
  auto const crowd =
      run_parallel(2, "run deck.json --output run --set run.steps=1 --threads 4", scratch);
  bool const crowded = std::thread::hardware_concurrency() < 8;
  CHECK(crowd.status == 0);
  CHECK(occurrences(crowd.err, "apsis: warning: ranks: share processors") == (crowded ? 1 : 0));
}

TEST_CASE("an error is reported once and ends all ranks with its exit status") {
  Scratch const scratch;
  scratch.write("deck.json", deck);
  struct Case {
    std::string arguments;
    int status;
    std::string text;
    std::string prefix = "";
  };
  for (auto const& each : {
           Case{"run deck.json --set run.steps=-1", 65, "run.steps"},
           Case{"run none.json", 74, "none.json"},
           Case{"run deck.json --nonsense", 64, "--nonsense"},
           Case{"run deck.json --quiet --output " + (scratch / "full").string(), 74,
                "No space left",
                "env LD_PRELOAD=" APSIS_FAULTY_CALLS " APSIS_FAULT=full APSIS_FAULT_CALL=60 "
                "APSIS_FAULT_UNDER=" +
                    (scratch / "full").string()},
           Case{"run deck.json --output far --quiet --set integrator.time_step=1e300 "
                "--set integrator.stepping=null --set run.steps=3 --set diagnostics=null "
                "--set output=null",
                70, "not finite"},
       }) {
    CAPTURE(each.arguments);
    auto const result = run_parallel(3, each.arguments, scratch, each.prefix);
    CHECK(result.status == each.status);
    auto const errors = errors_in(result.err);
    CHECK(occurrences(errors, "\n") == 1);
    CHECK(contains(errors, each.text));
  }
}

TEST_CASE("a rank that cannot start is named, and no file is written") {
  Scratch const scratch;
  scratch.write("deck.json", deck);
  // The last of three ranks requests more threads than possible.
  std::string const command = "run deck.json --output run --quiet";
  auto const result = run_parallel(2,
                                   command + " : -n 1 env OMP_NUM_THREADS=65536 '" + executable() +
                                       "' " + with_shared_gpus(command),
                                   scratch);
  CHECK(result.status == 64);
  CHECK(occurrences(result.err, "apsis: ") == 1);
  CHECK(contains(result.err, "process 2 (" + host_name() +
                                 "): cannot take part (OMP_NUM_THREADS: wrong value in the "
                                 "environment, found '65536'); set a whole number"));
  CHECK_FALSE(std::filesystem::exists(scratch / "run/conservation.csv"));
}

TEST_CASE("promise: ranks check the available memory before they allocate") {
  if (!on_threads()) return;  // the driver of a GPU maps more memory than any limit allows
  Scratch const scratch;
  scratch.write("deck.json", deck);
  auto const run_with = [&](std::string const& limits, std::string const& overrides) {
    auto const command =
        "run deck.json --output run --quiet --force --set output=null --set diagnostics=null --set "
        "run.steps=2 " +
        overrides;
    return run_parallel(1,
                        command + " : -n 1 sh -c 'ulimit " + limits + "; exec \"$@\"' sh '" +
                            executable() + "' " + command,
                        scratch);
  };
  auto const refused = run_with("-v 400000", "--set bodies.count=300000");
  CHECK(refused.status == 65);
  CHECK(occurrences(refused.err, "apsis: ") == 1);
  CHECK(contains(refused.err, "process 1 (" + host_name() +
                                  "): cannot take part (memory: does not fit in memory, 300000 "
                                  "bodies need "));
  CHECK_FALSE(std::filesystem::exists(scratch / "run/conservation.csv"));
  CHECK(run_with("-v 1000000", "").status == 0);
}
