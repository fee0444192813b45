// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"

#include "files/input.hpp"
#include "system_calls.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace apsis::files {

namespace fs = std::filesystem;

namespace {

/// Opens a file for writing. Never follows a symbolic link.
int opened(Place const& place, int flags) {
  auto const parent = place.parent("cannot be written");
  auto const name = place.file_name();
  int const descriptor = uninterrupted([&] {
    return ::openat(parent.descriptor(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0666);
  });
  int const code = errno;
  if (descriptor >= 0) return descriptor;
  if (code == ELOOP) fail_file(place.path(), "is a symbolic link", 0, "name the file it points to");
  fail_file(place.path(), "cannot be written", code);
}

/// Descriptor of this process that a path names; nothing for other paths.
std::optional<int> named_descriptor(fs::path const& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  if (path.parent_path() != "/dev/fd" && path.parent_path() != "/proc/self/fd") return {};
  auto const digits = path.filename().string();
  int number = -1;
  auto const* end = digits.data() + digits.size();
  auto const parsed = std::from_chars(digits.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

/// Opens a device, pipe or inherited descriptor, which a rename would destroy; else nothing.
std::optional<int> opened_stream(Place const& place) {
  if (place.folder() != nullptr) return {};
  auto const& path = place.path();
  if (auto const number = named_descriptor(path)) {
    int const copy = ::fcntl(*number, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) fail_file(path, "cannot be written", errno);
    return copy;
  }
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return {};
  if (!S_ISCHR(about.st_mode) && !S_ISFIFO(about.st_mode)) return {};
  int const descriptor =
      uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC); });
  if (descriptor < 0) fail_file(path, "cannot be written", errno);
  return descriptor;
}

/// Throws unless the entry is absent, or a regular file that may be replaced.
void expect_replaceable(int directory, Place const& place, Overwrite overwrite) {
  auto const name = place.file_name();
  if (name.empty() || name == "." || name == "..") fail_file(place.path(), "is a directory", 0);
  auto const kind = entry_kind(directory, name);
  if (kind == EntryKind::absent) return;
  if (kind != EntryKind::regular) {
    auto const what = describe_entry(directory, name);
    throw Error(ExitStatus::input_output,
                Problem{place.string(), what, "only a regular file is replaced",
                        what == "is a symbolic link" ? "name the file it points to"
                                                     : "name a regular file"});
  }
  if (overwrite == Overwrite::yes) return;
  throw Error(ExitStatus::input_output, Problem{place.string(), "exists", "it would be overwritten",
                                                "choose another name, or give --force"});
}

/// A new file beside the one to replace. The destructor removes it unless it was renamed.
class Temporary {
 public:
  Temporary(int directory, Place const& place) : directory_(directory), place_(place) {
    auto const* const folder = place.folder();
    constexpr std::size_t max_name_bytes = 200;  // the system allows 255 with prefix and suffix
    auto const base = place.file_name();
    auto const stem = base.size() > max_name_bytes ? std::string() : "." + base;
    for (int attempt = 0;; ++attempt) {
      name_ = stem + "." + (folder != nullptr ? folder->token() : random_token()) + ".tmp";
      descriptor_ = uninterrupted([&] {
        return ::openat(directory, name_.c_str(),
                        O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      });
      if (descriptor_ >= 0) return;
      constexpr int max_attempts = 8;
      if (errno != EEXIST || attempt == max_attempts)
        fail_file(place.path(), "cannot be written", errno);
      // The name proves that the file is left over from a killed process that wrote to this folder.
      if (folder != nullptr) ::unlinkat(directory, name_.c_str(), 0);
    }
  }
  Temporary(Temporary const&) = delete;
  Temporary& operator=(Temporary const&) = delete;
  ~Temporary() {
    if (exists_) ::unlinkat(directory_, name_.c_str(), 0);
  }

  int descriptor() const { return descriptor_; }

  void rename(Overwrite overwrite) {
    auto const target = place_.file_name();
    if (overwrite == Overwrite::no) {
      // Unlike a rename, a hard link fails if the target exists.
      if (::linkat(directory_, name_.c_str(), directory_, target.c_str(), 0) == 0) return;
      if (errno == EEXIST) expect_replaceable(directory_, place_, overwrite);
    }
    expect_replaceable(directory_, place_, overwrite);
    if (::renameat(directory_, name_.c_str(), directory_, target.c_str()) != 0) {
      fail_file(place_.path(), "cannot be put in place", errno);
    }
    exists_ = false;
  }

 private:
  int directory_;
  Place const& place_;
  std::string name_;
  int descriptor_ = -1;
  bool exists_ = true;
};

/// Reads the content of a file back from the disk, bypassing the page cache.
std::string read_again(int descriptor, std::size_t bytes, fs::path const& shown) {
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  std::string text(bytes, '\0');
  std::size_t end = 0;
  while (end < bytes) {
    auto const count = uninterrupted([&] {
      return ::pread(descriptor, text.data() + end, bytes - end, static_cast<off_t>(end));
    });
    if (count < 0) fail_file(shown, "cannot be read again after it was written", errno);
    if (count == 0) break;
    end += static_cast<std::size_t>(count);
  }
  text.resize(end);
  return text;
}

}  // namespace

std::string read_file(Place const& path, ReadLimit const& limit) {
  Input input(path);
  auto const too_large = [&](std::string const& size) {
    throw Error(ExitStatus::bad_input,
                Problem{path.string(), std::string("too large for ") + limit.kind,
                        size + ", and at most " + std::to_string(limit.bytes) + " are read",
                        "check that it is the right file"});
  };
  auto const size = input.size();
  if (size && *size > limit.bytes) too_large("it has " + std::to_string(*size) + " bytes");
  std::string content;
  std::size_t end = 0, count = 0;
  // Reading one byte more than the known size detects the end; without a known size, the buffer
  // doubles until the end.
  std::size_t next = static_cast<std::size_t>(size.value_or(0)) + 1;
  do {
    content.resize(std::min<std::uint64_t>(end + next, limit.bytes + 1));
    count = input.read(std::span(content).subspan(end));
    end += count;
    next = std::max(end, std::size_t{1} << 16);
    if (end > limit.bytes) too_large("it has more bytes");
  } while (end == content.size());
  content.resize(end);
  return content;
}

std::string read_part(Place const& path, std::uint64_t begin, std::uint64_t bytes) {
  Input input(path);
  input.seek(begin);
  auto const size = input.size().value_or(0);
  std::string content(std::min(bytes, size - std::min(begin, size)), '\0');
  content.resize(input.read(content));
  return content;
}

void write_file(Place const& place, std::string const& content, ReadBack read_back,
                Overwrite overwrite) {
  if (auto const stream = opened_stream(place)) {
    OutputFile file(place.path(), *stream);
    file.write(content);
    file.close();
    return;
  }
  replace_file(
      place,
      [&](OutputFile& file) {
        file.write(content);
        file.sync();
        if (read_back == ReadBack::no) return;
        if (read_again(file.descriptor(), content.size() + 1, place.path()) != content) {
          fail_file(place.path(), "has other content than was written", 0, "check the disk");
        }
      },
      overwrite);
}

void replace_file(Place const& place, std::function<void(OutputFile&)> const& write,
                  Overwrite overwrite) {
  place.claim();
  auto const parent = place.parent("cannot be written");
  expect_replaceable(parent.descriptor(), place, overwrite);
  {
    Temporary temporary(parent.descriptor(), place);
    OutputFile file(place.path(), temporary.descriptor());
    write(file);
    file.close();
    temporary.rename(overwrite);
  }
  parent.sync(place.path().parent_path());
}

void replace_file_by(fs::path const& path, std::function<void(fs::path const&)> const& write) {
  Place const place(path);
  auto const parent = place.parent("cannot be written");
  expect_replaceable(parent.descriptor(), place, Overwrite::yes);
  // In a new directory with a name that no other program knows.
  auto name_template =
      (path.parent_path().empty() ? fs::path(".") : path.parent_path()) / ".apsis-XXXXXX";
  auto name = name_template.string();
  if (::mkdtemp(name.data()) == nullptr) fail_file(path, "cannot be written", errno);
  struct Removal {
    std::string const& name;
    ~Removal() {
      std::error_code ignored;
      fs::remove_all(name, ignored);
    }
  } const removal{name};
  Place const temporary(fs::path(name) / ("file" + path.extension().string()));
  write(temporary.path());
  OutputFile file(path, opened(temporary, O_WRONLY));
  file.sync();
  file.close();
  expect_replaceable(parent.descriptor(), place, Overwrite::yes);
  if (::rename(temporary.path().c_str(), path.c_str()) != 0) {
    fail_file(path, "cannot be put in place", errno);
  }
  parent.sync(path.parent_path());
}

OutputFile::OutputFile(Place const& place)
    : OutputFile(place.path(), [&] {
        place.claim();
        return opened(place, O_WRONLY | O_CREAT | (place.folder() != nullptr ? O_EXCL : O_TRUNC));
      }()) {}

OutputFile::OutputFile(fs::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

OutputFile OutputFile::append(Place const& place) {
  return {place.path(), opened(place, O_WRONLY | O_APPEND)};
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::write(std::span<std::byte const> bytes) {
  write_all(descriptor_, {reinterpret_cast<char const*>(bytes.data()), bytes.size()}, path_);
}

void OutputFile::write(std::string const& text) {
  write_all(descriptor_, text, path_);
}

void OutputFile::cut(std::uintmax_t bytes) {
  auto const end = static_cast<off_t>(bytes);
  if (uninterrupted([&] { return ::ftruncate(descriptor_, end); }) != 0 ||
      ::lseek(descriptor_, end, SEEK_SET) != end) {
    fail_file(path_, "what was written could not be taken back", errno, "write to a regular file");
  }
}

void OutputFile::sync() {
  int const status = uninterrupted([&] { return ::fsync(descriptor_); });
  // A pipe or a terminal cannot be synced.
  if (status != 0 && errno != EINVAL) fail_file(path_, "did not reach the disk", errno);
}

void OutputFile::close() {
  // close() releases the descriptor even if it fails (close(2), "Dealing with error returns").
  int const status = ::close(std::exchange(descriptor_, -1));
  if (status != 0 && errno != EINTR) fail_file(path_, "cannot be written", errno);
}

void OutputFile::fail(std::string const& what, std::string const& why,
                      std::string const& advice) const {
  throw Error(ExitStatus::input_output,
              Problem{path_.string(), what, why, advice.empty() ? check_space : advice});
}

}  // namespace apsis::files
