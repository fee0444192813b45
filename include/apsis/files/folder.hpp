// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
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

/// Directories of runs and the files in them. All failures are input/output errors.
namespace apsis::files {

/// An open directory that one process at a time writes to, with a record of the files written
/// there.
///
/// Files are accessed through the open descriptor, so they are in this directory even if it is
/// renamed or its path comes to name another directory. The record of files is a text file:
///
///     apsis files 1 <16 hexadecimal digits>
///     deck.resolved.json
///     checkpoint/generation_000001.bin
///
/// A name is appended and synced before the file is created, so the record lists every file that
/// Apsis wrote, even after a crash. A file is *own* if the record lists it and it is a regular
/// file. All other files belong to the user and are never replaced, moved or removed. The random
/// digits are part of the name of every temporary file and prove that it belongs to this directory.
class Folder {
 public:
  static constexpr char const* record_name = "apsis-files.txt";

  /// Takes over the descriptor of a directory and reads its record.
  Folder(std::filesystem::path path, int descriptor);
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  ~Folder();

  /// Path by which the directory was opened; for messages.
  std::filesystem::path const& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  /// Whether the path still names this directory.
  bool is_at_path() const;

  /// Reads the record again.
  void reload();
  bool has_record() const { return !token_.empty(); }
  /// Random part of the names of temporary files.
  std::string const& token() const { return token_; }
  /// Whether the record lists the name and it is a regular file.
  bool owns(std::filesystem::path const& name) const;
  /// Own files that exist, the record excluded.
  std::vector<std::filesystem::path> own_files() const;

  /// Lists a file that is about to be written. Creates the record if there is none. Throws if an
  /// unlisted entry of that name exists, or one that is not a regular file. Thread-safe.
  void claim(std::filesystem::path const& name);
  /// Lists an existing regular file that other evidence shows to be own.
  void adopt(std::filesystem::path const& name);
  /// Closes the record, after rewriting it if it was removed. Returns whether it was removed.
  bool finish_record();

  /// Opens the directory that contains a file.
  OpenDirectory parent_of(std::filesystem::path const& name) const;
  /// Creates a subdirectory if it is absent. Throws if the entry is not a directory.
  void make_subdirectory(std::filesystem::path const& name) const;
  /// Throws if the entry exists and is not a directory (a symbolic link is none).
  void expect_subdirectory(std::filesystem::path const& name) const;
  /// Removes a file if it is own.
  void remove(std::filesystem::path const& name) const;
  /// Removes temporary files of killed processes.
  void remove_temporaries() const;
  /// Removes all own files, then empty subdirectories, then the record.
  void remove_own();

 private:
  /// Subdirectories that contain listed files.
  std::set<std::filesystem::path> subdirectories() const;
  void open_record();
  bool is_unfinished_record() const;
  void list(std::filesystem::path const& name);

  std::filesystem::path path_;
  int descriptor_;
  int record_ = -1;
  std::string token_;
  std::set<std::string> names_;
  mutable std::mutex mutex_;
};

/// Whether an existing regular file is replaced. `no` never replaces a file, not even one that
/// appears while the new one is written.
enum class Overwrite { yes, no };

/// Location of a file: a path, or a name in a Folder.
class Place {
 public:
  template <class Path>
  requires std::convertible_to<Path, std::filesystem::path> &&
      (!std::same_as<Path, Place>)Place(Path const& path)
      : path_(path) {}  // NOLINT: a path is a place
  Place(std::shared_ptr<Folder> folder, std::filesystem::path const& name)
      : folder_(std::move(folder)), name_(name), path_(folder_->path() / name) {}

  operator std::filesystem::path const&() const { return path_; }
  /// Path for messages.
  std::filesystem::path const& path() const { return path_; }
  std::string string() const { return path_.string(); }
  /// The folder; null for a plain path.
  Folder* folder() const { return folder_.get(); }
  /// Last component of the path.
  std::string file_name() const { return path_.filename().string(); }
  Place operator/(std::filesystem::path const& name) const {
    return folder_ ? Place(folder_, name_ / name) : Place(path_ / name);
  }

  /// Opens the directory that contains the file.
  OpenDirectory parent(char const* problem = "cannot be opened") const;
  /// Calls open(2). Symbolic links are rejected in a folder and followed elsewhere.
  int open_existing(int flags) const;
  /// Lists the file in the record of the folder, see Folder::claim(). No effect for a plain path.
  void claim() const;
  EntryKind kind() const;
  /// Creates a directory at this place.
  void make_directory() const;
  /// Removes the file; in a folder only if it is own. Failures are ignored.
  void remove() const;

 private:
  std::shared_ptr<Folder> folder_;
  std::filesystem::path name_;
  std::filesystem::path path_;
};

}  // namespace apsis::files
