// SPDX-License-Identifier: Apache-2.0
#include "support/executable/background.hpp"

#include <map>

using namespace apsis::testing;

namespace {

std::string const watched = R"({
  "title": "watched", "bodies": {"generator": "plummer", "count": 300, "seed": 3},
  "gravity": {"softening": 0.05}, "integrator": {"name": "leapfrog_kdk", "time_step": 0.015625},
  "run": {"steps": 32},
  "output": {"checkpoint_interval": 0.0625, "snapshot_interval": 0.125, "render": [
    {"name": "fast", "interval": 0.03125, "width": 80, "height": 60, "colour": "speed", "trail": 5},
    {"name": "dense", "interval": 0.125, "width": 80, "height": 60, "follow": "density_centre",
     "orbit": 90, "lens": "perspective", "up": [0, 1, 1]}]}})";

/// Returns the compressed pixels of a PNG. Its notes differ, because the deck in them has the end
/// of the run.
std::string pixels_of(std::string const& png) {
  std::string pixels;
  for (std::size_t offset = 8; offset + 12 <= png.size();) {
    std::size_t length = 0;
    for (std::size_t k = 0; k < 4; ++k)
      length = length * 256 + static_cast<unsigned char>(png[offset + k]);
    if (png.compare(offset + 4, 4, "IDAT") == 0) pixels += png.substr(offset + 8, length);
    offset += length + 12;
  }
  return pixels;
}

std::map<std::string, std::string> pictures_of(std::filesystem::path const& run) {
  std::map<std::string, std::string> pictures;
  for (auto const& entry : std::filesystem::directory_iterator(run / "pictures")) {
    pictures[entry.path().filename().string()] = pixels_of(content(entry.path()));
  }
  return pictures;
}

}  // namespace

TEST_CASE(
    "promise: the pictures of a run have the same bits on any number of threads and after a "
    "resume") {
  Scratch const scratch;
  scratch.write("deck.json", watched);
  REQUIRE(run_apsis("run deck.json --output whole", scratch).status == 0);
  auto const whole = pictures_of(scratch / "whole");
  CHECK(whole.size() == 17 + 5);
  CHECK(whole.count("fast_000016.png") == 1);
  CHECK(whole.count("dense_000004.png") == 1);
  if (on_threads()) {
    for (auto const* threads : {"1", "3"}) {
      REQUIRE(
          run_apsis("run deck.json --force --threads " + std::string(threads), scratch).status ==
          0);
      bool const same = pictures_of(scratch / "deck.run") == whole;
      CHECK(same);
    }
  }
  // Interrupted after a checkpoint, with pictures of later times left behind.
  REQUIRE(run_apsis("run deck.json --force --set run.steps=10", scratch).status == 0);
  auto const late = scratch / "deck.run/pictures/fast_000009.png";
  auto const record = content(scratch / "deck.run/apsis-files.txt");
  scratch.write("deck.run/apsis-files.txt", record + "pictures/fast_000009.png\n");
  scratch.write("deck.run/pictures/fast_000009.png", "of a later time");
  auto const on = run_apsis("run deck.json --resume --set run.steps=20", scratch);
  CHECK(on.err == "");
  REQUIRE(on.status == 0);
  bool const replaced = pixels_of(content(late)) == whole.at("fast_000009.png");
  CHECK(replaced);
  REQUIRE(run_apsis("run deck.json --resume", scratch).status == 0);
  auto resumed = pictures_of(scratch / "deck.run");
  CHECK(resumed.size() == whole.size());
  for (auto const& [name, bytes] : whole) {
    CAPTURE(name);
    bool const same = resumed[name] == bytes;
    CHECK(same);
  }
}

TEST_CASE("a run that rolls back has one picture per time, of the accepted steps") {
  Scratch const scratch;
  scratch.write("deck.json", watched);
  std::string const back =
      "run deck.json --set bodies.count=1537 --set output.conservation_interval=0.0625 "
      "--set conservation.on_violation=retry --set conservation.max_relative_energy_error=1e-6 ";
  std::map<std::string, std::string> first;
  for (auto const* threads : {"1", "3"}) {
    auto const run = run_apsis(
        back + "--force" + (on_threads() ? " --threads " + std::string(threads) : ""), scratch);
    CHECK(run.status <= 1);
    CHECK(contains(run.out, "retry 1 of 2"));
    auto const pictures = pictures_of(scratch / "deck.run");
    CHECK(pictures.size() == 17 + 5);
    for (int k = 0; k <= 16; ++k) {
      CHECK(pictures.count("fast_0000" + std::string(k < 10 ? "0" : "") + std::to_string(k) +
                           ".png") == 1);
    }
    if (first.empty()) first = pictures;
    bool const same = pictures == first;
    CHECK(same);
  }
  // Pictures after the roll-back differ from those of a run that continued.
  REQUIRE(run_apsis("run deck.json --set bodies.count=1537 --set "
                    "output.conservation_interval=0.0625 --output on",
                    scratch)
              .status == 0);
  auto const on = pictures_of(scratch / "on");
  CHECK(on.size() == first.size());
  bool const begins_alike = on.at("fast_000000.png") == first.at("fast_000000.png");
  CHECK(begins_alike);
}

TEST_CASE("render draws snapshots, runs and files of bodies") {
  Scratch const scratch;
  scratch.write("deck.json", watched);
  REQUIRE(run_apsis("run deck.json", scratch).status == 0);
  auto const one =
      run_apsis("render deck.run/snapshot_000001.h5 --set width=64 --set height=48", scratch);
  CHECK(one.err == "");
  CHECK(one.out == "./picture.png\n");
  CHECK(content(scratch / "picture.png").substr(1, 3) == "PNG");
  auto const whole_run = run_apsis(
      "render deck.run --output frames --set name=f --set color=mass --set width=64 --set "
      "height=48",
      scratch);
  CHECK(contains(whole_run.err, R"(write "colour": "mass")"));
  CHECK(whole_run.status == 64);
  REQUIRE(
      run_apsis(
          "render deck.run --output frames --quiet --set name=f --set colour=mass --set width=64 "
          "--set height=48",
          scratch)
          .status == 0);
  CHECK(std::filesystem::exists(scratch / "frames/f_000004.png"));
  REQUIRE(run_apsis("convert deck.run/snapshot_000001.h5 bodies.txt", scratch).status == 0);
  REQUIRE(
      run_apsis("render bodies.txt --output text --set width=64 --set height=48", scratch).status ==
      0);
  CHECK(std::filesystem::file_size(scratch / "text/picture.png") > 500);
}

TEST_CASE("invalid input of render is reported in one line, with its status") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  scratch.write("empty.txt", "# nothing\n");
  scratch.write("no.h5", "no HDF5");
  REQUIRE(run_apsis("run deck.json", scratch).status == 0);
  std::filesystem::create_directory(scratch / "bare");
  struct Case {
    char const* arguments;
    int status;
    char const* message;
  };
  for (auto const& each : {
           Case{"", 64, "PATH"},
           Case{"nowhere.h5", 74, "nowhere.h5"},
           Case{"bare", 65, "bare: holds no snapshots"},
           Case{"no.h5", 65, "no columns"},
           Case{"empty.txt", 65, "empty.txt"},
           Case{"deck.json", 65, "deck.json"},
           Case{"deck.run --set width=1000000", 64, "width"},
           Case{"deck.run --set width=32768 --set height=32768", 64, "too many pixels"},
           Case{"deck.run --set colour=temperature", 64, "must be one of 'density'"},
           Case{"deck.run --set up=[0,0,1]", 64, "gives no direction"},
           Case{"deck.run --set body=12345", 65, "no body has the id 12345"},
           Case{"deck.run --set follow=body", 64, "needs 'body'"},
           Case{"deck.run --set name=a/b", 64, "not a valid file name"},
           Case{"deck.run --set trail=10000000", 64, "trail"},
           Case{"deck.run --output deck.json/x", 74, "cannot be created"},
           Case{"deck.run --rate 0", 64, "rate"},
           Case{"deck.run --film film", 64, "ends in .mp4, .webm"},
           Case{"deck.run --film film.png", 64, "ends in .mp4, .webm"},
           Case{"deck.run --film nowhere/film.mp4", 64, "its directory does not exist"},
       }) {
    CAPTURE(each.arguments);
    auto const run = run_apsis("render " + std::string(each.arguments), scratch);
    check_errors(run, each.status);
    CHECK(contains(run.err, each.message));
  }
  auto const series = [&](std::string const& list) {
    return run_apsis("check deck.json --set 'output.render=" + list + "'", scratch);
  };
  check_errors(series("[]"), 65);
  check_errors(series(R"([{"name": "a"}])"), 65);
  CHECK(contains(series(R"([{"interval": 0.005}])").err, "output.render[0].interval"));
  CHECK(contains(series(R"([{"interval": 0.05}, {"interval": 0.1}])").err,
                 "is used by another series"));
  CHECK(series(R"([{"interval": 0.05}])").status == 0);
  auto const long_trails = run_apsis(
      "check deck.json --set bodies.count=5000 "
      "--set 'output.render=[{\"interval\": 0.05, \"trail\": 1000}]'",
      scratch);
  check_errors(long_trails, 65);
  CHECK(contains(long_trails.err, "give at most 838"));
}

TEST_CASE("a species without bodies is an error") {
  Scratch const scratch;
  scratch.write("deck.json", R"({"bodies": {"generator": "disk_galaxy", "count": 300},
    "gravity": {"softening": 0.1}, "integrator": {"name": "leapfrog_kdk", "time_step": 0.0625},
    "run": {"steps": 1}, "output": {"render": [{"interval": 0.0625, "species": "disk", "width": 96, "height": 72}]}})");
  REQUIRE(run_apsis("run deck.json", scratch).status == 0);
  auto const drawn = run_apsis("render deck.run --set species=stars", scratch);
  check_errors(drawn, 65);
  CHECK(contains(drawn.err, "no body is of the species 'stars'"));
  for (auto const* change : {"'output.render=[{\"interval\":0.0625,\"species\":\"stars\"}]'",
                             "'diagnostics.lagrangian_radii={\"species\":\"stars\"}'"}) {
    for (auto const* command : {"check deck.json --set ", "run deck.json --force --set "}) {
      auto const none = run_apsis(command + std::string(change), scratch);
      check_errors(none, 65);
      CHECK(contains(none.err, "no body is of the species 'stars'"));
    }
  }
}

TEST_CASE("--force removes the pictures of the run and no others") {
  Scratch const scratch;
  scratch.write("deck.json", watched);
  REQUIRE(run_apsis("run deck.json --set run.steps=4", scratch).status == 0);
  scratch.write("deck.run/pictures/IMG_0001.png", "mine");
  scratch.write("deck.run/pictures/2024.png", "mine too");
  REQUIRE(run_apsis("run deck.json --force --set output.render=null --set run.steps=4", scratch)
              .status == 0);
  CHECK(content(scratch / "deck.run/pictures/IMG_0001.png") == "mine");
  CHECK(content(scratch / "deck.run/pictures/2024.png") == "mine too");
  CHECK_FALSE(std::filesystem::exists(scratch / "deck.run/pictures/fast_000000.png"));
}

TEST_CASE("render reports which pictures it replaced and which remain") {
  Scratch const scratch;
  scratch.write("deck.json", watched);
  REQUIRE(run_apsis("run deck.json --set output.render=null --set output.snapshot_interval=null "
                    "--set run.steps=4",
                    scratch)
              .status == 0);
  auto const snapshot = std::string("deck.run/snapshot_000000.h5 ");
  CHECK_FALSE(contains(run_apsis("render " + snapshot + snapshot, scratch).out, "note"));
  CHECK(contains(run_apsis("render " + snapshot + snapshot, scratch).out,
                 "note: 2 existing pictures were replaced\n"));
  CHECK(contains(run_apsis("render " + snapshot, scratch).out,
                 "note: 2 older pictures named picture remain in .\n"));
}

TEST_CASE("a run draws trails along orbits, and `render` says where files are too rare for them") {
  Scratch const scratch;
  // One picture and one snapshot in 0.8 periods of a circular orbit.
  scratch.write("deck.json", R"({"bodies": {"generator": "kepler"},
    "integrator": {"name": "leapfrog_kdk", "time_step": 0.01}, "run": {"steps": 2500},
    "output": {"render": [{"interval": 5, "trail": 4, "width": 64, "height": 64}],
               "snapshot_interval": 5}})");
  auto const run = run_apsis("run deck.json", scratch);
  REQUIRE_MESSAGE(run.status == 0, run.err);
  auto const drawn = run_apsis(
      "render deck.run --set trail=4 --set width=64 --set height=64 --output drawn", scratch);
  REQUIRE(drawn.status == 0);
  CHECK(contains(drawn.out, "note: the last picture has no trails in 8 of 8 places"));
  auto const last = "picture_000005.png";
  auto const with_trails = content(scratch / "deck.run/pictures" / last);
  CHECK(with_trails.size() > content(scratch / "drawn" / last).size() + 200);
}

TEST_CASE("render takes the stem of a snapshot in several files") {
  Scratch const scratch;
  scratch.write("deck.json", watched);
  REQUIRE(run_apsis("run deck.json --output run --set output.render=null", scratch).status == 0);
  std::filesystem::copy_file(scratch / "run/snapshot_000001.h5", scratch / "stars.0.hdf5");
  auto const by_name = run_apsis("render stars.0.hdf5 --set width=80 --set height=60", scratch);
  CHECK(by_name.status == 0);
  auto const by_stem = run_apsis("render stars --set width=80 --set height=60", scratch);
  CHECK(by_stem.status == 0);
  CHECK(run_apsis("render moons", scratch).status == 74);
}

TEST_CASE("render chooses time, columns and format of a file as convert does") {
  Scratch const scratch;
  scratch.write("series.txt",
                "t,m,x,y,z,vx,vy,vz\n0,1,1,0,0,0,1,0\n0,1,-1,0,0,0,-1,0\n"
                "2,1,0,1,0,-1,0,0\n2,1,0,-1,0,1,0,0\n");
  scratch.write("late.txt", "m,x,y,z,vx,vy,vz\n1,0,1,0,-1,0,0\n1,0,-1,0,1,0,0\n");
  scratch.write("mixed.txt", "9 0 1 0 -1 0 0 1\n9 0 -1 0 1 0 0 1\n");
  std::string const look =
      " --set extent=3 --set label=false --set width=64 --set height=48 --set ";
  auto const several = run_apsis("render series.txt" + look + "name=no", scratch);
  check_errors(several, 65);
  CHECK(contains(several.err, "it has 2 times: 0, 2"));
  CHECK(contains(several.err, "--time"));
  REQUIRE(run_apsis("render series.txt --time 2" + look + "name=a", scratch).status == 0);
  REQUIRE(run_apsis("render late.txt" + look + "name=b", scratch).status == 0);
  REQUIRE(
      run_apsis("render mixed.txt --from text --columns '- x y z vx vy vz mass'" + look + "name=c",
                scratch)
          .status == 0);
  REQUIRE(run_apsis("render series.txt --time 0" + look + "name=d", scratch).status == 0);
  auto const late = pixels_of(content(scratch / "b.png"));
  bool const is_late = pixels_of(content(scratch / "a.png")) == late;
  bool const has_columns = pixels_of(content(scratch / "c.png")) == late;
  bool const is_early = pixels_of(content(scratch / "d.png")) != late;
  CHECK(is_late);
  CHECK(has_columns);
  CHECK(is_early);
  check_errors(run_apsis("render late.txt --from hdf5", scratch), 65);
  check_errors(run_apsis("render late.txt --from words", scratch), 64);
  check_errors(run_apsis("render late.txt --central-mass 1", scratch), 64);
}

TEST_CASE("render chooses snapshots of a run by their time") {
  Scratch const scratch;
  scratch.write("deck.json", watched);
  REQUIRE(run_apsis("run deck.json --output run --set output.render=null", scratch).status == 0);
  std::string const look = " --set width=64 --set height=48 --set ";
  auto const one = run_apsis("render run --time 0.25" + look + "name=a", scratch);
  CHECK(one.err == "");
  CHECK(one.out == "./a.png\n");
  REQUIRE(run_apsis("render run/snapshot_000002.h5" + look + "name=b", scratch).status == 0);
  bool const same = pixels_of(content(scratch / "a.png")) == pixels_of(content(scratch / "b.png"));
  CHECK(same);
  auto const none = run_apsis("render run --time 0.3" + look + "name=c", scratch);
  check_errors(none, 65);
  CHECK(contains(none.err, "run: no bodies at time 0.3 (it has 5 times: 0, 0.125, 0.25"));
  auto const single = run_apsis("render run/snapshot_000002.h5 --time 0.25", scratch);
  check_errors(single, 64);
  CHECK(contains(single.err, "--time: is for text and nemo (the file is hdf5)"));
  auto const columns = run_apsis("render run --columns 'x y z vx vy vz mass'", scratch);
  check_errors(columns, 64);
  CHECK(contains(columns.err, "is for text"));
}
