// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/digest.hpp>
#include <apsis/core/error.hpp>
#include <apsis/io/file.hpp>
#include <apsis/io/input.hpp>
#include <apsis/io/uninterrupted.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace apsis::io {

namespace fs = std::filesystem;

namespace {

char const* const check_space = "check free space and permissions";
char const* const nobody_else = "leave the directory of a run to it as long as it goes on";

[[noreturn]] void fail(fs::path const& path, std::string const& what, std::string const& advice) {
  int const code = errno;
  std::string const why = code != 0 ? std::strerror(code) : "";
  throw Error(ExitStatus::input_output, Problem{path.string(), what, why, advice});
}

/// `shown`: its name in errors.
int opened(fs::path const& path, int flags, fs::path const& shown) {
  int const descriptor =
      uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); });
  if (descriptor < 0) fail(shown, "cannot be written", check_space);
  return descriptor;
}

/// Lets the next read come from the disk and not from what the system remembers of a write.
void forget_cached(fs::path const& path) {
  int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  ::close(descriptor);
}

/// Whether a rename would put something else in the place of a terminal, a pipe or the like.
bool is_special(fs::path const& path) {
  std::error_code ignored;
  auto const status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

/// Up to the last whole line.
LineFile::Written written_in(std::string_view text) {
  LineFile::Written found;
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;) {
    found.digest = digest(text.substr(0, end), found.digest);
    found.bytes += end + 1;
    text.remove_prefix(end + 1);
  }
  return found;
}

fs::path temporary_of(fs::path path) {
  return path += ".tmp";
}

}  // namespace

std::string read_file(fs::path const& path, ReadLimit const& limit) {
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
  std::size_t end = 0, got = 0;
  // A byte more than there should be finds the end; what names no size doubles until then.
  std::size_t next = static_cast<std::size_t>(size.value_or(0)) + 1;
  do {
    content.resize(std::min<std::uint64_t>(end + next, limit.bytes + 1));
    got = input.read(std::span(content).subspan(end));
    end += got;
    next = std::max(end, std::size_t{1} << 16);
    if (end > limit.bytes) too_large("it has more bytes");
  } while (end == content.size());
  content.resize(end);
  return content;
}

std::string read_part(fs::path const& path, std::uint64_t from, std::uint64_t bytes) {
  Input input(path);
  input.go_to(from);
  auto const size = input.size().value_or(0);
  std::string content(std::min(bytes, size - std::min(from, size)), '\0');
  content.resize(input.read(content));
  return content;
}

void write_file(fs::path const& path, std::string const& content, ReadBack read_back) {
  if (is_special(path)) {
    OutputFile file(path);
    file.write(content);
    file.close();
    return;
  }
  replace_file(path, [&](OutputFile& file) {
    file.write(content);
    file.sync();
    if (read_back == ReadBack::no) return;
    forget_cached(temporary_of(path));
    errno = 0;
    if (read_part(temporary_of(path), 0, content.size() + 1) != content) {
      fail(path, "reads back otherwise than it was written", "check the disk");
    }
  });
}

void replace_file(fs::path const& path, std::function<void(OutputFile&)> const& write) {
  auto const temporary = temporary_of(path);
  try {
    OutputFile file(path, opened(temporary, O_RDWR | O_CREAT | O_TRUNC, path));
    write(file);
    file.close();
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
      fail(path, "cannot be put in place", check_space);
    }
    sync_directory(path.parent_path());
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
}

void sync_directory(fs::path const& directory) {
  auto const name = directory.empty() ? fs::path(".") : directory;
  int const descriptor =
      uninterrupted([&] { return ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) fail(name, "cannot be opened", "check its permissions");
  int const status = uninterrupted([&] { return ::fsync(descriptor); });
  int const code = errno;
  ::close(descriptor);
  errno = code;
  // Some file systems cannot do this for directories, and say so.
  if (status != 0 && errno != EINVAL) fail(name, "did not reach the disk", "check the disk");
}

OutputFile::OutputFile(fs::path path)
    : OutputFile(path, opened(path, O_WRONLY | O_CREAT | O_TRUNC, path)) {}

OutputFile::OutputFile(fs::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

OutputFile OutputFile::append(fs::path path) {
  int const descriptor = opened(path, O_WRONLY | O_APPEND, path);
  return {std::move(path), descriptor};
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::write(std::span<std::byte const> bytes) {
  while (!bytes.empty()) {
    ssize_t const written =
        uninterrupted([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    if (written < 0) io::fail(path_, "cannot be written", check_space);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::write(std::string const& text) {
  write(std::as_bytes(std::span(text.data(), text.size())));
}

void OutputFile::cut(std::uintmax_t bytes) {
  auto const end = static_cast<off_t>(bytes);
  if (uninterrupted([&] { return ::ftruncate(descriptor_, end); }) != 0 ||
      ::lseek(descriptor_, end, SEEK_SET) != end) {
    io::fail(path_, "what was written could not be taken back", "write to a regular file");
  }
}

void OutputFile::sync() {
  int const status = uninterrupted([&] { return ::fsync(descriptor_); });
  // A pipe or a terminal has no disk to reach.
  if (status != 0 && errno != EINVAL) io::fail(path_, "did not reach the disk", check_space);
}

void OutputFile::close() {
  // Whatever it answers, the descriptor is gone afterwards (close(2), "Dealing with error
  // returns").
  int const status = ::close(std::exchange(descriptor_, -1));
  if (status != 0 && errno != EINTR) io::fail(path_, "cannot be written", check_space);
}

void OutputFile::fail(std::string const& what, std::string const& why,
                      std::string const& advice) const {
  throw Error(ExitStatus::input_output,
              Problem{path_.string(), what, why, advice.empty() ? check_space : advice});
}

LineFile::LineFile(fs::path const& path, Written const* kept)
    : file_(kept != nullptr ? OutputFile::append(path) : OutputFile(path)) {
  if (kept == nullptr) return;
  check(path, *kept);
  cut(*kept);
}

void LineFile::check(fs::path const& path, Written const& kept) {
  auto const refuse = [&](std::string const& problem) {
    throw Error(ExitStatus::bad_input,
                Problem{path.string(), problem, "the run cannot go on with it",
                        "restore the file, or start the run again with --force"});
  };
  auto const content = read_part(path, 0, kept.bytes);
  if (content.size() < kept.bytes) {
    refuse("is shorter (" + std::to_string(content.size()) + " bytes) than it was (" +
           std::to_string(kept.bytes) + ")");
  }
  if (!(written_in(content) == kept)) refuse("was changed after it was written");
}

LineFile::Written LineFile::look(fs::path const& path) {
  auto const content = read_part(path, 0, std::numeric_limits<std::uint64_t>::max());
  return {content.size(), written_in(content).digest};
}

void LineFile::write(std::string const& line) {
  expect_own();
  file_.write(line + "\n");
  written_.bytes += line.size() + 1;
  written_.digest = digest(line, written_.digest);
}

void LineFile::close() {
  expect_own();
  file_.close();
}

void LineFile::expect_own() const {
  struct stat there {
  }, own{};
  errno = 0;
  if (::stat(file_.path().c_str(), &there) != 0) {
    file_.fail("was removed during the run", std::strerror(errno), nobody_else);
  }
  if (::fstat(file_.descriptor(), &own) != 0 || there.st_dev != own.st_dev ||
      there.st_ino != own.st_ino) {
    file_.fail("was replaced during the run", "it is another file", nobody_else);
  }
  if (S_ISREG(own.st_mode) && static_cast<std::uint64_t>(own.st_size) != written_.bytes) {
    file_.fail("was changed during the run",
               "it has " + std::to_string(own.st_size) + " bytes, " +
                   std::to_string(written_.bytes) + " were written",
               nobody_else);
  }
}

void LineFile::cut(Written const& back_to) {
  file_.cut(back_to.bytes);
  written_ = back_to;
}

}  // namespace apsis::io
