// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/files/folder.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

/// Crash-safe files: every system call is checked, and data that must survive a crash is synced to
/// the disk before anything relies on it. Every failure is an input/output error.
namespace apsis::files {

/// Maximum size of a kind of file. A larger file is of another kind or does not fit in memory.
struct ReadLimit {
  std::uint64_t bytes;
  char const* kind;  ///< "a deck"
};
inline constexpr ReadLimit deck_limit{std::uint64_t{64} << 20, "a deck"};

/// Reads a whole file, or a pipe that this process inherited (see Input). Throws a bad-input error
/// if it is larger than the limit; if the size is known, before reading.
std::string read_file(Place const& place, ReadLimit const& limit = deck_limit);

/// Reads `bytes` bytes of a regular file from the offset `begin`; fewer if the file ends before.
std::string read_part(Place const& place, std::uint64_t begin, std::uint64_t bytes);

enum class ReadBack { no, yes };

/// Replaces a file atomically: at any time, even after a crash of the machine, it has either the
/// old or the new content (see replace_file()). With `read_back`, the temporary file is read back
/// from the disk and compared before it is renamed.
///
/// Character devices, named pipes and descriptors of this process (`/dev/stdout`, `/dev/fd/N`) are
/// written to directly, unless the place is in a folder.
void write_file(Place const& place, std::string const& content, ReadBack read_back = ReadBack::no,
                Overwrite overwrite = Overwrite::yes);

class OutputFile {
 public:
  /// Creates the file, or truncates it. In a folder it must be absent. Rejects symbolic links.
  explicit OutputFile(Place const& place);
  /// Opens an existing file to append to it. Rejects symbolic links.
  static OutputFile append(Place const& place);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// File descriptor, for writing by other calls.
  int descriptor() const { return descriptor_; }
  void write(std::span<std::byte const> bytes);
  void write(std::string const& text);
  /// Truncates the file to this size and continues writing there.
  void cut(std::uintmax_t bytes);
  void sync();
  /// Closes the file. Call it if the content matters: a failed write may be reported only here.
  void close();
  std::filesystem::path const& path() const { return path_; }
  /// Throws an input/output error about this file.
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

/// Replaces a file by the content that `write` writes and syncs. `write` gets a temporary file with
/// a unique name in the same directory; it is renamed at the end, and then the directory is synced.
/// The temporary file is removed on failure. Only a regular file is replaced: symbolic links,
/// directories, devices and pipes are rejected. Errors name the file, not the temporary one.
/// `write` may also read.
void replace_file(Place const& place, std::function<void(OutputFile&)> const& write,
                  Overwrite overwrite = Overwrite::yes);

/// Replaces a file that another program writes: `write` gets the path of an absent temporary file
/// with the same extension.
void replace_file_by(std::filesystem::path const& path,
                     std::function<void(std::filesystem::path const&)> const& write);

/// A text file that is written line by line, without buffering in the process. Before each line and
/// at the end, the file is checked to be unmodified and still at its path.
class LineFile {
 public:
  /// Length of a file, and an order-dependent digest of its lines.
  struct Written {
    std::uint64_t bytes = 0;
    std::uint64_t digest = 0;

    friend bool operator==(Written const&, Written const&) = default;
  };

  /// Creates a file. With `earlier`, continues an existing file, which must begin with these lines;
  /// later lines are cut off. Throws as check() does.
  explicit LineFile(Place const& place, Written const* earlier = nullptr);
  /// Throws a bad-input error if the file is shorter than `written` or its lines differ.
  static void check(Place const& place, Written const& written);
  /// Length and digest of an existing file. Reads the whole file.
  static Written scan(Place const& place);

  void write(std::string const& line);
  Written const& written() const { return written_; }
  /// Removes the lines written after this state.
  void cut(Written const& earlier);
  void sync() { file_.sync(); }
  /// Must be called at the end, see OutputFile.
  void close();

 private:
  /// Throws an error if another process removed, replaced or modified the file.
  void expect_unmodified() const;

  Place place_;
  OutputFile file_;
  Written written_;
};

}  // namespace apsis::files
