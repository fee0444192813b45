// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "run/directory/set_aside.hpp"
#include "support/contains.hpp"
#include "support/problems.hpp"
#include "support/scratch.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <map>

using apsis::run::SetAside;
using apsis::testing::contains;
using apsis::testing::content;
using apsis::testing::file_refusal;
using apsis::testing::Scratch;

namespace {

namespace fs = std::filesystem;
namespace files = apsis::files;
using Files = std::map<std::string, std::string>;

/// Returns all files below the directory except records; links by their targets.
Files files_in(Scratch const& scratch) {
  Files files;
  for (auto const& entry : fs::recursive_directory_iterator(scratch.path())) {
    auto const name = entry.path().lexically_relative(scratch.path()).string();
    if (entry.is_symlink()) {
      files[name] = "-> " + fs::read_symlink(entry.path()).string();
    } else if (entry.is_regular_file() && entry.path().filename() != files::Folder::record_name) {
      files[name] = content(entry.path());
    }
  }
  return files;
}

std::shared_ptr<files::Folder> folder_of(fs::path const& path) {
  return std::make_shared<files::Folder>(path, open(path.c_str(), O_RDONLY | O_DIRECTORY));
}

void write_run(std::shared_ptr<files::Folder> const& folder, Files const& files) {
  folder->make_subdirectory("checkpoint");
  for (auto const& [name, text] : files) files::write_file(files::Place(folder, name), text);
}

Files const old_run{{"deck", "old"}, {"log", "old"}, {"checkpoint/generation", "old"}};

}  // namespace

TEST_CASE("a run that was set aside is restored, and the run in its place is removed") {
  Scratch const scratch;
  auto const folder = folder_of(scratch.path());
  SetAside replaced(folder);
  write_run(folder, old_run);
  replaced.move_aside();
  CHECK(replaced.holds());
  CHECK_FALSE(fs::exists(scratch / "log"));
  CHECK_FALSE(fs::exists(scratch / "checkpoint"));
  write_run(folder, {{"log", "new"}});
  replaced.restore();
  CHECK(files_in(scratch) == old_run);
  CHECK_FALSE(replaced.holds());
  CHECK(folder->own_files().size() == 3);
  replaced.move_aside();
  write_run(folder, {{"log", "new"}});
  replaced.remove();
  CHECK(files_in(scratch) == Files{{"log", "new"}});
}

TEST_CASE("the next process completes a move or removal that was interrupted") {
  Scratch const scratch;
  write_run(folder_of(scratch.path()), old_run);
  auto const record = files::Folder::record_name;
  auto const next = [&] { return SetAside(folder_of(scratch.path())); };
  // No file was moved yet; then the record; then some of the files.
  fs::create_directories(scratch / ".replaced.moving");
  next().restore();
  CHECK(files_in(scratch) == old_run);
  fs::rename(scratch / record, scratch / ".replaced.moving" / record);
  CHECK(next().holds());
  next().restore();
  CHECK(files_in(scratch) == old_run);
  fs::create_directories(scratch / ".replaced.moving/checkpoint");
  fs::rename(scratch / record, scratch / ".replaced.moving" / record);
  fs::rename(scratch / "checkpoint/generation", scratch / ".replaced.moving/checkpoint/generation");
  CHECK(next().holds());
  next().restore();
  CHECK(files_in(scratch) == old_run);
  CHECK_FALSE(fs::exists(scratch / ".replaced.moving"));
  // A run that was replaced is not restored, however many of its files still exist.
  fs::create_directories(scratch / ".replaced.gone");
  fs::copy_file(scratch / record, scratch / ".replaced.gone" / record);
  scratch.write(".replaced.gone/log", "older");
  CHECK_FALSE(next().holds());
  next().restore();
  CHECK(files_in(scratch) == old_run);
  CHECK_FALSE(fs::exists(scratch / ".replaced.gone"));
}

TEST_CASE("promise: directories and links of these names that are not from a run are left alone") {
  for (std::string const name : {".replaced", ".replaced.moving", ".replaced.gone"}) {
    CAPTURE(name);
    Scratch const scratch, other;
    other.write("precious", "mine");
    auto const folder = folder_of(scratch.path());
    write_run(folder, old_run);
    SetAside replaced(folder);
    for (bool const linked : {false, true}) {
      CAPTURE(linked);
      fs::remove_all(scratch / name);
      if (linked) {
        fs::create_directory_symlink(other.path(), scratch / name);
      } else {
        fs::create_directory(scratch / name);
        scratch.write(name + "/precious", "mine");
      }
      auto const before = files_in(scratch);
      CHECK_FALSE(replaced.holds());
      replaced.restore();
      replaced.remove();
      CHECK(contains(file_refusal([&] { replaced.move_aside(); }),
                     name + ": is not a run that Apsis set aside"));
      CHECK(files_in(scratch) == before);
      CHECK(content(other / "precious") == "mine");
    }
  }
}

TEST_CASE("promise: files of the user among the files that are set aside are never removed") {
  Scratch const scratch;
  auto const folder = folder_of(scratch.path());
  SetAside replaced(folder);
  write_run(folder, old_run);
  scratch.write("checkpoint/notes", "mine");
  replaced.move_aside();
  CHECK(content(scratch / "checkpoint/notes") == "mine");
  scratch.write(".replaced/letter", "mine too");
  replaced.remove();
  CHECK(files_in(scratch) ==
        Files{{"checkpoint/notes", "mine"}, {".replaced.gone/letter", "mine too"}});
}

TEST_CASE("a folder owns the regular files that its record lists, and nothing else") {
  Scratch const scratch, other;
  auto const folder = folder_of(scratch.path());
  write_run(folder, old_run);
  scratch.write("strange", "mine");
  CHECK(folder->owns("log"));
  CHECK_FALSE(folder->owns("strange"));
  CHECK(contains(file_refusal([&] { folder->claim("strange"); }),
                 "strange: exists (it is not a file"));
  fs::rename(scratch / "log", other / "log");
  fs::create_symlink(other / "log", scratch / "log");
  CHECK_FALSE(folder->owns("log"));
  CHECK(contains(file_refusal([&] { folder->claim("log"); }), "log: is a symbolic link"));
  fs::rename(scratch / "checkpoint", other / "checkpoint");
  fs::create_directory_symlink(other / "checkpoint", scratch / "checkpoint");
  CHECK_FALSE(folder->owns("checkpoint/generation"));
  CHECK(contains(file_refusal([&] { folder->claim("checkpoint/new"); }),
                 "checkpoint: is a symbolic link"));
  folder->remove_own();
  CHECK(content(other / "log") == "old");
  CHECK(content(other / "checkpoint/generation") == "old");
  CHECK(content(scratch / "strange") == "mine");
  // A file of the user with the name of the record is not taken for one; a partly written record
  // is.
  for (std::string const text : {"apsis files 2 0123456789abcdef\nstrange\n", "my own list\n"}) {
    scratch.write(files::Folder::record_name, text);
    auto const again = folder_of(scratch.path());
    CHECK(again->own_files().empty());
    CHECK(contains(file_refusal([&] { again->claim("new"); }), "is not a record of Apsis"));
  }
  for (std::string const text : {"", "apsis", "apsis files 1 01234567", "apsis files 1 "}) {
    scratch.write(files::Folder::record_name, text);
    folder_of(scratch.path())->claim("new");
  }
  // Names that lead outside the folder are ignored.
  scratch.write(files::Folder::record_name,
                "apsis files 1 0123456789abcdef\n../" + other.path().filename().string() +
                    "/log\n" + (other / "log").string() + "\nstrange\n./strange\n");
  auto const forged = folder_of(scratch.path());
  CHECK(forged->own_files() == std::vector<fs::path>{"strange"});
}

TEST_CASE("promise: files stay in their folder when its path names another directory") {
  Scratch const scratch;
  fs::create_directory(scratch / "run");
  auto const folder = folder_of(scratch / "run");
  write_run(folder, {{"log", "1"}});
  files::LineFile table(files::Place(folder, "table"));
  table.write("one");
  fs::rename(scratch / "run", scratch / "moved");
  fs::create_directories(scratch / "run/checkpoint");
  CHECK_FALSE(folder->is_at_path());
  files::write_file(files::Place(folder, "log"), "2");
  files::write_file(files::Place(folder, "checkpoint/generation"), "2");
  table.write("two");
  table.close();
  folder->remove("log");
  CHECK(files_in(scratch) ==
        Files{{"moved/checkpoint/generation", "2"}, {"moved/table", "one\ntwo\n"}});
}
