// SPDX-License-Identifier: Apache-2.0
#include "support/executable/commands.hpp"

using namespace apsis::testing;

TEST_CASE("convert notes that other programs read numbers without units as cm, g and s") {
  Scratch const scratch;
  scratch.write("a.txt", "1 0 0 0 0 0 0\n");
  scratch.write("b.txt", "# units: solar\n1 0 0 0 0 0 0\n");
  CHECK(contains(run_apsis("convert a.txt a.h5", scratch).out,
                 "read hdf5 files without units as cm"));
  CHECK_FALSE(contains(run_apsis("convert b.txt b.h5", scratch).out, "as cm"));
}

TEST_CASE("convert states the units of the result, and what a file of mercury6 loses") {
  Scratch const scratch;
  scratch.write("big.in",
                ")O+_06 Big-body initial data\n style (Cartesian, Asteroidal, Cometary) = Cart\n"
                " epoch (in days) = 2451000.5\n A m=1e-3 r=3.d0 d=1.1\n 1 0 0 0 0.01 0 0 0 0\n");
  auto const days = run_apsis("convert big.in a.txt", scratch);
  CHECK(days.status == 0);
  CHECK(
      contains(days.out, "units: au, Msun, day, those of mercury (--units converts to others)\n"));
  CHECK(contains(days.out,
                 "not used: close-encounter radii (r) and densities (d) of the bodies, which have "
                 "no radius\n"));
  CHECK(contains(days.out, "lost: the epoch, day 2451000.5, is left out\n"));
  CHECK(contains(content(scratch / "a.txt"), "0.001 1 0 0 0 0.01 0\n"));
  auto const years = run_apsis("convert big.in b.h5 --units solar", scratch);
  CHECK(contains(years.out, "units: au, Msun, yr\n"));
  CHECK_FALSE(contains(years.out, "nothing is lost"));
  scratch.write("gadget.txt", "# units: kpc, 1e10 Msun, km/s\n1 0 0 0 0 0 0\n");
  CHECK(contains(run_apsis("convert gadget.txt c.h5", scratch).out,
                 "units: kpc, 1e10 Msun, 3.09e+16 s (velocities in km/s)\n"));
}

TEST_CASE("options without effect on a format are refused, and so is a negative softening") {
  Scratch const scratch;
  scratch.write("a.txt", "1 0 0 0 0 0 0\n");
  for (auto const* wrong :
       {"b.txt --softening 0.1", "b.txt --little-endian", "b.txt --no-pad", "b.bin --csv",
        "b.bin --tipsy-ids none", "b.bin --softening -1", "b.bin --softening nan"}) {
    CAPTURE(wrong);
    check_errors(run_apsis("convert a.txt " + std::string(wrong), scratch), 64);
  }
  CHECK(run_apsis("convert a.txt b.bin --softening 0.1 --no-pad --little-endian", scratch).status ==
        0);
  CHECK(run_apsis("convert b.bin c.txt --csv --tipsy-ids none", scratch).status == 0);
  check_errors(run_apsis("convert b.bin d.txt --columns 'mass x y z vx vy vz'", scratch), 64);
  scratch.write("last.txt", "1 0 0 0 1 0 0.5\n2 1 0 0 1 0 0.25\n");
  check_errors(run_apsis("convert last.txt e.txt", scratch), 65);
  CHECK(run_apsis("convert last.txt e.txt --columns 'x y z vx vy vz mass'", scratch).status == 0);
  CHECK(contains(content(scratch / "e.txt"), "0.25 2 1 0 0 1 0"));
}

TEST_CASE("convert never overwrites its input") {
  Scratch const scratch;
  std::string const body = "mass x y z vx vy vz extra\n1 0 0 0 0 0 0 7\n";
  scratch.write("a.txt", body);
  check_errors(run_apsis("convert a.txt a.txt --force", scratch), 74);
  check_errors(run_apsis("convert a.txt ./a.txt --force --to tipsy", scratch), 74);
  CHECK(content(scratch / "a.txt") == body);
}

TEST_CASE("convert writes and recognises both binary formats of GADGET") {
  Scratch const scratch;
  scratch.write("a.txt", "id mass x y z vx vy vz\n5 1 0.1 0 0 0 0 0\n7 2 1 0 0 0 3 0\n");
  for (auto const* options :
       {"", "--gadget-format 1", "--big-endian", "--gadget-format 1 --big-endian"}) {
    CAPTURE(options);
    auto const written =
        run_apsis("convert a.txt b.dat --to gadget --force " + std::string(options), scratch);
    CHECK(written.status == 0);
    CHECK(contains(written.out, "2 bodies in gadget from text\nnothing is lost"));
    CHECK(run_apsis("convert b.dat c.txt --ids --force", scratch).status == 0);
    CHECK(contains(content(scratch / "c.txt"), "5 1 0.1 0 0 0 0 0\n7 2 1 0 0 0 3 0\n"));
  }
  CHECK(contains(run_apsis("convert a.txt s.gadget --single", scratch).out,
                 "positions are rounded to 32 bits"));
  check_errors(run_apsis("convert a.txt b.h5 --gadget-format 1", scratch), 64);
  check_errors(run_apsis("convert a.txt e.gadget --gadget-format 3", scratch), 64);
}

TEST_CASE("decks and convert can ignore the ids of a file") {
  Scratch const scratch;
  scratch.write("a.txt", "id mass x y z vx vy vz\n5 1 0.5 0 0 0 0 0\n7 2 1 0 0 0 3 0\n");
  CHECK(run_apsis("convert a.txt a.bin --ids", scratch).status == 0);
  CHECK(run_apsis("convert a.bin b.txt --ids --ignore-ids", scratch).status == 0);
  CHECK(contains(content(scratch / "b.txt"), "0 1 0.5 0 0 0 0 0\n1 2 1 0 0 0 3 0\n"));
  scratch.write("deck.json", R"({"bodies": {"file": "a.bin", "ids": false},
    "gravity": {"softening": 0.1}, "integrator": {"name": "leapfrog_kdk", "time_step": 0.5},
    "run": {"end_time": 0.5}})");
  CHECK(run_apsis("check deck.json", scratch).status == 0);
  check_errors(run_apsis("check deck.json --set bodies.tipsy_ids=integers", scratch), 65);
}
