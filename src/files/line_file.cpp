// SPDX-License-Identifier: Apache-2.0
#include "core/digest.hpp"
#include "files/file.hpp"
#include <apsis/core/error.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <string_view>
#include <sys/stat.h>

namespace apsis::files {

namespace {

char const* const do_not_modify = "do not modify the directory of a run while it is running";

/// Length and digest of a text up to its last complete line.
LineFile::Written written_in(std::string_view text) {
  LineFile::Written written;
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;) {
    written.digest = digest(text.substr(0, end), written.digest);
    written.bytes += end + 1;
    text.remove_prefix(end + 1);
  }
  return written;
}

}  // namespace

LineFile::LineFile(Place const& place, Written const* earlier)
    : place_(place), file_(earlier != nullptr ? OutputFile::append(place) : OutputFile(place)) {
  if (earlier == nullptr) return;
  check(place, *earlier);
  cut(*earlier);
}

void LineFile::check(Place const& place, Written const& written) {
  auto const refuse = [&](std::string const& problem) {
    throw Error(ExitStatus::bad_input,
                Problem{place.string(), problem, "the run cannot continue it",
                        "restore the file, or start the run again with --force"});
  };
  auto const content = read_part(place, 0, written.bytes);
  if (content.size() < written.bytes) {
    refuse("is shorter (" + std::to_string(content.size()) + " bytes) than it was (" +
           std::to_string(written.bytes) + ")");
  }
  if (!(written_in(content) == written)) refuse("was changed after it was written");
}

LineFile::Written LineFile::scan(Place const& place) {
  auto const content = read_part(place, 0, std::numeric_limits<std::uint64_t>::max());
  return {content.size(), written_in(content).digest};
}

void LineFile::write(std::string const& line) {
  expect_unmodified();
  file_.write(line + "\n");
  written_.bytes += line.size() + 1;
  written_.digest = digest(line, written_.digest);
}

void LineFile::close() {
  expect_unmodified();
  file_.close();
}

void LineFile::expect_unmodified() const {
  struct stat at_path {
  }, opened{};
  auto const parent = place_.parent();
  auto const name = place_.file_name();
  if (::fstatat(parent.descriptor(), name.c_str(), &at_path, AT_SYMLINK_NOFOLLOW) != 0) {
    file_.fail("was removed during the run", std::strerror(errno), do_not_modify);
  }
  if (::fstat(file_.descriptor(), &opened) != 0 || at_path.st_dev != opened.st_dev ||
      at_path.st_ino != opened.st_ino) {
    file_.fail("was replaced during the run", "it is another file", do_not_modify);
  }
  if (S_ISREG(opened.st_mode) && static_cast<std::uint64_t>(opened.st_size) != written_.bytes) {
    file_.fail("was changed during the run",
               "it has " + std::to_string(opened.st_size) + " bytes, " +
                   std::to_string(written_.bytes) + " were written",
               do_not_modify);
  }
}

void LineFile::cut(Written const& earlier) {
  file_.cut(earlier.bytes);
  written_ = earlier;
}

}  // namespace apsis::files
