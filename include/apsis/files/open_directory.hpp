// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

/// Open directories and their entries. All failures are input/output errors.
namespace apsis::files {

/// An open directory. The destructor closes it unless the descriptor is borrowed.
class OpenDirectory {
 public:
  /// Borrows an open descriptor.
  explicit OpenDirectory(int descriptor) : descriptor_(descriptor) {}
  /// Opens a directory by its path and follows symbolic links. `shown` is its name in errors.
  OpenDirectory(std::filesystem::path const& path, std::filesystem::path const& shown,
                char const* problem = "cannot be opened");
  /// Opens a subdirectory, which must not be a symbolic link.
  static OpenDirectory below(int parent, std::filesystem::path const& name,
                             std::filesystem::path const& shown,
                             char const* problem = "cannot be opened");
  OpenDirectory(OpenDirectory&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), owned_(other.owned_) {}
  OpenDirectory& operator=(OpenDirectory&&) = delete;
  ~OpenDirectory();

  int descriptor() const { return descriptor_; }
  /// Syncs the entries of the directory to the disk. Does nothing on file systems without this
  /// operation.
  void sync(std::filesystem::path const& shown) const;

 private:
  int descriptor_;
  bool owned_ = false;
};

/// Kind of a directory entry. Symbolic links are not followed.
enum class EntryKind { absent, regular, directory, other };
EntryKind entry_kind(int directory, std::filesystem::path const& name);
/// "is a symbolic link", "is a directory", ... of an entry that is not a regular file.
std::string describe_entry(int directory, std::filesystem::path const& name);
/// Names in an open directory, sorted, without `.` and `..`.
std::vector<std::string> entry_names(int directory);

/// Syncs an open file or directory to the disk. Accepts EINVAL of file systems that cannot sync
/// directories. `shown` is its name in errors.
void sync_entries(int descriptor, std::filesystem::path const& shown);

}  // namespace apsis::files
