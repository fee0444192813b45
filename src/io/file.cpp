// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/io/file.hpp>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

namespace apsis::io {

namespace {
[[noreturn]] void fail(std::filesystem::path const& path, std::string const& what,
                       std::string const& advice) {
  int const code = errno;
  std::string const why = code != 0 ? std::strerror(code) : "";
  throw Error(ExitStatus::input_output, Problem{path.string(), what, why, advice});
}
}  // namespace

std::string read_file(std::filesystem::path const& path) {
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  // A directory opens like a file on some systems and then reads nothing.
  if (!stream || std::filesystem::is_directory(path)) {
    if (errno == 0) errno = EISDIR;
    fail(path, "cannot be read", "check the path and its permissions");
  }
  std::string content(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad()) fail(path, "reading failed", "check the file system");
  return content;
}

void write_file(std::filesystem::path const& path, std::string const& content) {
  auto const advice = "check free space and permissions";
  auto temporary = path;
  temporary += ".tmp";
  {
    errno = 0;
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    stream << content;
    stream.close();
    if (!stream) fail(path, "cannot be written", advice);
  }
  errno = 0;
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) {
    errno = error.value();
    fail(path, "cannot be put in place", advice);
  }
}

LineFile::LineFile(std::filesystem::path path) : path_(std::move(path)) {
  errno = 0;
  stream_.open(path_, std::ios::binary | std::ios::trunc);
  if (!stream_) fail(path_, "cannot be written", "check free space and permissions");
}

void LineFile::write(std::string const& line) {
  errno = 0;
  stream_ << line << '\n' << std::flush;
  if (!stream_) fail(path_, "a line could not be written", "check free space");
  bytes_ += line.size() + 1;
}

void LineFile::cut(std::uintmax_t bytes) {
  std::error_code error;
  std::filesystem::resize_file(path_, bytes, error);
  errno = error.value();
  if (error) fail(path_, "lines could not be taken back", "write to a regular file");
  stream_.seekp(static_cast<std::streamoff>(bytes));
  if (!stream_) fail(path_, "lines could not be taken back", "write to a regular file");
  bytes_ = bytes;
}

}  // namespace apsis::io
