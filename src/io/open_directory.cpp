// SPDX-License-Identifier: Apache-2.0
#include "apsis/io/open_directory.hpp"

#include "system_calls.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace apsis::io {

namespace fs = std::filesystem;

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

}  // namespace apsis::io
