// SPDX-License-Identifier: Apache-2.0
#include "support/scratch.hpp"
#include <apsis/driver/set_aside.hpp>

#include <doctest/doctest.h>

#include <map>

using apsis::driver::SetAside;
using apsis::testing::content;
using apsis::testing::Scratch;

namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

Files files_in(Scratch const& scratch) {
  Files all;
  for (auto const& entry : fs::recursive_directory_iterator(scratch.path())) {
    if (!entry.is_regular_file()) continue;
    all[entry.path().lexically_relative(scratch.path()).string()] = content(entry.path());
  }
  return all;
}

Files const old_run{{"deck", "old"}, {"log", "old"}, {"checkpoint/generation", "old"}};

std::vector<fs::path> write_old_run(Scratch const& scratch) {
  std::vector<fs::path> files;
  fs::create_directories(scratch / "checkpoint");
  for (auto const& [name, text] : old_run) files.emplace_back(scratch.write(name, text));
  return files;
}

}  // namespace

TEST_CASE("what was set aside comes back, and what was begun in its place is gone") {
  Scratch const scratch;
  SetAside const replaced(scratch.path());
  replaced.put(write_old_run(scratch));
  CHECK(replaced.holds());
  CHECK_FALSE(fs::exists(scratch / "log"));
  scratch.write("log", "new");
  replaced.give_back({scratch / "log"});
  CHECK(files_in(scratch) == old_run);
  CHECK_FALSE(replaced.holds());
  replaced.put({scratch / "deck", scratch / "log", scratch / "checkpoint/generation"});
  scratch.write("log", "new");
  replaced.remove();
  CHECK(files_in(scratch) == Files{{"log", "new"}});
}

TEST_CASE(
    "a process that ends while it moves or removes files leaves what the next one completes") {
  Scratch const scratch;
  SetAside const replaced(scratch.path());
  write_old_run(scratch);
  // Some are out of their place: those that are not are of the same run.
  fs::create_directories(scratch / ".replaced.moving/checkpoint");
  fs::rename(scratch / "checkpoint/generation", scratch / ".replaced.moving/checkpoint/generation");
  CHECK(replaced.holds());
  replaced.give_back({scratch / "deck", scratch / "log"});
  CHECK(files_in(scratch) == old_run);
  // A run that was replaced for good is not given back, however much of it there still is.
  fs::create_directories(scratch / ".replaced.gone");
  scratch.write(".replaced.gone/log", "older");
  CHECK_FALSE(replaced.holds());
  replaced.give_back({scratch / "deck", scratch / "log"});
  CHECK(files_in(scratch) == old_run);
}
