// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "support/contains.hpp"
#include "support/problems.hpp"
#include "support/scratch.hpp"
#include <apsis/core/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <vector>

using namespace apsis;
using apsis::testing::contains;
using apsis::testing::content;
using apsis::testing::file_refusal;
using apsis::testing::Scratch;

namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(fs::path const& directory) {
  std::vector<std::string> names;
  for (auto const& entry : fs::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void write_whole(fs::path const& path, std::string const& text,
                 files::Overwrite overwrite = files::Overwrite::yes) {
  files::replace_file(
      path,
      [&](files::OutputFile& file) {
        file.write(text);
        file.sync();
      },
      overwrite);
}

}  // namespace

TEST_CASE("promise: only a regular file is ever replaced, and no other file is changed") {
  Scratch const scratch;
  scratch.write("precious", "mine");
  scratch.write("out.tmp", "mine too");
  fs::create_symlink("precious", scratch / "link");
  fs::create_symlink("nowhere", scratch / "dangling");
  fs::create_directory(scratch / "directory");
  REQUIRE(mkfifo((scratch / "pipe").c_str(), 0666) == 0);
  int const socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  auto const place = (scratch / "socket").string();
  REQUIRE(place.size() < sizeof address.sun_path);
  std::copy(place.begin(), place.end(), address.sun_path);
  REQUIRE(bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  auto const before = names_in(scratch.path());
  struct {
    char const *name, *problem;
  } const cases[]{{"link", "is a symbolic link"},
                  {"dangling", "is a symbolic link"},
                  {"directory", "is a directory"},
                  {"pipe", "is a named pipe"},
                  {"socket", "is a socket"}};
  for (auto const& [name, problem] : cases) {
    CAPTURE(name);
    CHECK(contains(file_refusal([&, file = name] { write_whole(scratch / file, "x"); }), problem));
  }
  CHECK(
      contains(file_refusal([&] { write_whole(scratch / "directory/", "x"); }), "is a directory"));
  CHECK(contains(file_refusal([] { write_whole("/dev/null", "x"); }), "is a device"));
  for (auto const* name : {"link", "dangling", "directory", "socket"}) {
    CAPTURE(name);
    CHECK(contains(file_refusal([&] { files::write_file(scratch / name, "x"); }), "is a "));
    CHECK(contains(file_refusal([&] { files::LineFile(scratch / name); }), name));
  }
  ::close(socket);
  CHECK(names_in(scratch.path()) == before);
  write_whole(scratch / "out", "new");
  CHECK(content(scratch / "out") == "new");
  CHECK(content(scratch / "out.tmp") == "mine too");
  CHECK(content(scratch / "precious") == "mine");
  CHECK(names_in(scratch.path()).size() == before.size() + 1);
  // A name of the maximum length can be replaced, too.
  write_whole(scratch / std::string(255, 'n'), "long");
}

TEST_CASE("text is written directly to pipes, devices and descriptors") {
  Scratch const scratch;
  REQUIRE(mkfifo((scratch / "pipe").c_str(), 0666) == 0);
  fs::create_symlink("pipe", scratch / "link to pipe");
  for (auto const* name : {"pipe", "link to pipe"}) {
    std::string received;
    std::thread reader([&] { received = content(scratch / "pipe"); });
    files::write_file(scratch / name, "text");
    reader.join();
    CHECK(received == "text");
  }
  files::write_file("/dev/null", "text");
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(contains(file_refusal([] { files::write_file("/dev/full", "text"); }), "No space left"));
  std::FILE* const file = std::fopen((scratch / "file").c_str(), "w");
  auto const number = std::to_string(fileno(file));
  files::write_file("/dev/fd/" + number, "one");
  files::write_file("/proc/self/fd/" + number, "two");
  std::fclose(file);
  CHECK(content(scratch / "file") == "onetwo");
  CHECK(
      contains(file_refusal([] { files::write_file("/dev/fd/987", "x"); }), "Bad file descriptor"));
}

TEST_CASE("temporary files are removed after a failure, and errors name the file") {
  Scratch const scratch;
  scratch.write("out", "old");
  auto const message = file_refusal([&] {
    files::replace_file(scratch / "out", [](files::OutputFile& file) {
      file.write("half");
      file.fail("cannot be made", "a test");
    });
  });
  CHECK(contains(message, "out: cannot be made (a test)"));
  CHECK(names_in(scratch.path()) == std::vector<std::string>{"out"});
  CHECK(content(scratch / "out") == "old");
  CHECK(contains(file_refusal([&] { write_whole(scratch / "out", "x", files::Overwrite::no); }),
                 "out: exists (it would be overwritten)"));
  // The file may appear while the new one is written.
  CHECK(contains(file_refusal([&] {
                   files::replace_file(
                       scratch / "late",
                       [&](files::OutputFile& file) {
                         file.write("ours");
                         scratch.write("late", "theirs");
                       },
                       files::Overwrite::no);
                 }),
                 "late: exists"));
  CHECK(content(scratch / "late") == "theirs");
  write_whole(scratch / "new", "x", files::Overwrite::no);
  CHECK(names_in(scratch.path()) == std::vector<std::string>{"late", "new", "out"});
}

TEST_CASE("promise: two concurrent writers of one file leave the complete file of one of them") {
  Scratch const scratch;
  std::string const texts[]{std::string(20000, 'a'), std::string(30000, 'b')};
  auto const write = [&](std::string const& text) {
    for (int i = 0; i < 40; ++i) write_whole(scratch / "out", text);
  };
  std::thread other([&] { write(texts[0]); });
  write(texts[1]);
  other.join();
  auto const result = content(scratch / "out");
  bool const is_complete = result == texts[0] || result == texts[1];
  CHECK(is_complete);
  CHECK(names_in(scratch.path()) == std::vector<std::string>{"out"});
}

TEST_CASE("a table that another process changes is detected before the next line") {
  Scratch const scratch;
  auto const path = scratch / "table.csv";
  for (auto const* text : {"a line of another\n", "x"}) {
    files::LineFile table(path);
    table.write("ours");
    std::ofstream(path, std::ios::app) << text;
    CHECK(contains(file_refusal([&] { table.write("next"); }),
                   "was changed during the run (it has "));
    CHECK(contains(file_refusal([&] { table.close(); }), "was changed during the run"));
    CHECK(content(path) == std::string("ours\n") + text);
  }
  files::LineFile table(path);
  table.write("ours");
  fs::resize_file(path, 2);
  CHECK(contains(file_refusal([&] { table.write("next"); }), "was changed during the run"));
  fs::rename(path, scratch / "moved");
  CHECK(contains(file_refusal([&] { table.write("next"); }), "was removed during the run"));
  fs::create_symlink("moved", path);
  CHECK(contains(file_refusal([&] { table.write("next"); }), "was replaced during the run"));
}
