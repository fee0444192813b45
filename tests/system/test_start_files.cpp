// SPDX-License-Identifier: Apache-2.0
#include "support/executable/background.hpp"

/// Runs that begin with the bodies of a file.
using namespace apsis::testing;

TEST_CASE("another run can begin from a snapshot, with the same bits") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  std::string const leapfrog =
      " --set integrator.stepping=null --set integrator.name=leapfrog_kdk ";
  for (auto const* precision : {"single", "double", "mixed"}) {
    auto const overrides = leapfrog + "--set gravity.precision=" + precision;
    REQUIRE(run_apsis("run deck.json --force --quiet" + overrides, scratch).status == 0);
    auto const continued = run_apsis(
        "run deck.json --force --quiet --output second --set bodies.generator=null --set "
        "bodies.count=null --set bodies.seed=null --set bodies.file=deck.run/snapshot_000001.h5 "
        "--set run.steps=30" +
            overrides,
        scratch);
    CHECK(continued.err == "");
    CHECK(continued.status == 0);
    auto const text = [&](std::string const& run, std::string const& output) {
      CHECK(run_apsis("convert " + run + " " + output + " --force --ids", scratch).status == 0);
      return content(scratch / output);
    };
    CHECK(text("second/snapshot_000003.h5", "a.txt") ==
          text("deck.run/snapshot_000004.h5", "b.txt"));
  }
}

TEST_CASE("decks and convert read files of bodies alike, in all formats") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  REQUIRE(run_apsis("run deck.json --quiet --set run.steps=0", scratch).status == 0);
  REQUIRE(run_apsis("convert deck.run/snapshot_000000.h5 a.csv --ids", scratch).status == 0);
  CHECK(contains(run_apsis("convert a.csv b.h5", scratch).out, "nothing is lost"));
  CHECK(run_apsis("convert b.h5 c.txt", scratch).status == 0);
  auto const lossy = run_apsis("convert c.txt d.bin", scratch);
  CHECK(contains(lossy.out, "lost: "));
  check_errors(run_apsis("convert c.txt d.bin", scratch), 74);  // exists
  std::string const run =
      "run deck.json --force --quiet --set run.steps=0 --set bodies.generator=null --set "
      "bodies.count=null --set bodies.seed=null --output ";
  REQUIRE(run_apsis(run + "whole --set bodies.file=deck.run/snapshot_000000.h5", scratch).status ==
          0);
  for (auto const* file : {"a.csv", "b.h5", "c.txt"}) {
    CHECK(run_apsis(run + "one --set bodies.file=" + file, scratch).status == 0);
    CHECK(log_of(scratch / "one") == log_of(scratch / "whole"));
  }
  CHECK(run_apsis(run + "one --set bodies.file=d.bin --set bodies.format=tipsy", scratch).status ==
        0);
  CHECK(log_of(scratch / "one") != log_of(scratch / "whole"));
  check_errors(run_apsis(run + "one --set bodies.file=c.txt --set bodies.format=hdf5", scratch),
               65);
  check_errors(run_apsis(run + "one --set bodies.file=none.txt", scratch), 74);
  scratch.write("bad.txt", "1 0 0 0 0 0 0\n1 0 0 nan 0 0 0\n1 0 0\n");
  auto const bad = run_apsis(run + "one --set bodies.file=bad.txt", scratch);
  check_errors(bad, 65);
  CHECK(contains(bad.err, "2"));
  CHECK(contains(bad.err, "3"));
  scratch.write("same.txt", "1 0 0 0 0 0 0\n1 0 0 0 0 0 0\n");
  check_errors(run_apsis(run + "one --set gravity.softening=0 --set bodies.file=same.txt", scratch),
               65);
  // Paths are relative to the deck, wherever the run is started.
  std::filesystem::create_directories(scratch / "below");
  CHECK(run_apsis("run '" + (scratch / "deck.json").string() +
                      "' --force --quiet --set run.steps=0 --set bodies.generator=null --set "
                      "bodies.count=null --set bodies.seed=null --set bodies.file=a.csv",
                  scratch)
            .status == 0);
}
