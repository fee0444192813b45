// SPDX-License-Identifier: Apache-2.0
#include "support/executable/hostile.hpp"

#include <algorithm>

using namespace apsis::testing;

TEST_CASE("hostile: files") {
  check_hostile({
      {"no deck", "", "run nowhere.json", 74, {"nowhere.json", "cannot be read"}},
      {"a directory as deck", "", "check .", 74, {".: cannot be read", "directory"}},
      {"an empty deck", "> empty.json", "check empty.json", 65, {"empty.json", "not valid JSON"}},
      {"a deck cut short",
       "head -c 40 deck.json > cut.json",
       "check cut.json",
       65,
       {"cut.json", "not valid JSON"}},
      {"a deck through a pipe", "", "check /dev/stdin", 0, {"good"}, "cat deck.json |"},
      {"a deck without an end",
       "",
       "check /dev/stdin",
       65,
       {"too large for a deck"},
       "yes '[1,' |"},
      {"a named pipe as deck", "mkfifo pipe", "check pipe", 74, {"pipe", "named pipe"}},
      {"a device as deck", "", "check /dev/zero", 74, {"/dev/zero", "device"}},
      {"a device as deck to run", "", "run /dev/urandom", 74, {"/dev/urandom", "device"}},
      {"a full disk as deck", "", "check /dev/full", 74, {"/dev/full", "device"}},
      {"a device as standard input", "", "check /dev/stdin < /dev/zero", 74, {"device"}},
      {"a deck of 3 GB of nothing",
       "truncate -s 3G deck.json",
       "check deck.json",
       65,
       {"deck.json", "too large for a deck", "67108864"}},
      {"a named pipe as text", "mkfifo a.txt", "convert a.txt b.h5", 74, {"a.txt", "named pipe"}},
      {"a named pipe as tipsy", "mkfifo a.bin", "convert a.bin b.h5", 74, {"a.bin", "named pipe"}},
      {"a named pipe as hdf5", "mkfifo a.h5", "convert a.h5 b.txt", 74, {"a.h5", "named pipe"}},
      {"a device as text", "", "convert /dev/urandom b.h5 --from text", 74, {"device"}},
      {"a device as tipsy", "", "convert /dev/urandom b.h5 --from tipsy", 74, {"device"}},
      {"a device as hdf5", "", "convert /dev/urandom b.txt --from hdf5", 74, {"device"}},
      {"text without an end",
       "",
       "convert /dev/stdin b.h5 --from text",
       65,
       {"line 1", "too long"},
       "tr '\\n' ' ' < /dev/zero |"},
      {"text of 3 GB of nothing",
       "truncate -s 3G a.txt",
       "convert a.txt b.h5",
       65,
       {"a.txt: line 1", "too long"}},
      {"tipsy of 3 GB of nothing",
       "truncate -s 3G a.bin",
       "convert a.bin b.h5",
       65,
       {"a.bin", "no tipsy header"}},
      {"tipsy through a pipe",
       "",
       "convert /dev/stdin b.h5 --from tipsy",
       65,
       {"pipe"},
       "head -c 100 /dev/zero |"},
      {"hdf5 of 3 GB of nothing", "truncate -s 3G a.h5", "convert a.h5 b.txt", 65, {"a.h5"}},
      {"tipsy of more bodies than there is memory for",
       "printf '\\0\\0\\0\\0\\0\\0\\0\\0\\377\\377\\377\\177\\3\\0\\0\\0\\0\\0\\0\\0\\377\\377\\377"
       "\\177\\0\\0\\0\\0' > a.bin && truncate -s 77309411320 a.bin && "
       "sed 's/\"generator.*3}/\"file\": \"a.bin\"}/' deck.json > file.json",
       "run file.json",
       65,
       {"a.bin", "does not fit in memory", "2147483647"}},
  });
}

TEST_CASE("hostile: checkpoints") {
  // The last of two generations is damaged or replaced: the run resumes from the previous one.
  std::string const run =
      "\"$APSIS\" run deck.json --quiet --set output.checkpoint_interval=0.1 && "
      "mv deck.run/checkpoint/generation_000002.bin whole && cd deck.run/checkpoint && ";
  std::string const resume =
      "run deck.json --resume --set output.checkpoint_interval=0.1 --set run.steps=30";
  std::string const damaged = "generation_000002.bin";
  check_hostile({
      {"a generation of 3 GB", run + "truncate -s 3G generation_000002.bin", resume, 0, {damaged}},
      {"a generation of 3 GB and no manifest",
       run + "truncate -s 3G generation_000002.bin && rm manifest.json",
       resume,
       0,
       {damaged}},
      {"a generation of 3 GB that begins well",
       run + "cp ../../whole generation_000002.bin && truncate -s 3G generation_000002.bin && "
             "rm manifest.json",
       resume,
       0,
       {damaged}},
      {"a manifest of 3 GB",
       run + "mv ../../whole generation_000002.bin && "
             "truncate -s 3G manifest.json",
       resume,
       0,
       {"manifest.json"}},
  });
}

TEST_CASE("hostile: units of files") {
  std::string const file =
      "sed 's/\"generator.*3}/\"file\": \"a.txt\"}/' deck.json > file.json && printf '%s\n' ";
  std::string const bodies = " '1 0 0 0 0 0 0' '1 1 0 0 0 0 1' > a.txt";
  std::string const solar = "check file.json --set units.system=solar";
  check_hostile({
      {"units that nobody knows",
       file + "'# units: pc, Msun, furlongs/s'" + bodies,
       solar,
       65,
       {"line 1", "units that are not understood", "'astrophysical'"}},
      {"units of words that are not the deck's",
       file + "'# units: pc, Msun, km/s'" + bodies,
       solar,
       65,
       {"contradicts units", "set units to"}},
      {"units that are not the deck's",
       file + "'# units: astrophysical'" + bodies,
       solar,
       65,
       {"contradicts units"}},
      {"units that are those of the deck", file + "'# units: solar'" + bodies, solar, 0, {"good"}},
      {"no units for a deck that has some",
       file + bodies,
       solar,
       0,
       {"note: the file of bodies names no units: its numbers are taken as au, Msun and au/yr"}},
  });
}

TEST_CASE("hostile: files without bodies") {
  std::string const deck =
      "sed 's/\"generator.*3}/\"file\": \"a.txt\"}/' deck.json > file.json && ";
  check_hostile({
      {"an empty file", "> a.txt", "convert a.txt b.h5", 65, {"a.txt", "holds no bodies"}},
      {"comments only",
       deck + "echo '# mass x y z vx vy vz' > a.txt",
       "run file.json",
       65,
       {"a.txt", "holds no bodies"}},
      {"a header only",
       deck + "echo 'mass,x,y,z,vx,vy,vz' > a.txt",
       "check file.json",
       65,
       {"a.txt", "holds no bodies"}},
      {"tipsy of no bodies",
       "printf '\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\3\\0\\0\\0\\0\\0\\0\\0"
       "\\0\\0\\0\\0\\0\\0\\0\\0' > a.bin",
       "convert a.bin b.h5",
       65,
       {"a.bin", "holds no bodies"}},
      {"a list of no bodies",
       "",
       "run deck.json --set 'bodies={\"list\": []}'",
       65,
       {"bodies.list", "empty"}},
      {"a composite of no parts",
       "",
       "run deck.json --set 'bodies={\"generator\": \"composite\", \"parts\": []}'",
       65,
       {"bodies.parts", "empty"}},
      {"no bodies, as asked for", "", "run deck.json --set bodies.count=0", 0, {}},
  });
}

TEST_CASE("hostile: decks") {
  auto const many = [](std::string const& before, std::string const& each, std::string const& after,
                       std::string const& count) {
    return "awk 'BEGIN { printf \"%s\", \"" + before + "\"; for (i = 0; i < " + count +
           "; ++i) printf \"%s\", (i ? \",\" : \"\") " + each + "; print \"" + after +
           "\" }' > many.json";
  };
  std::string const rest = R"(\"gravity\": {\"softening\": 0.1}, \"integrator\": {\"name\": )"
                           R"(\"leapfrog_kdk\", \"time_step\": 0.01}, \"run\": {\"steps\": 1}})";
  std::string const body =
      R"("{\"mass\": 1e-5, \"position\": [" i ", 1, 2], \"velocity\": [1, 2, 3]}")";
  std::string const part = R"("{\"bodies\": {\"generator\": \"plummer\", \"count\": 2}}")";
  check_hostile({
      {"coordinates whose squares overflow, checked",
       R"(printf %s '{"bodies": {"list": [{"mass": 1, "position": [1e308, 0, 0]}]},
                 "integrator": {"time_step": 1}, "run": {"steps": 1}}' > far.json)",
       "check far.json",
       65,
       {"body 0: coordinate 1e+308", "its square overflows"}},
      {"coordinates that overflow in single, checked",
       R"(printf %s '{"bodies": {"list": [{"mass": 1, "position": [1e200, 0, 0]},
                                        {"mass": 1, "position": [-1e200, 0, 0]}]},
                 "gravity": {"precision": "single"},
                 "integrator": {"time_step": 1}, "run": {"steps": 1}}' > far.json)",
       "check far.json",
       65,
       {"body 0: coordinate 1e+200", "in single precision", "set gravity.precision to 'double'"}},
      {"masses whose energy overflows",
       R"(printf %s '{"bodies": {"list": [{"mass": 1e200, "position": [1, 0, 0]},
                                        {"mass": 1e200, "position": [-1, 0, 0]}]},
                 "integrator": {"time_step": 1}, "run": {"steps": 1}}' > heavy.json)",
       "run heavy.json",
       70,
       {"not finite after step 0", "choose units in which masses"}},
      {"masses that overflow after a step",
       R"(printf %s '{"bodies": {"list": [{"mass": 1e140, "position": [1, 0, 0]},
                                        {"mass": 1e140, "position": [-1, 0, 0]}]},
                 "integrator": {"time_step": 1e60}, "run": {"steps": 1}}' > heavy.json)",
       "run heavy.json",
       70,
       {"not finite after step 1", "choose units in which masses"}},
      {"Henon units of bodies without mass",
       R"(printf %s '{"bodies": {"file": "a.txt", "henon_units": true},
                 "integrator": {"time_step": 1}, "run": {"steps": 1}}' > none.json &&
          printf '%s\n' '0 1 0 0 0 1 0' '0 2 0 0 0 1 0' > a.txt)",
       "run none.json",
       65,
       {"bodies.henon_units: cannot be reached (no body has a mass)"}},
      {"masses whose velocities overflow, checked",
       R"(printf %s '{"bodies": {"generator": "plummer", "count": 10, "mass": 1e300},
                 "gravity": {"G": 1e10},
                 "integrator": {"time_step": 1}, "run": {"steps": 1}}' > heavy.json)",
       "check heavy.json",
       65,
       {"body 0: "}},
      {"a name with a NUL",
       R"(printf %s '{"bodies": {"generator": "plummer", "count": 10}, "integrator": {"time_step": 1},
                 "run": {"steps": 1, "stop_file": "a\u0000b"}}' > nul.json)",
       "check nul.json",
       65,
       {"run.stop_file: has a NUL character"}},
      {"a file of bodies that is not there",
       R"(printf %s '{"bodies": {"file": "nowhere.txt"}, "gravity": {"softening": 0.1},
                 "integrator": {"time_step": 1}, "run": {"steps": 1}}' > none.json)",
       "run none.json",
       74,
       {"bodies.file: ", "nowhere.txt: cannot be read"}},
      {"a count beyond all memory",
       "",
       "check deck.json --set bodies.count=1e12",
       65,
       {"bodies.count"}},
      // Each of these takes a second or two. They took ten times as long when arrays were scanned
      // again for each element.
      {.name = "200 000 bodies in a list",
       .prepare = many(R"({\"bodies\": {\"list\": [)", body, "]}, " + rest, "200000"),
       .command = "check many.json",
       .status = 0,
       .words = {"200000 bodies"},
       .mebibytes = 1024.0},
      {.name = "100 000 parts",
       .prepare = many(R"({\"bodies\": {\"generator\": \"composite\", \"parts\": [)", part,
                       "]}, " + rest, "100000"),
       .command = "check many.json",
       .status = 0,
       .words = {"200000 bodies"},
       .mebibytes = 1024.0},
      {"a title that writes to the terminal",
       "",
       R"(run deck.json --set 'title="\u001b[2J\u009b31m\r"')",
       0,
       {"?[2J?31m?\n"}},
      {"equal Lagrangian fractions",
       "",
       "check deck.json --set 'diagnostics.lagrangian_radii.fractions=[0.5, 0.1, 0.5]'",
       65,
       {"diagnostics.lagrangian_radii", "asks twice for 'r_0.5'", "give each value once"}},
      {"a key of another code",
       "",
       "check deck.json --set integrator.dt=0.02",
       65,
       {"integrator.dt", "write \"time_step\": 0.02"}},
      {"a key of another code in no section",
       "",
       "check deck.json --set tmax=2",
       65,
       {"tmax", "write \"run\": {\"end_time\": 2}"}},
      {"a word for a section",
       "",
       "check deck.json --set units=solar",
       65,
       {"units", "write \"units\": {\"system\": \"solar\"}"}},
  });
  Scratch const scratch;
  auto const make =
      "cd '" + scratch.path().string() + "' && " + many("{", R"("\"key" i "\": 1")", "}", "100000");
  REQUIRE(std::system(make.c_str()) == 0);
  auto const keys = run_apsis_limited("check many.json", scratch, 2.0);
  CHECK(keys.in_time);
  CHECK(keys.status == 65);
  CHECK(std::count(keys.err.begin(), keys.err.end(), '\n') < 200);
}

TEST_CASE("hostile: directories") {
  check_hostile({
      {"no name", "", "run deck.json --output ''", 64, {"--output", "must not be empty"}},
      {"a log that was changed: one line, however many checkpoints relied on it",
       "'" + executable() +
           "' run deck.json --quiet --set output.checkpoint_interval=0.05 && "
           "echo 0 > deck.run/conservation.csv && rm deck.run/summary.json",
       "run deck.json --resume --set output.checkpoint_interval=0.05",
       65,
       {"conservation.csv: is shorter"}},
      {"a run whose files are all removed",
       "mkdir deck.run",
       "run deck.json --resume",
       74,
       {"deck.run"}},
      {"nothing to resume", "", "run deck.json --resume", 74, {"deck.run"}},
  });
}

TEST_CASE("hostile: surroundings") {
  for (auto const* wrong : {"garbage", "0", "-3", "100000", "''"}) {
    CAPTURE(wrong);
    check_hostile({{"a number of threads that is none",
                    "",
                    "run deck.json",
                    64,
                    {"KOKKOS_NUM_THREADS: wrong value in the environment", "or unset it"},
                    std::string("KOKKOS_NUM_THREADS=") + wrong}});
  }
  for (auto const* wrong : {"OMP_NUM_THREADS=abc", "OMP_NUM_THREADS=", "OMP_NUM_THREADS=0",
                            "OMP_NUM_THREADS=4,x", "OMP_NUM_THREADS=08", "OMP_NUM_THREADS=-1",
                            "OMP_THREAD_LIMIT=none", "OMP_PROC_BIND=perhaps", "OMP_DYNAMIC=maybe",
                            "OMP_STACKSIZE=big", "OMP_WAIT_POLICY=never"}) {
    CAPTURE(wrong);
    std::string const variable(wrong, std::string(wrong).find('='));
    if (!on_threads()) break;
    check_hostile({{"a variable of OpenMP that is no value of it",
                    "",
                    "run deck.json",
                    64,
                    {variable + ": wrong value in the environment", "or unset it"},
                    wrong}});
  }
  check_hostile({
      {"more threads than can be",
       "",
       "run deck.json",
       64,
       {"OMP_NUM_THREADS: wrong value in the environment"},
       "OMP_NUM_THREADS=100000"},
      {"no flag",
       "",
       "run deck.json",
       64,
       {"KOKKOS_PRINT_CONFIGURATION", "'maybe'"},
       "KOKKOS_PRINT_CONFIGURATION=maybe"},
      {"no device", "", "bench", 64, {"KOKKOS_DEVICE_ID"}, "KOKKOS_DEVICE_ID=none"},
      {"no such number of threads", "", "run deck.json --threads 0", 64, {"--threads"}},
  });
  if (!on_a_device()) return;
  check_hostile({{"a machine whose GPU is not to be seen",
                  "",
                  "run deck.json",
                  70,
                  {"device: no GPU can be used", "or use an executable for CPUs"},
                  "CUDA_VISIBLE_DEVICES= HIP_VISIBLE_DEVICES="}});
}
