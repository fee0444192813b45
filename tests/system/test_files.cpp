// SPDX-License-Identifier: Apache-2.0
#include "support/executable/background.hpp"

#include <algorithm>
#include <fcntl.h>
#include <map>
#include <sys/stat.h>
#include <sys/sysmacros.h>

using namespace apsis::testing;

namespace {

namespace fs = std::filesystem;

std::string const bodies = "1 0 0 0 0 0 0\n1 1 0 0 0 1 0\n";

std::vector<std::string> temporaries_in(fs::path const& directory) {
  std::vector<std::string> names;
  for (auto const& entry : fs::directory_iterator(directory)) {
    auto const name = entry.path().filename().string();
    if (name.ends_with(".tmp")) names.push_back(name);
  }
  return names;
}

/// Commands that write one file; its name is the last word, except for `after`.
struct Writer {
  std::string command, file, after{};
};

std::vector<Writer> writers() {
  return {{"convert a.txt ", "o.h5"},
          {"convert a.txt ", "o.bin"},
          {"convert a.txt ", "o.txt"},
          {"compare --bodies 64 --precision double --json ", "o.json"},
          {"render a.txt --quiet --set width=64 --set height=64 --set name=o", "o.png"}};
}

std::string command_of(Writer const& writer) {
  bool const named = writer.command.ends_with(' ');
  return writer.command + (named ? writer.file : "");
}

}  // namespace

TEST_CASE("promise: a command touches no file except the one that it writes") {
  Scratch const scratch;
  scratch.write("a.txt", bodies);
  for (auto const& writer : writers()) {
    CAPTURE(writer.command);
    CAPTURE(writer.file);
    // A file of the user, and a link to one, with the names that a temporary file could have.
    scratch.write("precious", "mine");
    for (bool const linked : {false, true}) {
      auto const beside = scratch / (writer.file + ".tmp");
      fs::remove(beside);
      fs::remove(scratch / writer.file);
      if (linked) {
        fs::create_symlink("precious", beside);
      } else {
        scratch.write(writer.file + ".tmp", "mine");
      }
      CHECK(run_apsis(command_of(writer), scratch).status == 0);
      CHECK(fs::is_regular_file(scratch / writer.file));
      CHECK(content(beside) == "mine");
      CHECK(content(scratch / "precious") == "mine");
      fs::remove(beside);
    }
    // The output file itself is a link.
    fs::remove(scratch / writer.file);
    fs::create_symlink("precious", scratch / writer.file);
    auto const linked = run_apsis(command_of(writer), scratch);
    check_errors(linked, 74);
    CHECK(contains(linked.err, writer.file + ": is a symbolic link"));
    CHECK(content(scratch / "precious") == "mine");
    fs::remove(scratch / writer.file);
    CHECK(temporaries_in(scratch.path()).empty());
  }
}

TEST_CASE("promise: a device or a pipe is never replaced by a file") {
  Scratch const scratch;
  scratch.write("a.txt", bodies);
  REQUIRE(mkfifo((scratch / "pipe").c_str(), 0666) == 0);
  for (auto const* force : {"", " --force"}) {
    auto const refused = run_apsis("convert a.txt pipe --to hdf5" + std::string(force), scratch);
    check_errors(refused, 74);
    CHECK(contains(refused.err, "pipe: is a named pipe"));
    CHECK(fs::is_fifo(scratch / "pipe"));
  }
  // If run by root, the test makes a device of its own, not to endanger the machine's /dev/null.
  if (mknod((scratch / "null").c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0) {
    check_errors(run_apsis("convert a.txt null --to hdf5 --force", scratch), 74);
    CHECK(fs::is_character_file(scratch / "null"));
    int const opened = open((scratch / "null").c_str(), O_WRONLY | O_CLOEXEC);
    if (opened >= 0) {  // false on a file system without devices
      close(opened);
      CHECK(run_apsis("convert a.txt null --to text", scratch).status == 0);
      CHECK(fs::is_character_file(scratch / "null"));
    }
  }
  // Output that can be written as a stream is written.
  CHECK(contains(run_apsis("convert a.txt /dev/stdout --to text", scratch).out, "1 1 0 0 0 1 0"));
  check_errors(run_apsis("convert a.txt /dev/stdout --to hdf5", scratch), 74);
  CHECK(fs::exists("/dev/stdout"));
}

TEST_CASE("promise: a file that may not grow is status 74 and leaves no file, for every command") {
  Scratch const scratch;
  std::string many;
  for (int i = 0; i < 200; ++i) many += "1 " + std::to_string(i) + " 0 0 0 0 0\n";
  scratch.write("a.txt", many);
  auto all_writers = writers();
  all_writers.push_back({"verify --quick --problem two_body_orbit --json ", "o.json"});
  for (auto const& writer : all_writers) {
    CAPTURE(writer.command);
    CAPTURE(writer.file);
    scratch.write("limited.sh", "ulimit -f 0; exec '" + executable() + "' " + command_of(writer) +
                                    " 2>&1 >/dev/null");
    std::string const shell =
        "cd '" + scratch.path().string() + "' && bash -o pipefail -c 'bash limited.sh | cat >said'";
    int const raw = std::system(shell.c_str());
    auto const messages = content(scratch / "said");
    CAPTURE(messages);
    CHECK(WIFEXITED(raw));
    CHECK(WEXITSTATUS(raw) == 74);
    CHECK(contains(messages, "apsis: error: "));
    CHECK(contains(messages, "File too large"));
    CHECK_FALSE(fs::exists(scratch / writer.file));
    CHECK(temporaries_in(scratch.path()).empty());
  }
}

TEST_CASE("promise: a suggested command names the directory, whatever its name is") {
  for (std::string const name :
       {"$(touch P)", "`touch P`", "a\"b", "a'b", "-x", "a b", "a\nb", "a;touch P", "\xc3\xa4"}) {
    CAPTURE(name);
    Scratch const scratch;
    scratch.write("deck.json", resumed_deck);
    fs::create_directory(scratch / name);
    fs::rename(scratch / "deck.json", scratch / name / "deck.json");
    // The value of the option is one word, which no shell parses.
    std::string quoted;
    for (char const letter : name) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
    auto const cut = run_apsis("run './" + quoted + "/deck.json' --quiet '--output=" + quoted +
                                   "' --set run.max_wall_time=1e-9",
                               scratch);
    check_errors(cut, 75);
    auto const begin = cut.err.find("apsis run "), end = cut.err.rfind(" --resume");
    REQUIRE(begin != std::string::npos);
    REQUIRE(end != std::string::npos);
    auto const arguments = cut.err.substr(begin + 6, end - begin - 6);
    scratch.write("paste.sh", "'" + executable() + "' " + arguments +
                                  " --resume --quiet --allow-deck-change "
                                  "--set run.max_wall_time=null\n");
    CHECK(std::system(("cd '" + scratch.path().string() + "' && bash paste.sh").c_str()) == 0);
    CHECK(summary_of(scratch / name)["steps"] == 40);
    CHECK_FALSE(fs::exists(scratch / "P"));
    // The quoted command as a whole must not run anything either.
    auto const whole = cut.err.substr(cut.err.find("go on with ") + 11);
    scratch.write("paste.sh", whole);
    std::ignore =
        std::system(("cd '" + scratch.path().string() + "' && bash paste.sh 2>/dev/null").c_str());
    CHECK_FALSE(fs::exists(scratch / "P"));
  }
}
