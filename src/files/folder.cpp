// SPDX-License-Identifier: Apache-2.0
#include "apsis/files/folder.hpp"

#include "system_calls.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace apsis::files {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view first_line = "apsis files 1 ";
constexpr std::size_t token_digits = 16;

/// Whether a run can have written a file of this name: in the directory or one subdirectory.
bool is_plain_name(fs::path const& name) {
  auto const parts = std::distance(name.begin(), name.end());
  return !name.empty() && name.is_relative() && parts <= 2 &&
         std::none_of(name.begin(), name.end(), [](fs::path const& part) {
           return part.empty() || part == "." || part == "..";
         });
}

bool is_record_token(std::string_view word) {
  return word.size() == token_digits &&
         word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string record_text(int descriptor, fs::path const& shown) {
  std::string text;
  for (;;) {
    auto const end = text.size();
    text.resize(end + 65536);
    auto const count = uninterrupted(
        [&] { return ::pread(descriptor, text.data() + end, 65536, static_cast<off_t>(end)); });
    if (count < 0) fail_file(shown, "cannot be read", errno);
    text.resize(end + static_cast<std::size_t>(count));
    if (count == 0) return text;
  }
}

}  // namespace

Folder::Folder(fs::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {
  reload();
}

Folder::~Folder() {
  if (record_ >= 0) ::close(record_);
  ::close(descriptor_);
}

bool Folder::is_at_path() const {
  struct stat at_path {
  }, opened{};
  return ::stat(path_.c_str(), &at_path) == 0 && ::fstat(descriptor_, &opened) == 0 &&
         at_path.st_dev == opened.st_dev && at_path.st_ino == opened.st_ino;
}

void Folder::reload() {
  if (record_ >= 0) ::close(std::exchange(record_, -1));
  token_.clear();
  names_.clear();
  if (entry_kind(descriptor_, record_name) != EntryKind::regular) return;
  auto const shown = path_ / record_name;
  int const descriptor = uninterrupted([&] {
    return ::openat(descriptor_, record_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  });
  if (descriptor < 0) fail_file(shown, "cannot be read", errno);
  std::string text;
  try {
    text = record_text(descriptor, shown);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  ::close(descriptor);
  std::string_view rest = text;
  for (std::size_t end; (end = rest.find('\n')) != std::string_view::npos;) {
    auto const line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (token_.empty()) {
      bool const is_record =
          line.starts_with(first_line) && is_record_token(line.substr(first_line.size()));
      if (!is_record) return;
      token_ = line.substr(first_line.size());
    } else if (is_plain_name(line)) {
      names_.emplace(line);
    }
  }
}

bool Folder::owns(fs::path const& name) const {
  std::lock_guard const guard(mutex_);
  if (names_.count(name.string()) == 0) return false;
  // If the subdirectory was replaced by a link, its files belong to another directory.
  bool const nested = name.has_parent_path();
  if (nested && entry_kind(descriptor_, name.parent_path()) != EntryKind::directory) return false;
  return entry_kind(descriptor_, name) == EntryKind::regular;
}

std::vector<fs::path> Folder::own_files() const {
  std::vector<fs::path> files;
  for (auto const& name : names_) {
    if (owns(name)) files.emplace_back(name);
  }
  return files;
}

void Folder::claim(fs::path const& name) {
  std::lock_guard const guard(mutex_);
  APSIS_EXPECT(is_plain_name(name), "a file of a run has a plain name: " + name.string());
  bool const listed = names_.count(name.string()) > 0;
  auto const parent = parent_of(name);
  auto const file = name.filename();
  auto const kind = entry_kind(parent.descriptor(), file);
  if (kind == EntryKind::absent ? listed : listed && kind == EntryKind::regular) return;
  if (kind != EntryKind::absent) {
    auto const what = kind == EntryKind::regular ? std::string("exists")
                                                 : describe_entry(parent.descriptor(), file);
    throw Error(ExitStatus::input_output,
                Problem{(path_ / name).string(), what,
                        std::string("it is not a file that this run wrote, ") + record_name +
                            " does not list it",
                        "move it away, or choose another directory with --output"});
  }
  list(name);
}

void Folder::adopt(fs::path const& name) {
  std::lock_guard const guard(mutex_);
  if (names_.count(name.string()) > 0) return;
  bool const nested = name.has_parent_path();
  if (nested && entry_kind(descriptor_, name.parent_path()) != EntryKind::directory) return;
  if (entry_kind(descriptor_, name) == EntryKind::regular) list(name);
}

/// Whether the record consists of an incomplete first line, left by a killed process.
bool Folder::is_unfinished_record() const {
  if (entry_kind(descriptor_, record_name) != EntryKind::regular) return false;
  int const descriptor = uninterrupted([&] {
    return ::openat(descriptor_, record_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  });
  char text[64];
  auto const count = uninterrupted([&] { return ::pread(descriptor, text, sizeof text, 0); });
  if (descriptor >= 0) ::close(descriptor);
  std::string_view const content(text, count > 0 ? static_cast<std::size_t>(count) : 0);
  if (count < 0 || content.size() > first_line.size() + token_digits) return false;
  auto const words = content.substr(0, first_line.size());
  auto const digits = content.substr(words.size());
  return first_line.starts_with(words) &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void Folder::open_record() {
  auto const shown = path_ / record_name;
  if (!token_.empty()) {
    record_ = uninterrupted([&] {
      return ::openat(descriptor_, record_name, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    });
    if (record_ >= 0) return;
    if (errno != ENOENT) fail_file(shown, "cannot be written", errno);
  }
  // Create a new record, which may replace one that was removed.
  auto const create = [&] {
    return ::openat(descriptor_, record_name,
                    O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  };
  record_ = uninterrupted(create);
  if (record_ < 0 && errno == EEXIST && is_unfinished_record()) {
    ::unlinkat(descriptor_, record_name, 0);
    record_ = uninterrupted(create);
  }
  if (record_ < 0) {
    int const code = errno;
    if (code != EEXIST) fail_file(shown, "cannot be written", code);
    fail_file(shown, "is not a record of Apsis", 0,
              "move it away, or choose another directory with --output");
  }
  if (token_.empty()) token_ = random_token();
  try {
    std::string text = std::string(first_line) + token_ + "\n";
    for (auto const& name : names_) text += name + "\n";
    write_all(record_, text, shown);
    sync_entries(record_, shown);
    sync_entries(descriptor_, path_);
  } catch (...) {  // without its first line it would not be a record
    ::unlinkat(descriptor_, record_name, 0);
    ::close(std::exchange(record_, -1));
    throw;
  }
}

void Folder::list(fs::path const& name) {
  auto const shown = path_ / record_name;
  auto const line = name.string();
  APSIS_EXPECT(line.find('\n') == std::string::npos, "a file of a run has a name of one line");
  if (record_ < 0) open_record();
  // Terminate an incomplete last line, left by a killed process or a full disk.
  struct stat about {};
  if (::fstat(record_, &about) != 0) fail_file(shown, "cannot be written", errno);
  char last = '\n';
  if (about.st_size > 0) {
    auto const count = uninterrupted([&] { return ::pread(record_, &last, 1, about.st_size - 1); });
    if (count < 0) fail_file(shown, "cannot be read", errno);
  }
  write_all(record_, (last == '\n' ? "" : "\n") + line + "\n", shown);
  sync_entries(record_, shown);
  names_.insert(line);
}

bool Folder::finish_record() {
  std::lock_guard const guard(mutex_);
  bool const is_removed = has_record() && entry_kind(descriptor_, record_name) == EntryKind::absent;
  if (is_removed) {
    if (record_ >= 0) ::close(std::exchange(record_, -1));
    open_record();
  }
  // close() releases the descriptor even if it fails.
  bool const failed = record_ >= 0 && ::close(std::exchange(record_, -1)) != 0 && errno != EINTR;
  if (failed) fail_file(path_ / record_name, "cannot be written", errno);
  return is_removed;
}

OpenDirectory Folder::parent_of(fs::path const& name) const {
  if (!name.has_parent_path()) return OpenDirectory(descriptor_);
  return OpenDirectory::below(descriptor_, name.parent_path(), path_ / name.parent_path());
}

void Folder::make_subdirectory(fs::path const& name) const {
  if (uninterrupted([&] { return ::mkdirat(descriptor_, name.c_str(), 0777); }) == 0) {
    sync_entries(descriptor_, path_);
    return;
  }
  if (errno != EEXIST) fail_file(path_ / name, "cannot be created", errno);
  expect_subdirectory(name);
}

void Folder::expect_subdirectory(fs::path const& name) const {
  auto const kind = entry_kind(descriptor_, name);
  if (kind == EntryKind::absent || kind == EntryKind::directory) return;
  throw Error(ExitStatus::input_output,
              Problem{(path_ / name).string(), describe_entry(descriptor_, name),
                      "a run needs a subdirectory of this name",
                      "move it away, or choose another directory with --output"});
}

void Folder::remove(fs::path const& name) const {
  if (!owns(name)) return;
  auto const parent = parent_of(name);
  auto const file = name.filename();
  if (::unlinkat(parent.descriptor(), file.c_str(), 0) != 0 && errno != ENOENT) {
    fail_file(path_ / name, "cannot be removed", errno, "check its permissions");
  }
}

std::set<fs::path> Folder::subdirectories() const {
  std::set<fs::path> directories;
  for (fs::path const name : names_) {
    if (name.has_parent_path()) directories.insert(name.parent_path());
  }
  return directories;
}

void Folder::remove_temporaries() const {
  if (token_.empty()) return;
  auto const ending = "." + token_ + ".tmp";
  auto const clean = [&](int directory) {
    for (auto const& name : entry_names(directory)) {
      if (!name.ends_with(ending) || entry_kind(directory, name) != EntryKind::regular) continue;
      ::unlinkat(directory, name.c_str(), 0);
    }
  };
  clean(descriptor_);
  for (auto const& name : subdirectories()) {
    if (entry_kind(descriptor_, name) != EntryKind::directory) continue;
    clean(OpenDirectory::below(descriptor_, name, path_ / name).descriptor());
  }
}

void Folder::remove_own() {
  remove_temporaries();
  for (auto const& file : own_files()) remove(file);
  // unlinkat() removes only empty directories.
  for (auto const& directory : subdirectories()) {
    ::unlinkat(descriptor_, directory.c_str(), AT_REMOVEDIR);
  }
  sync_entries(descriptor_, path_);
  if (has_record() && ::unlinkat(descriptor_, record_name, 0) != 0 && errno != ENOENT) {
    fail_file(path_ / record_name, "cannot be removed", errno, "check its permissions");
  }
  reload();
}

OpenDirectory Place::parent(char const* problem) const {
  if (folder_) return folder_->parent_of(name_);
  auto const directory = path_.parent_path();
  return OpenDirectory(directory.empty() ? fs::path(".") : directory, path_, problem);
}

void Place::make_directory() const {
  if (folder_) return folder_->make_subdirectory(name_);
  std::error_code error;
  if (fs::create_directories(path_, error)) parent().sync(path_.parent_path());
}

void Place::remove() const {
  try {
    std::error_code ignored;
    folder_ ? folder_->remove(name_) : static_cast<void>(fs::remove(path_, ignored));
  } catch (Error const&) {  // a leftover file is harmless
  }
}

int Place::open_existing(int flags) const {
  if (!folder_) return ::open(path_.c_str(), flags);
  return ::openat(folder_->descriptor(), name_.c_str(), flags | O_NOFOLLOW);
}

void Place::claim() const {
  if (folder_) folder_->claim(name_);
}

EntryKind Place::kind() const {
  if (!folder_) return entry_kind(AT_FDCWD, path_);
  return entry_kind(folder_->descriptor(), name_);
}

}  // namespace apsis::files
