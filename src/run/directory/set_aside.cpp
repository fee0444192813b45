// SPDX-License-Identifier: Apache-2.0
#include "run/directory/set_aside.hpp"

#include "files/system_calls.hpp"
#include <apsis/core/error.hpp>

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace apsis::run {

namespace fs = std::filesystem;

namespace {

constexpr char const* moving = ".replaced.moving";
constexpr char const* aside = ".replaced";
constexpr char const* gone = ".replaced.gone";

[[noreturn]] void fail_aside(fs::path const& path, std::string const& problem, int code,
                             std::string const& advice = "check its permissions") {
  throw Error(ExitStatus::input_output,
              Problem{path.string(), problem, code != 0 ? std::strerror(code) : "", advice});
}

std::unique_ptr<files::Folder> open_subdirectory(files::Folder const& folder, char const* name) {
  int const descriptor = files::uninterrupted([&] {
    return ::openat(folder.descriptor(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  });
  if (descriptor < 0) fail_aside(folder.path() / name, "cannot be opened", errno);
  return std::make_unique<files::Folder>(folder.path() / name, descriptor);
}

/// Moves a file between folders. The target must not exist, because a rename would replace it.
void move_file(files::Folder const& source, files::Folder const& target, fs::path const& name) {
  if (name.has_parent_path()) target.make_subdirectory(name.parent_path());
  auto const source_parent = source.parent_of(name), target_parent = target.parent_of(name);
  auto const file = name.filename();
  if (files::entry_kind(target_parent.descriptor(), file) != files::EntryKind::absent) {
    fail_aside(target.path() / name, "is in the way of a file that was set aside", 0,
               "move it away");
  }
  if (::renameat(source_parent.descriptor(), file.c_str(), target_parent.descriptor(),
                 file.c_str()) != 0) {
    fail_aside(source.path() / name, "cannot be moved", errno);
  }
}

std::set<fs::path> subdirectories_of(std::vector<fs::path> const& files) {
  std::set<fs::path> subdirectories;
  for (auto const& file : files) {
    if (file.has_parent_path()) subdirectories.insert(file.parent_path());
  }
  return subdirectories;
}

void sync_folder(files::Folder const& folder, std::set<fs::path> const& subdirectories) {
  for (auto const& name : subdirectories) {
    if (files::entry_kind(folder.descriptor(), name) != files::EntryKind::directory) continue;
    files::OpenDirectory::below(folder.descriptor(), name, folder.path() / name)
        .sync(folder.path() / name);
  }
  files::OpenDirectory(folder.descriptor()).sync(folder.path());
}

/// Removes a subdirectory if it is empty; other files in it belong to the user.
void remove_if_empty(files::Folder const& folder, fs::path const& name) {
  ::unlinkat(folder.descriptor(), name.c_str(), AT_REMOVEDIR);
}

void rename_subdirectory(files::Folder const& folder, char const* old_name, char const* new_name) {
  // A rename replaces an empty directory of the new name.
  if (::renameat(folder.descriptor(), old_name, folder.descriptor(), new_name) != 0) {
    fail_aside(folder.path() / old_name, "cannot be moved", errno);
  }
  files::OpenDirectory(folder.descriptor()).sync(folder.path());
}

}  // namespace

std::unique_ptr<files::Folder> SetAside::open(char const* name) const {
  if (files::entry_kind(folder_->descriptor(), name) != files::EntryKind::directory) return nullptr;
  auto opened = open_subdirectory(*folder_, name);
  return opened->has_record() ? std::move(opened) : nullptr;
}

bool SetAside::may_hold(fs::path const& directory) {
  std::error_code ignored;
  for (auto const* name : {moving, aside}) {
    if (fs::exists(fs::symlink_status(directory / name, ignored))) return true;
  }
  return false;
}

bool SetAside::holds() const {
  return open(aside) != nullptr || open(moving) != nullptr;
}

void SetAside::move_aside() {
  if (!folder_->has_record()) return;
  remove_if_empty(*folder_, moving);  // left by a process that was killed before it moved a file
  for (auto const* name : {moving, aside, gone}) {
    if (files::entry_kind(folder_->descriptor(), name) == files::EntryKind::absent) continue;
    fail_aside(folder_->path() / name, "is not a run that Apsis set aside", 0,
               "move it away, or choose another directory with --output");
  }
  folder_->remove_temporaries();
  auto const files = folder_->own_files();
  auto const subdirectories = subdirectories_of(files);
  folder_->make_subdirectory(moving);
  auto const opened = open_subdirectory(*folder_, moving);
  auto const& target = *opened;
  // The record goes first: then the directory is known to belong to a run.
  move_file(*folder_, target, files::Folder::record_name);
  sync_folder(target, {});
  sync_folder(*folder_, {});
  for (auto const& file : files) move_file(*folder_, target, file);
  sync_folder(target, subdirectories);
  sync_folder(*folder_, subdirectories);
  for (auto const& name : subdirectories) remove_if_empty(*folder_, name);
  rename_subdirectory(*folder_, moving, aside);
  folder_->reload();
}

void SetAside::move_back() {
  auto const source = open(moving);
  if (!source) return;
  auto const files = source->own_files();
  auto const subdirectories = subdirectories_of(files);
  for (auto const& file : files) move_file(*source, *folder_, file);
  sync_folder(*folder_, subdirectories);
  sync_folder(*source, subdirectories);
  move_file(*source, *folder_, files::Folder::record_name);
  sync_folder(*folder_, {});
  for (auto const& name : subdirectories) remove_if_empty(*source, name);
  remove_if_empty(*folder_, moving);
  folder_->reload();
}

void SetAside::complete_removal() {
  if (auto const removed = open(gone)) {
    removed->remove_own();
    remove_if_empty(*folder_, gone);
  }
}

void SetAside::restore() {
  complete_removal();
  if (open(aside)) {
    folder_->remove_own();
    rename_subdirectory(*folder_, aside, moving);
  }
  move_back();
}

void SetAside::remove() {
  if (open(aside)) rename_subdirectory(*folder_, aside, gone);
  complete_removal();
}

}  // namespace apsis::run
