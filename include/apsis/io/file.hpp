// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace apsis::io {

/// The whole file. Throws an input/output error.
std::string read_file(std::filesystem::path const& path);

/// Writes a temporary file beside `path` and renames it, so that the file is whole or absent.
/// Throws an input/output error.
void write_file(std::filesystem::path const& path, std::string const& content);

/// A text file that grows line by line; each line reaches the system before the call returns.
/// Throws an input/output error if it does not.
class LineFile {
 public:
  explicit LineFile(std::filesystem::path path);
  void write(std::string const& line);

  std::uintmax_t bytes() const { return bytes_; }
  /// Takes back what was written after the file had this many bytes.
  void cut(std::uintmax_t bytes);

 private:
  std::filesystem::path path_;
  std::ofstream stream_;
  std::uintmax_t bytes_ = 0;
};

}  // namespace apsis::io
