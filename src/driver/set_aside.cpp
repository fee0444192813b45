// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/driver/set_aside.hpp>
#include <apsis/io/file.hpp>

#include <system_error>

namespace apsis::driver {

namespace fs = std::filesystem;

namespace {

constexpr char const* moving = ".replaced.moving";
constexpr char const* aside = ".replaced";
constexpr char const* gone = ".replaced.gone";

[[noreturn]] void failed(fs::path const& path, std::string const& what,
                         std::error_code const& error) {
  throw Error(ExitStatus::input_output,
              Problem{path.string(), what, error.message(), "check its permissions"});
}

bool is_there(fs::path const& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

void move_to(fs::path const& from, fs::path const& to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (!error) fs::rename(from, to, error);
  if (error) failed(from, "cannot be moved", error);
}

void remove_whole(fs::path const& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) failed(path, "cannot be removed", error);
}

/// Files below a directory, by their paths from there.
std::vector<fs::path> files_below(fs::path const& directory) {
  std::vector<fs::path> all;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    if (!fs::is_directory(at->symlink_status())) {
      all.push_back(at->path().lexically_relative(directory));
    }
  }
  if (error) failed(directory, "cannot be read", error);
  return all;
}

}  // namespace

bool SetAside::holds() const {
  return is_there(at(aside)) || is_there(at(moving));
}

void SetAside::put(std::vector<fs::path> const& files) const {
  if (files.empty()) return;
  move_to(files.front(), at(moving) / files.front().lexically_relative(directory_));
  // Before any other is out of its place the directory that says so must be there for good.
  io::sync_directory(directory_);
  for (auto file = files.begin() + 1; file != files.end(); ++file) {
    move_to(*file, at(moving) / file->lexically_relative(directory_));
  }
  io::sync_directory(at(moving));
  move_to(at(moving), at(aside));
  io::sync_directory(directory_);
}

void SetAside::move_back() const {
  for (auto const& file : files_below(at(moving))) {
    move_to(at(moving) / file, directory_ / file);
  }
  io::sync_directory(directory_);
  remove_whole(at(moving));
}

void SetAside::give_back(std::vector<fs::path> const& begun) const {
  if (is_there(at(gone))) remove_whole(at(gone));
  if (is_there(at(aside))) {
    for (auto const& file : begun) remove_whole(file);
    io::sync_directory(directory_);
    move_to(at(aside), at(moving));
  }
  if (is_there(at(moving))) move_back();
}

void SetAside::remove() const {
  if (is_there(at(aside))) move_to(at(aside), at(gone));
  if (is_there(at(gone))) remove_whole(at(gone));
}

}  // namespace apsis::driver
