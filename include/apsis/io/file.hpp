// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/io/folder.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

/// Files that lose nothing: every call to the system is checked, and what must survive a crash is
/// brought to the disk before anything relies on it. Every failure is an input/output error.
namespace apsis::io {

/// What is read of a kind of file at most: more of it is no such file, or none that fits in memory.
struct ReadLimit {
  std::uint64_t bytes;
  char const* kind;  ///< "a deck"
};
inline constexpr ReadLimit deck_limit{std::uint64_t{64} << 20, "a deck"};

/// The whole file, or pipe that this process was started with (see Input). Throws a bad-input error
/// for more than the limit: before it is read, where the size is known.
std::string read_file(Place const& place, ReadLimit const& limit = deck_limit);

/// So many bytes of a regular file from a place on; fewer if it ends before.
std::string read_part(Place const& place, std::uint64_t from, std::uint64_t bytes);

enum class ReadBack { no, yes };

/// Writes a file so that at any time, a crash of the machine included, it is the old one or the new
/// one, see replace_file(). With `read_back` the temporary file is read from the disk and compared
/// before it is renamed.
///
/// Character devices, named pipes and descriptors of this process (`/dev/stdout`, `/dev/fd/N`) are
/// written to as they are, unless the place is in a folder.
void write_file(Place const& place, std::string const& content, ReadBack read_back = ReadBack::no,
                Overwrite overwrite = Overwrite::yes);

/// Writes the entries of a directory to the disk.
void sync_directory(std::filesystem::path const& directory);

/// A file that is written from its beginning to its end.
class OutputFile {
 public:
  /// Creates the file, or empties it. In a folder it must be absent. Symbolic links are refused.
  explicit OutputFile(Place const& place);
  /// Opens a file that exists, to go on at its end. Symbolic links are refused.
  static OutputFile append(Place const& place);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// For those who write by other calls.
  int descriptor() const { return descriptor_; }
  void write(std::span<std::byte const> bytes);
  void write(std::string const& text);
  /// Shortens the file, whose next byte is written there.
  void cut(std::uintmax_t bytes);
  /// Brings the file to the disk.
  void sync();
  /// Must be called for a file whose content matters: the last chance to hear of a failed write.
  void close();
  std::filesystem::path const& path() const { return path_; }
  /// Throws an error about it.
  [[noreturn]] void fail(std::string const& what, std::string const& why,
                         std::string const& advice = "") const;

 private:
  friend void replace_file(Place const&, std::function<void(OutputFile&)> const&, Overwrite);
  friend void write_file(Place const&, std::string const&, ReadBack, Overwrite);
  friend void replace_file_by(std::filesystem::path const&,
                              std::function<void(std::filesystem::path const&)> const&);
  OutputFile(std::filesystem::path path, int descriptor);

  std::filesystem::path path_;
  int descriptor_;
};

/// Replaces a file by what `write` writes and syncs: into a temporary file of unique name in the
/// same directory, which is renamed at the end; then the directory is synced. The temporary file is
/// removed if anything fails. Only a regular file is replaced: symbolic links, directories, devices
/// and pipes are refused. Errors name the file, not the temporary one. `write` may also read.
void replace_file(Place const& place, std::function<void(OutputFile&)> const& write,
                  Overwrite overwrite = Overwrite::yes);

/// The same for a file that another program writes: `write` gets the path of a file that is absent,
/// with the extension of the one that is replaced.
void replace_file_by(std::filesystem::path const& path,
                     std::function<void(std::filesystem::path const&)> const& write);

/// A text file that grows line by line; each line reaches the system before the call returns. That
/// the file is still in its place, and as it was left, is looked at before each line and at the
/// end.
class LineFile {
 public:
  /// How far a file was written, and a digest of all its lines in their order.
  struct Written {
    std::uint64_t bytes = 0;
    std::uint64_t digest = 0;

    friend bool operator==(Written const&, Written const&) = default;
  };

  /// A new file; or goes on with one that was written so far at least: what comes after is cut off.
  /// Throws as check() does.
  explicit LineFile(Place const& place, Written const* kept = nullptr);
  /// Throws a bad-input error if the file is shorter or its lines are not those that were written.
  static void check(Place const& place, Written const& kept);
  /// What was written to a file that is there. Reads all of it.
  static Written look(Place const& place);

  void write(std::string const& line);
  Written const& written() const { return written_; }
  /// Takes back what was written after that.
  void cut(Written const& back_to);
  void sync() { file_.sync(); }
  /// Must be called in the end, see OutputFile.
  void close();

 private:
  /// Throws an error if the file was removed, replaced or changed by somebody else.
  void expect_own() const;

  Place place_;
  OutputFile file_;
  Written written_;
};

}  // namespace apsis::io
