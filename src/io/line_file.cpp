// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/digest.hpp>
#include <apsis/core/error.hpp>
#include <apsis/io/file.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <string_view>
#include <sys/stat.h>

namespace apsis::io {

namespace {

char const* const nobody_else = "leave the directory of a run to it as long as it goes on";

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

}  // namespace

LineFile::LineFile(Place const& place, Written const* kept)
    : place_(place), file_(kept != nullptr ? OutputFile::append(place) : OutputFile(place)) {
  if (kept == nullptr) return;
  check(place, *kept);
  cut(*kept);
}

void LineFile::check(Place const& place, Written const& kept) {
  auto const refuse = [&](std::string const& problem) {
    throw Error(ExitStatus::bad_input,
                Problem{place.string(), problem, "the run cannot go on with it",
                        "restore the file, or start the run again with --force"});
  };
  auto const content = read_part(place, 0, kept.bytes);
  if (content.size() < kept.bytes) {
    refuse("is shorter (" + std::to_string(content.size()) + " bytes) than it was (" +
           std::to_string(kept.bytes) + ")");
  }
  if (!(written_in(content) == kept)) refuse("was changed after it was written");
}

LineFile::Written LineFile::look(Place const& place) {
  auto const content = read_part(place, 0, std::numeric_limits<std::uint64_t>::max());
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
  auto const parent = place_.parent();
  auto const name = place_.file_name();
  if (::fstatat(parent.descriptor(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) {
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
