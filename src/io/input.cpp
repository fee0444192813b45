// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/core/system_error.hpp>
#include <apsis/io/input.hpp>
#include <apsis/io/uninterrupted.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace apsis::io {

namespace {

/// Whether the path names what this process was started with, which nobody can have meant to be
/// something else.
bool is_inherited(std::filesystem::path const& path) {
  return path == "/dev/stdin" || path.parent_path() == "/dev/fd" ||
         path.parent_path() == "/proc/self/fd";
}

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return std::strerror(EISDIR);
  if (S_ISFIFO(mode)) return "it is a named pipe, and a regular file is wanted";
  if (S_ISSOCK(mode)) return "it is a socket, and a regular file is wanted";
  return "it is a device, and a regular file is wanted";
}

}  // namespace

Input::Input(Place const& place) : name_(place.string()) {
  auto const& path = place.path();
  // Without O_NONBLOCK a named pipe would make this wait for its writer.
  descriptor_ = uninterrupted(
      [&] { return place.open_existing(O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); });
  struct stat about {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &about) != 0) {
    int const code = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    fail(code);
  }
  if (S_ISREG(about.st_mode)) {
    size_ = static_cast<std::uint64_t>(about.st_size);
  } else if (S_ISFIFO(about.st_mode) && is_inherited(path)) {
    ::fcntl(descriptor_, F_SETFL, 0);  // its writer may take its time
  } else {
    ::close(descriptor_);
    fail(kind_of(about.st_mode));
  }
}

Input::~Input() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t Input::read(std::span<char> to) {
  if (descriptor_ < 0) {
    auto const now = std::min(to.size(), bytes_.size());
    std::copy_n(bytes_.begin(), now, to.begin());
    bytes_.remove_prefix(now);
    return now;
  }
  std::size_t end = 0;
  while (end < to.size()) {
    auto const got =
        uninterrupted([&] { return ::read(descriptor_, to.data() + end, to.size() - end); });
    if (got < 0) fail(errno);
    if (got == 0) break;
    end += static_cast<std::size_t>(got);
  }
  return end;
}

void Input::go_to(std::uint64_t byte) {
  auto const place = static_cast<off_t>(byte);
  if (::lseek(descriptor_, place, SEEK_SET) != place) fail(errno);
}

void Input::fail(std::string const& why) const {
  throw Error(ExitStatus::input_output,
              Problem{name_, "cannot be read", why, "check the path and its permissions"});
}

void Input::fail(int code) const {
  throw system_error(code, {name_, "cannot be read", "", "check the path and its permissions"});
}

}  // namespace apsis::io
