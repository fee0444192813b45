// SPDX-License-Identifier: Apache-2.0
#include "files/input.hpp"

#include "system_calls.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/files/folder.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace apsis::files {

namespace fs = std::filesystem;

namespace {

/// Whether the path names an inherited descriptor, so that reading from a pipe is intended.
bool is_inherited(std::filesystem::path const& path) {
  return path == "/dev/stdin" || path.parent_path() == "/dev/fd" ||
         path.parent_path() == "/proc/self/fd";
}

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return std::strerror(EISDIR);
  if (S_ISFIFO(mode)) return "it is a named pipe, not a regular file";
  if (S_ISSOCK(mode)) return "it is a socket, not a regular file";
  return "it is a device, not a regular file";
}

/// Returns the file beside a missing one with its extension and the most similar name, if any.
std::string similar_file(std::filesystem::path const& missing) {
  constexpr std::size_t most_files = 10000;
  std::vector<std::string> names;
  std::error_code code;
  std::filesystem::directory_iterator file(missing.has_parent_path() ? missing.parent_path() : ".",
                                           code);
  for (; !code && file != std::filesystem::directory_iterator() && names.size() < most_files;
       file.increment(code)) {
    auto const& path = file->path();
    if (path.extension() == missing.extension()) names.push_back(path.stem().string());
  }
  std::sort(names.begin(), names.end());  // the order of a directory is not defined
  auto const close = nearest(missing.stem().string(), names);
  if (close.empty()) return "";
  return (missing.parent_path() / (close + missing.extension().string())).string();
}

}  // namespace

void sync_entries(int descriptor, fs::path const& shown) {
  int const status = uninterrupted([&] { return ::fsync(descriptor); });
  if (status != 0 && errno != EINVAL) fail_file(shown, "did not reach the disk", errno);
}

OpenDirectory::OpenDirectory(fs::path const& path, fs::path const& shown, char const* problem)
    : descriptor_(
          uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); })),
      owned_(true) {
  if (descriptor_ < 0) fail_file(shown, problem, errno);
}

OpenDirectory OpenDirectory::below(int parent, fs::path const& name, fs::path const& shown,
                                   char const* problem) {
  OpenDirectory opened(uninterrupted([&] {
    return ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  }));
  opened.owned_ = true;
  if (opened.descriptor_ >= 0) return opened;
  int const code = errno;
  if (entry_kind(parent, name) == EntryKind::other) {
    fail_file(shown, describe_entry(parent, name), 0, "move it away, or choose another directory");
  }
  fail_file(shown, problem, code);
}

OpenDirectory::~OpenDirectory() {
  if (owned_ && descriptor_ >= 0) ::close(descriptor_);
}

void OpenDirectory::sync(fs::path const& shown) const {
  sync_entries(descriptor_, shown);
}

EntryKind entry_kind(int directory, fs::path const& name) {
  struct stat about {};
  if (::fstatat(directory, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return EntryKind::absent;
    fail_file(name, "cannot be examined", errno, "check the file system");
  }
  return S_ISREG(about.st_mode)   ? EntryKind::regular
         : S_ISDIR(about.st_mode) ? EntryKind::directory
                                  : EntryKind::other;
}

std::string describe_entry(int directory, fs::path const& name) {
  struct stat about {};
  if (::fstatat(directory, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) return "is not there";
  if (S_ISLNK(about.st_mode)) return "is a symbolic link";
  if (S_ISDIR(about.st_mode)) return "is a directory";
  if (S_ISFIFO(about.st_mode)) return "is a named pipe";
  if (S_ISSOCK(about.st_mode)) return "is a socket";
  return S_ISREG(about.st_mode) ? "is a regular file" : "is a device";
}

std::vector<std::string> entry_names(int directory) {
  // A duplicate shares the position of the original, so the directory is opened anew.
  int const copy =
      uninterrupted([&] { return ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  DIR* const stream = copy >= 0 ? ::fdopendir(copy) : nullptr;
  if (stream == nullptr) {
    int const code = errno;
    if (copy >= 0) ::close(copy);
    fail_file("directory", "cannot be read", code);
  }
  std::vector<std::string> names;
  while (auto const* entry = ::readdir(stream)) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  ::closedir(stream);
  std::sort(names.begin(), names.end());
  return names;
}

Input::Input(Place const& place) : name_(place.string()) {
  auto const& path = place.path();
  // Without O_NONBLOCK, opening a named pipe would block until there is a writer.
  descriptor_ = uninterrupted(
      [&] { return place.open_existing(O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); });
  struct stat about {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &about) != 0) {
    int const code = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    fail(code);
  }
  if (S_ISREG(about.st_mode)) {
    size_ = static_cast<std::uint64_t>(about.st_size);
  } else if (S_ISFIFO(about.st_mode) && is_inherited(path)) {
    ::fcntl(descriptor_, F_SETFL, 0);  // reading may block until the writer writes
  } else {
    ::close(descriptor_);
    fail(kind_of(about.st_mode));
  }
}

Input::~Input() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t Input::read(std::span<char> buffer) {
  if (descriptor_ < 0) {
    auto const count = std::min(buffer.size(), bytes_.size());
    std::copy_n(bytes_.begin(), count, buffer.begin());
    bytes_.remove_prefix(count);
    return count;
  }
  std::size_t end = 0;
  while (end < buffer.size()) {
    auto const count = uninterrupted(
        [&] { return ::read(descriptor_, buffer.data() + end, buffer.size() - end); });
    if (count < 0) fail(errno);
    if (count == 0) break;
    end += static_cast<std::size_t>(count);
  }
  return end;
}

void Input::seek(std::uint64_t byte) {
  if (descriptor_ < 0) {
    bytes_ = all_.substr(static_cast<std::size_t>(std::min<std::uint64_t>(byte, all_.size())));
    return;
  }
  auto const offset = static_cast<off_t>(byte);
  if (::lseek(descriptor_, offset, SEEK_SET) != offset) fail(errno);
}

void Input::fail(std::string const& why) const {
  throw Error(ExitStatus::input_output,
              Problem{name_, "cannot be read", why, "check the path and its permissions"});
}

void Input::fail(int code) const {
  auto const close = code == ENOENT ? similar_file(name_) : "";
  throw system_error(code, {name_, "cannot be read", "",
                            close.empty() ? "check the path and its permissions"
                                          : "did you mean '" + close + "'?"});
}

}  // namespace apsis::files
