// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// Directories that are held open, and places of files in them. All failures are input/output
/// errors.
namespace apsis::io {

/// An open directory, closed at the end unless it is borrowed.
class OpenDirectory {
 public:
  /// Borrows a descriptor.
  explicit OpenDirectory(int descriptor) : descriptor_(descriptor) {}
  /// Opens a directory by its path. Symbolic links are followed. `shown` is its name in errors.
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
  /// Writes the entries of the directory to the disk. File systems that cannot do this are
  /// accepted.
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

/// A directory that one program at a time writes to, held open, and the record of the files that
/// were written there.
///
/// Files are reached through the open descriptor. They stay in this directory if its path is
/// renamed or comes to name another directory. The record is a text file beside them:
///
///     apsis files 1 <16 hexadecimal digits>
///     deck.resolved.json
///     checkpoint/generation_000001.bin
///
/// A name is appended and synced before the file is created, so every file that Apsis left is
/// listed, whatever ended the process. A file is *own* if the record lists it and it is a regular
/// file; everything else belongs to the user and is never replaced, moved or removed. The digits
/// are random and part of the name of every temporary file, which proves whose it is.
class Folder {
 public:
  static constexpr char const* record_name = "apsis-files.txt";

  /// Takes over the descriptor of a directory and reads its record.
  Folder(std::filesystem::path path, int descriptor);
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  ~Folder();

  /// Path that the directory was opened by; for messages.
  std::filesystem::path const& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  /// Whether the path still leads to this directory.
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

  /// Lists a file that is about to be written. Starts the record if there is none. Throws if an
  /// entry of that name exists that is not listed, or is not a regular file. Thread-safe.
  void claim(std::filesystem::path const& name);
  /// Lists a file that is known to be own from elsewhere, if it is a regular file.
  void adopt(std::filesystem::path const& name);
  /// Closes the record, and writes it again if it was removed; returns whether it was.
  bool finish_record();

  /// Opens the directory that holds a file.
  OpenDirectory parent_of(std::filesystem::path const& name) const;
  /// Creates a subdirectory if it is absent. Throws if it is a symbolic link or no directory.
  void make_subdirectory(std::filesystem::path const& name) const;
  /// Throws if a subdirectory is a symbolic link or no directory.
  void expect_subdirectory(std::filesystem::path const& name) const;
  /// Removes a file if it is own.
  void remove(std::filesystem::path const& name) const;
  /// Removes temporary files that a killed process left.
  void remove_temporaries() const;
  /// Removes all own files, then the record, then subdirectories that are empty.
  void remove_own();

 private:
  /// Subdirectories of the listed files.
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

/// Whether a regular file that exists is replaced. `no` never replaces one, also if it appears
/// while the new one is written.
enum class Overwrite { yes, no };

/// A file: by its path, or by its name in a folder.
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
  /// Nothing for a file that is named by its path alone.
  Folder* folder() const { return folder_.get(); }
  /// Name in the folder; the last part of the path if there is none.
  std::string file_name() const { return path_.filename().string(); }
  Place operator/(std::filesystem::path const& name) const {
    return folder_ ? Place(folder_, name_ / name) : Place(path_ / name);
  }

  /// Opens the directory that holds the file.
  OpenDirectory parent(char const* problem = "cannot be opened") const;
  /// As open(2). In a folder symbolic links are refused; elsewhere they are followed.
  int open_existing(int flags) const;
  /// Lists the file in the folder's record, see Folder::claim().
  void claim() const;
  EntryKind kind() const;
  /// Creates the directory that the place names.
  void make_directory() const;
  /// Removes the file; in a folder only if it is own. Failures are ignored.
  void remove() const;

 private:
  std::shared_ptr<Folder> folder_;
  std::filesystem::path name_;
  std::filesystem::path path_;
};

}  // namespace apsis::io
