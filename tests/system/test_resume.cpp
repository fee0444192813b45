// SPDX-License-Identifier: Apache-2.0
#include "support/executable/background.hpp"

#include <algorithm>
#include <ctime>

using namespace apsis::testing;

TEST_CASE("promise: a run resumed on another number of threads has the same bits") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  REQUIRE(run_apsis("run deck.json --output whole --quiet", scratch).status == 0);
  auto const option = [](int threads) {
    return on_threads() ? " --threads " + std::to_string(threads) : std::string();
  };
  for (auto const* precision :
       {"single", "double", "mixed",
        "double --set integrator.name=gauss_radau15 --set integrator.stepping.mode=own"}) {
    CAPTURE(precision);
    std::string const count_option = std::string(" --set gravity.precision=") + precision;
    REQUIRE(
        run_apsis("run deck.json --output whole --force --quiet" + count_option, scratch).status ==
        0);
    // In three parts, on one, three and two threads.
    CHECK(run_apsis("run deck.json --force --set run.steps=7" + count_option + option(1), scratch)
              .status == 0);
    auto const second = run_apsis(
        "run deck.json --resume --allow-deck-change --set run.steps=23" + count_option + option(3),
        scratch);
    CHECK(second.status == 0);
    CHECK(contains(second.out, "resumes from generation 1: after step 7 at time 0.109375"));
    CHECK(
        run_apsis("run deck.json --resume --allow-deck-change" + count_option + option(2), scratch)
            .status == 0);
    CHECK(log_of(scratch / "deck.run") == log_of(scratch / "whole"));
    CHECK(content(scratch / "deck.run/structure.csv") == content(scratch / "whole/structure.csv"));
    // Earlier snapshots were written with another end in their deck.
    for (auto const* file : {"snapshot_000003.h5", "snapshot_000004.h5"}) {
      bool const same = content(scratch / "deck.run" / file) == content(scratch / "whole" / file);
      CHECK(same);
    }
    CHECK_FALSE(std::filesystem::exists(scratch / "deck.run/snapshot_000005.h5"));
    CHECK(summary_of(scratch / "deck.run")["resumed_from_step"] == 23);
    CHECK(summary_of(scratch / "deck.run")["interactions"] ==
          summary_of(scratch / "whole")["interactions"]);
  }
}

TEST_CASE("promise: a run with the solver fmm resumed on other threads has the same bits") {
  Scratch const scratch;
  scratch.write("deck.json", R"({
  "bodies": {"generator": "plummer", "count": 3000, "seed": 3},
  "gravity": {"solver": "fmm", "softening": 0.05, "precision": "single"},
  "integrator": {"name": "leapfrog_kdk", "time_step": 0.015625},
  "run": {"steps": 12},
  "output": {"conservation_interval": 0.0625, "snapshot_interval": 0.09375},
  "conservation": {"max_relative_energy_error": 1e-4, "max_momentum_error": 1e-6}})");
  auto const option = [](int threads) {
    return on_threads() ? " --threads " + std::to_string(threads) : std::string();
  };
  REQUIRE(run_apsis("run deck.json --output whole --quiet" + option(2), scratch).status == 0);
  CHECK(run_apsis("run deck.json --set run.steps=5" + option(1), scratch).status == 0);
  CHECK(run_apsis("run deck.json --resume --allow-deck-change" + option(3), scratch).status == 0);
  CHECK(log_of(scratch / "deck.run") == log_of(scratch / "whole"));
  bool const same = content(scratch / "deck.run/snapshot_000002.h5") ==
                    content(scratch / "whole/snapshot_000002.h5");
  CHECK(same);
  auto const whole = summary_of(scratch / "whole");
  CHECK(whole["solver"] == "fmm");
  // Measured force errors are reported, also by a resumed run that did not measure them again.
  CHECK(whole["force_error_asked"] == 1e-3);
  CHECK(whole["force_error_99"] > 1e-5);
  CHECK(whole["force_error_99"] <= 1e-3);
  CHECK(whole["force_error_99_worst"] >= whole["force_error_99"]);
  for (auto const* key : {"force_error_99", "force_error_99_worst"}) {
    CHECK(summary_of(scratch / "deck.run")[key] == whole[key]);
  }
  // Unsupported combinations are refused.
  auto const hermite = run_apsis("check deck.json --set integrator.name=hermite4", scratch);
  check_errors(hermite, 65);
  CHECK(contains(hermite.err, "'hermite4' needs derivatives of the acceleration"));
  auto const finer = run_apsis("check deck.json --set gravity.accuracy=1e-6", scratch);
  check_errors(finer, 65);
  CHECK(contains(finer.err, "in single precision errors of 3e-05 remain"));
  auto const both = run_apsis(
      "check deck.json --set gravity.accuracy=1e-3 --set gravity.opening_angle=0.5", scratch);
  check_errors(both, 65);
  CHECK(contains(both.err, "gravity.opening_angle: contradicts gravity.accuracy"));
  check_errors(run_apsis("check deck.json --set gravity.order=7", scratch), 65);
  check_errors(run_apsis("check deck.json --set gravity.opening_angle=1.5", scratch), 65);
  // With an opening angle no previous accelerations are needed, and resuming needs less state.
  auto const angle_options = " --set gravity.opening_angle=0.5 --set gravity.order=4 ";
  REQUIRE(run_apsis("run deck.json --output angle --quiet" + std::string(angle_options), scratch)
              .status == 0);
  CHECK(run_apsis("run deck.json --output half --set run.steps=7" + std::string(angle_options),
                  scratch)
            .status == 0);
  CHECK(run_apsis(
            "run deck.json --output half --resume --allow-deck-change" + std::string(angle_options),
            scratch)
            .status == 0);
  CHECK(log_of(scratch / "half") == log_of(scratch / "angle"));
  CHECK_FALSE(summary_of(scratch / "angle").contains("force_error_99"));
}

TEST_CASE("a run stops before the end of its Slurm job, and ignores a job end in the past") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  auto const unix_time = [](int from_now) {
    return "SLURM_JOB_END_TIME=" + std::to_string(std::time(nullptr) + from_now);
  };
  // Without the job's end the run would not stop.
  auto const run = run_apsis("run deck.json " + endless_run, scratch, unix_time(5));
  check_errors(run, 75);
  CHECK(contains(run.err, "SLURM_JOB_END_TIME: stopped after step "));
  CHECK(summary_of(scratch / "deck.run")["stop_reason"] == "job_end");
  CHECK(summary_of(scratch / "deck.run")["steps"] > 0);
  CHECK(run_apsis("run deck.json --force", scratch, unix_time(-100)).status == 0);
  CHECK(run_apsis("run deck.json --force", scratch, "SLURM_JOB_END_TIME=never").status == 0);
}

TEST_CASE("a changed deck is refused with all differences; safe changes can be allowed") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  REQUIRE(run_apsis("run deck.json --quiet", scratch).status == 0);
  auto const before = content(scratch / "deck.run/conservation.csv");
  auto const changed = run_apsis(
      "run deck.json --resume --set gravity.softening=0.06 --set "
      "integrator.name=hermite6 --set integrator.stepping.mode=fixed "
      "--set integrator.stepping.eta=null --set run.steps=48",
      scratch);
  check_errors(changed, 65);
  CHECK(contains(changed.err,
                 "gravity.softening: changed since the checkpoint (it was 0.05 and is "
                 "0.06); give the deck as it was (this cannot change in a run), or go on with "
                 "'apsis run deck.run --resume'"));
  CHECK(
      contains(changed.err, R"(integrator.name: changed since the checkpoint (it was "hermite4")"));
  CHECK(contains(changed.err, "integrator.stepping.mode"));
  CHECK(contains(changed.err,
                 "integrator.stepping.eta: changed since the checkpoint (it was 0.02 "
                 "and is not there)"));
  CHECK_FALSE(contains(changed.err, "run.steps"));  // a later end is always allowed
  auto const otherwise =
      run_apsis("run deck.json --resume --set output.snapshot_interval=0.3125", scratch);
  check_errors(otherwise, 65);
  CHECK(contains(otherwise.err,
                 "output.snapshot_interval: changed since the checkpoint (it was 0.15625 and is "
                 "0.3125); give --allow-deck-change, or the deck as it was"));
  CHECK(content(scratch / "deck.run/conservation.csv") == before);
  // Allowing safe changes does not allow unsafe ones.
  check_errors(run_apsis("run deck.json --resume --allow-deck-change --set run.steps=48 --set "
                         "bodies.seed=4",
                         scratch),
               65);
  check_errors(run_apsis("run deck.json --resume --allow-deck-change --set run.steps=39", scratch),
               65);
  auto const longer =
      run_apsis("run deck.json --resume --allow-deck-change --set run.steps=48", scratch);
  CHECK(longer.status == 0);
  CHECK(summary_of(scratch / "deck.run")["steps"] == 48);
  REQUIRE(run_apsis("run deck.json --output whole --quiet --set run.steps=48", scratch).status ==
          0);
  CHECK(log_of(scratch / "deck.run") == log_of(scratch / "whole"));
}

TEST_CASE("a run resumes from generations without a manifest, with a warning") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  REQUIRE(run_apsis("run deck.json --quiet --output whole", scratch).status == 0);
  REQUIRE(run_apsis("run deck.json --quiet --set run.steps=20", scratch).status == 0);
  std::filesystem::remove(scratch / "deck.run/checkpoint/manifest.json");
  auto const again = run_apsis("run deck.json --resume --allow-deck-change", scratch);
  CHECK(again.status == 0);
  CHECK(contains(again.err, "manifest.json is missing (the generations that are whole are used"));
  CHECK(contains(again.out, "after step 20 at time"));
  CHECK(log_of(scratch / "deck.run") == log_of(scratch / "whole"));
}

TEST_CASE("promise: a log that is removed during a run is reported at the end") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  struct Taken {
    char const* name;
    void (*how)(std::filesystem::path const& run);
    char const* messages;
  };
  namespace fs = std::filesystem;
  for (auto const& [name, how, messages] :
       {Taken{"removed", [](fs::path const& run) { fs::remove(run / "conservation.csv"); },
              "conservation.csv: was removed during the run"},
        Taken{"replaced",
              [](fs::path const& run) {
                fs::copy_file(run / "conservation.csv", run / "copy");
                fs::rename(run / "copy", run / "conservation.csv");
              },
              "conservation.csv: was replaced during the run"},
        Taken{"emptied", [](fs::path const& run) { fs::resize_file(run / "conservation.csv", 0); },
              "conservation.csv: was changed during the run"},
        Taken{"the whole directory",
              [](fs::path const& run) {
                // Repeated until all files are gone, whatever the run renames meanwhile.
                for (std::error_code missed; fs::exists(run);) fs::remove_all(run, missed);
              },
              "conservation.csv: was removed during the run"}}) {
    CAPTURE(name);
    fs::remove_all(scratch / "deck.run");
    Background run("run deck.json " + endless_run + "--set output.conservation_interval=100",
                   scratch);
    await_start(run);
    how(scratch / "deck.run");
    CHECK(run.wait() == 74);
    CHECK(contains(run.err(), messages));
  }
}

TEST_CASE("a disk too full for snapshots gives warnings, then status 74 and the last checkpoint") {
  Scratch const scratch;
  // Checkpoints of a leapfrog have fewer columns than those of Hermite schemes.
  std::string const hermite =
      R"("name": "hermite4", "time_step": 0.015625, "stepping": {"mode": "block"})";
  auto deck = resumed_deck;
  deck.replace(deck.find(hermite), hermite.size(), R"("time_step": 0.015625)");
  scratch.write("deck.json", deck);
  REQUIRE(run_apsis("run deck.json --output whole --quiet", scratch).status == 0);
  // Files may grow to about 40 kB: checkpoints and logs fit, larger snapshots do not.
  std::string const count_option = " --set bodies.count=400 ";
  REQUIRE(
      run_apsis("run deck.json --output whole --force --quiet" + count_option, scratch).status ==
      0);
  auto const snapshot = std::filesystem::file_size(scratch / "whole/snapshot_000000.h5");
  // A checkpoint in the middle of a log interval also contains rows of tables.
  auto const generation =
      std::max(std::filesystem::file_size(scratch / "whole/checkpoint/generation_000005.bin"),
               std::filesystem::file_size(scratch / "whole/checkpoint/generation_000006.bin"));
  // Checkpoints may be larger than snapshots. Snapshots with accelerations are certainly larger, so
  // that the limit affects only them.
  std::string const large_options = count_option +
                                    "--set output.snapshot_accelerations=true --set "
                                    "output.snapshot_potentials=true ";
  INFO(snapshot << " " << generation);
  REQUIRE(run_apsis("run deck.json --output fat --quiet --set output.snapshot_compression=0" +
                        large_options,
                    scratch)
              .status == 0);
  auto const large_size = std::filesystem::file_size(scratch / "fat/snapshot_000000.h5");
  REQUIRE(large_size > generation + 2048);
  auto const limit = std::to_string(generation / 1024 + 1);
  auto const out = scratch / "limited.out", err = scratch / "limited.err";
  std::string const shell = "cd '" + scratch.path().string() + "' && (ulimit -f " + limit + "; '" +
                            executable() + "' run deck.json --output limited" + large_options +
                            ") >'" + out.string() + "' 2>'" + err.string() + "'";
  int const raw = std::system(("bash -c \"" + shell + "\"").c_str());
  CHECK(WEXITSTATUS(raw) == 74);
  auto const messages = content(err);
  INFO(messages);
  CHECK(contains(messages, "apsis: warning: "));
  CHECK(contains(messages, "snapshot failed"));
  CHECK(contains(messages, "the run goes on"));
  CHECK(contains(messages, "apsis: error: "));
  CHECK(contains(messages, "3 snapshots in a row"));
  for (auto const& entry : std::filesystem::directory_iterator(scratch / "limited")) {
    CHECK(entry.path().extension() != ".tmp");
    CHECK(entry.path().extension() != ".h5");
  }
  // The disk has space again.
  CHECK(run_apsis("run deck.json --output limited --resume" + large_options, scratch).status == 0);
  CHECK(log_of(scratch / "limited") == log_of(scratch / "fat"));
}

TEST_CASE("promise: a state that is not finite is never committed") {
  Scratch const scratch;
  scratch.write("deck.json", R"({
    "bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
                        {"mass": 1, "position": [1, 0, 0], "velocity": [2e17, 0, 0]}]},
    "gravity": {"precision": "single", "softening": 0.1},
    "integrator": {"time_step": 10.0}, "run": {"steps": 100},
    "output": {"conservation_interval": 10000000, "checkpoint_interval": 10}})");
  auto const run = run_apsis("run deck.json", scratch);
  check_errors(run, 70);
  CHECK(contains(run.err, "not finite after step "));
  auto const bad = summary_of(scratch / "deck.run")["steps"].get<int>();
  auto const good = summary_of(scratch / "deck.run")["checkpoint_step"].get<int>();
  CHECK(good < bad);
  // The committed state is valid and leads to the same end.
  auto const again = run_apsis("run deck.json --resume", scratch);
  check_errors(again, 70);
  CHECK(summary_of(scratch / "deck.run")["resumed_from_step"] == good);
  CHECK(summary_of(scratch / "deck.run")["steps"] == bad);
}
