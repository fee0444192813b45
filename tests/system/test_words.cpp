// SPDX-License-Identifier: Apache-2.0
#include "support/executable/hostile.hpp"

#include <algorithm>
#include <sstream>

using namespace apsis::testing;

/// Tests of command lines, environment variables and limits of the system: each error is one line
/// that says what is wrong.

TEST_CASE("hostile: limits of the system are not damage") {
  std::string const snapshot = "printf '1 0 0 0 0 0 0\\n' > a.txt && \"$APSIS\" convert a.txt s.h5";
  std::string const run =
      "\"$APSIS\" run deck.json --quiet --set output.checkpoint_interval=0.1 && rm "
      "deck.run/summary.json";
  // File descriptors left open by a test driver would leave none for the loader.
  std::string const four_files = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n 4;";
  check_hostile({
      {"four files", snapshot, "convert s.h5 q.txt", 70, {"ulimit -n"}, four_files},
      {"four files to draw", snapshot, "render s.h5", 70, {"ulimit -n"}, four_files},
  });
  {
    Scratch const scratch;
    scratch.write("deck.json", small);
    auto const make = "cd '" + scratch.path().string() + "' && APSIS='" + executable() + "' && " +
                      run +
                      " && for f in deck.run/checkpoint/generation_*; do truncate -s 100 $f; done "
                      "&& rm deck.run/checkpoint/manifest.json";
    REQUIRE(std::system(make.c_str()) == 0);
    auto const resumed =
        run_apsis("run deck.json --resume --set output.checkpoint_interval=0.1", scratch);
    check_errors(resumed, 65);
    CHECK(contains(resumed.err, "generation_000002.bin is damaged"));
    CHECK(resumed.err.find("before it had written one") == std::string::npos);
  }
  if (!on_threads() || is_sanitized) return;
  for (auto const* bytes : {"30000", "40000", "60000", "100000"}) {
    CAPTURE(bytes);
    Scratch const scratch;
    scratch.write("deck.json", small);
    auto const result =
        run_apsis("run deck.json", scratch, "ulimit -v " + std::string(bytes) + ";");
    // With too little memory to load the program, the system's loader reports the error (127).
    // Without a thread for the final snapshot, the final state is not written (74).
    bool const unwritten =
        result.status == 74 && contains(result.err, "the final state was not written");
    CHECK((result.status == 0 || result.status == 70 || result.status == 127 || unwritten));
    CHECK_FALSE(contains(result.err, "damaged"));
  }
}

TEST_CASE("hostile: launchers of several processes") {
  for (auto const* alone : {"SLURM_NTASKS=4", "SLURM_NTASKS=4 SLURM_PROCID=0",
                            "SLURM_NTASKS=4 SLURM_PROCID=0 SLURM_STEP_ID=4294967291",
                            "SLURM_NTASKS=4 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1"}) {
    CAPTURE(alone);
    check_hostile({{"a batch script", "", "run deck.json", 0, {}, alone}});
  }
  for (auto const* several :
       {"SLURM_NTASKS=4 SLURM_PROCID=2", "SLURM_NTASKS=4 SLURM_PROCID=0 SLURM_STEP_ID=0",
        "SLURM_NTASKS=4 SLURM_STEP_ID=3 SLURM_STEP_NUM_TASKS=4"}) {
    CAPTURE(several);
    check_hostile({{"one of four tasks",
                    "",
                    "run deck.json",
                    64,
                    {"one of 4 separate processes", "MPI", "SLURM_"},
                    several}});
    check_hostile({{"one of four tasks that only asks", "", "list", 0, {}, several}});
  }
}

TEST_CASE("hostile: options that have no effect") {
  std::string const file = "printf '1 0 0 0 0 0 0\\n' > a.txt";
  struct Row {
    char const* command;
    std::vector<std::string> words;
  };
  for (auto const& [command, words] : std::vector<Row>{
           {"bench --render --sweep", {"--sweep", "--render"}},
           {"bench --render --snapshots x", {"--snapshots", "--render"}},
           {"bench --render --kernel naive", {"--kernel", "--render"}},
           {"bench --render --precision single", {"--precision", "--render"}},
           {"bench --render --memory device", {"--memory", "--render"}},
           {"bench --render --solver direct", {"--solver", "--render"}},
           {"bench --render --strong", {"--render", "--strong"}},
           {"bench --strong --kernel naive", {"--kernel", "--strong"}},
           {"bench --weak --sweep", {"--sweep", "--weak"}},
           {"bench --solver fmm --kernel naive", {"--kernel", "--solver fmm"}},
           {"bench --solver fmm --render", {"--", "contradicts"}},
           {"bench --solver fmm --sweep", {"--sweep", "--solver fmm"}},
           {"bench --solver fmm --memory device", {"--memory", "--solver fmm"}},
           {"bench --solver fmm --predict 8", {"--predict", "--solver fmm"}},
           {"bench --accuracy 0.01", {"--accuracy", "--solver fmm"}},
           {"bench --share-gpus", {"--share-gpus", "--strong"}},
           {"bench --preset classroom --bodies 10", {"--preset", "--bodies"}},
           {"compare --accuracy 0.01", {"--accuracy", "--solver fmm"}},
           {"compare --solver fmm --kernel naive", {"--kernel", "--solver fmm"}},
           {"verify --share-gpus", {"--share-gpus", "several ranks"}},
           {"run deck.json --share-gpus", {"--share-gpus", "several ranks"}},
           {"run deck.json --allow-deck-change", {"--allow-deck-change", "--resume"}},
           {"run deck.json --resume --resume-if-possible", {"contradicts"}},
           {"run deck.json --resume-if-possible --force", {"contradicts --force"}},
           {"render a.txt --rate 10", {"--rate", "--film"}},
           {"convert a.txt b.h5 --ids", {"--ids", "tipsy and text"}},
           {"convert a.txt b.h5 --csv", {"--csv", "text"}},
           {"convert a.txt b.h5 --softening 0", {"--softening", "tipsy"}},
           {"convert a.txt b.h5 --no-pad", {"--no-pad", "tipsy"}},
           {"convert a.txt b.txt --little-endian --force", {"--little-endian", "tipsy"}},
           {"convert a.txt b.h5 --tipsy-ids automatic", {"--tipsy-ids", "tipsy"}},
           {"run deck.json --quiet=false", {"quiet"}}}) {
    CAPTURE(command);
    check_hostile({{"no effect", file, command, 64, words}});
  }
}

namespace {

/// Returns the options of a command that take a number, according to its help.
std::vector<std::string> numeric_options(std::string const& command, Scratch const& scratch) {
  std::vector<std::string> options;
  std::istringstream lines(run_apsis(command + " --help", scratch).out);
  for (std::string line; std::getline(lines, line);) {
    auto const begin = line.find("--");
    if (begin == std::string::npos || line.find_first_not_of(' ') != begin) continue;
    auto const name = line.substr(begin, line.find(' ', begin) - begin);
    auto const type = line.substr(begin + name.size(), 13);
    if (type.size() < 2 || type[1] == ' ') continue;  // a flag
    bool const number = type.rfind(" X", 0) == 0 || type.rfind(" EPS", 0) == 0 ||
                        type.rfind(" [PORT]", 0) == 0 || type.rfind(" N ", 0) == 0 ||
                        type.rfind(" N,", 0) == 0 || type.rfind(" N|", 0) == 0 ||
                        type.find(" from ") != std::string::npos;
    if (number) options.push_back(name);
  }
  return options;
}

}  // namespace

TEST_CASE("hostile: numbers on the command line") {
  struct Row {
    char const *command, *operands;
  };
  std::vector<Row> rows{{"run", "deck.json"},        {"render", "a.txt --film a.gif"},
                        {"convert", "a.txt a.bin"},  {"verify", ""},
                        {"compare", "--solver fmm"}, {"bench", "--solver fmm"},
                        {"bench", "--strong"}};
  Scratch const scratch;
  scratch.write("deck.json", small);
  scratch.write("a.txt", "1 0 0 0 0 0 0\n");
  if (!run_apsis("view --help", scratch).out.empty()) {
    rows.push_back({"view", "a.txt"});
    rows.push_back({"demo", ""});
  }
  std::size_t options = 0;
  for (auto const& [command, operands] : rows) {
    for (auto const& option : numeric_options(command, scratch)) {
      if (option == "--predict" && contains(operands, "fmm")) continue;
      if (option == "--accuracy" && !contains(operands, "fmm")) continue;
      ++options;
      for (auto const* word : {"010", "0x10", "1,,5", "1_0", "+1", "' 1'", "1e", "''"}) {
        auto const words = std::string(command) + " " + operands + " " + option + " " + word;
        CAPTURE(words);
        auto const result = run_apsis(words, scratch);
        check_errors(result, 64);
        if (option != "--view") CHECK(contains(result.err, option));
      }
      for (auto const* word : {"=", "=true"}) {
        auto const words = std::string(command) + " " + operands + " " + option + word;
        CAPTURE(words);
        auto const result = run_apsis(words, scratch);
        check_errors(result, 64);
      }
    }
  }
  CHECK(options >= 15);
  for (auto const* words : {"compare --bodies 010",
                            "compare --bodies 1,5",
                            "bench --bodies 010",
                            "bench --bodies 1:08:2",
                            "bench --bodies 1:8:+2",
                            "bench --bodies 1:8:0x2",
                            "compare --precision ''",
                            "compare --precision single,",
                            "compare --kernel=",
                            "run deck.json --output=",
                            "run deck.json --view=",
                            "run deck.json --view true",
                            "run deck.json --view ''",
                            "run ''",
                            "render ''",
                            "convert a.txt ''",
                            "check deck.json --set ''",
                            "check deck.json --set run.steps=",
                            "check deck.json --set 'bodies.list[00].mass=1'",
                            "verify --problem=",
                            "list generators ''"}) {
    CAPTURE(words);
    check_errors(run_apsis(words, scratch), 64);
  }
  for (auto const* value : {"010", "0x10", "1,5", "1_0", "+1", "' 1'", "'1 '", "true", "1e", ".5",
                            "5.", "NaN", "Infinity", "'\"5\"'"}) {
    CAPTURE(value);
    check_errors(run_apsis("check deck.json --set run.steps=" + std::string(value), scratch), 65);
    check_errors(
        run_apsis("check deck.json --set gravity.softening=" + std::string(value), scratch), 65);
  }
}

TEST_CASE("hostile: words of a user in what is printed") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  scratch.write("a.txt", "1 0 0 0 0 0 0\n");
  std::string const longest(5000, 'x');
  for (auto const& words : {longest,
                            "run " + longest,
                            "run deck.json --" + longest,
                            "run deck.json --threads " + longest,
                            "check deck.json --set " + longest,
                            "check deck.json --set " + longest + "=1",
                            "check deck.json --set run.steps=" + longest,
                            "list " + longest,
                            "help " + longest,
                            "help deck " + longest,
                            "list generators " + longest,
                            "compare --precision " + longest,
                            "bench --kernel " + longest,
                            "bench --bodies " + longest,
                            "verify --problem " + longest,
                            "convert a.txt b." + longest,
                            "convert " + longest + ".txt b.h5",
                            "render " + longest,
                            "convert a.txt b.h5 --from " + longest,
                            "run deck.json --output " + longest,
                            "bench --preset '" + longest + " " + longest + "'"}) {
    auto const shown = words.substr(0, 60);
    CAPTURE(shown);
    auto const result = run_apsis(words, scratch);
    CHECK(result.status >= 64);
    CHECK(result.err.rfind("apsis: error: ", 0) == 0);
    CHECK(result.err.size() < 2500);
    CHECK_FALSE(contains(result.err, std::string(600, 'x')));
  }
  // Control characters: ESC, a C1 control, a line end, a right-to-left override.
  std::string const hostile =
      "a\x1b[2Jb\xc2\x9b"
      "31mc\nd\xe2\x80\xae";
  auto const quoted = "'" + hostile + "'";
  for (auto const& words :
       {"run deck.json --output " + quoted, "run " + quoted + " --resume", "run nowhere" + quoted,
        "check " + quoted, "render a.txt --output " + quoted, "convert a.txt " + quoted + ".h5",
        "list " + quoted, "help deck " + quoted, "run deck.json --set " + quoted + "=1", quoted,
        "convert " + quoted + ".h5 q.txt", "render " + quoted + ".h5 --output " + quoted + "2",
        "bench --kernel " + quoted}) {
    CAPTURE(words);
    auto const result = run_apsis(words, scratch);
    for (auto const* bad : {"\x1b", "\xc2\x9b", "\xe2\x80\xae", "c\nd"}) {
      CHECK_FALSE(contains(result.out, bad));
      CHECK_FALSE(contains(result.err, bad));
    }
  }
}
