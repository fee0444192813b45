// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/run_directory.hpp>
#include <apsis/io/file.hpp>
#include <apsis/io/record.hpp>
#include <apsis/io/uninterrupted.hpp>
#include <apsis/render/shot.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <set>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace apsis::driver {

namespace fs = std::filesystem;

namespace {

/// The number of a file of a series, or of what is left of one that was being written.
std::optional<std::uint64_t> number_of(fs::path const& file, std::string const& prefix,
                                       std::string const& extension) {
  std::string const name = file.filename().string();
  if (name.rfind(prefix, 0) != 0) return std::nullopt;
  std::uint64_t number = 0;
  auto const* begin = name.data() + prefix.size();
  auto const parsed = std::from_chars(begin, name.data() + name.size(), number);
  std::string const rest = parsed.ptr;
  bool const ours = rest == extension || rest == extension + ".tmp";
  return parsed.ec == std::errc() && ours ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> snapshot_number(fs::path const& file) {
  return number_of(file, "snapshot_", ".h5");
}

/// The names of the series of pictures that a deck asks for: whoever has others in their directory
/// keeps them.
std::set<std::string> series_of(fs::path const& deck) {
  std::error_code ignored;
  if (!fs::is_regular_file(deck, ignored)) return {};
  auto const names = io::texts_in(io::read_file(deck), "output.render", "name");
  return {names.begin(), names.end()};
}

std::vector<fs::path> entries_of(fs::path const& directory) {
  std::vector<fs::path> all;
  std::error_code ignored;
  for (auto const& entry : fs::directory_iterator(directory, ignored)) all.push_back(entry.path());
  return all;
}

[[noreturn]] void refuse(fs::path const& path, std::string const& problem, std::string const& why,
                         std::string const& advice = "choose another directory with --output") {
  throw Error(ExitStatus::input_output, Problem{path.string(), problem, why, advice});
}

void remove_file(fs::path const& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) refuse(path, "cannot be removed", error.message(), "check its permissions");
}

}  // namespace

RunDirectory::RunDirectory(fs::path path, Existing existing)
    : path_(std::move(path)), existing_(existing), replaced_(path_) {
  lock_directory(Absent::accept);
  std::error_code ignored;
  bool const may_resume =
      existing_ == Existing::resume || existing_ == Existing::resume_if_possible;
  if (may_resume && replaced_.holds()) replaced_.give_back(present());
  auto const files = present();
  bool const finished = fs::exists(summary(), ignored);
  if (existing == Existing::refuse && (!files.empty() || replaced_.holds())) {
    bool const resumable = holds_generations() || finished || replaced_.holds();
    refuse(path_, "already holds a run",
           (files.empty() ? "one that was set aside" : files.front().filename().string()) +
               " exists and would be overwritten",
           std::string("choose another directory with --output, or give ") +
               (resumable ? "--resume or --force" : "--force"));
  }
  if (existing == Existing::resume_if_possible) {
    existing_ = holds_generations() || finished ? Existing::resume : Existing::replace;
  }
  std::error_code error;
  if (existing == Existing::resume && !fs::exists(checkpoints(), error) && !finished) {
    refuse(path_, "holds no checkpoint to resume from",
           error ? error.message() : checkpoints().string() + " does not exist",
           files.empty()
               ? "name the run's directory instead of the deck, or with --output, or run without "
                 "--resume"
               : "name the run's directory with --output, or start it again with --force");
  }
}

RunDirectory::~RunDirectory() {
  if (replaces_) {
    try {
      replaced_.give_back(present());
      warn({path_.string(), "holds the run again that it held before", "the new one did not begin",
            ""});
    } catch (std::exception const& error) {
      warn({path_.string(), "the run that was to be replaced is still set aside", error.what(),
            "the next run there gives it back"});
    }
  }
  if (file_lock_ >= 0) ::close(file_lock_);
  if (directory_lock_ >= 0) ::close(directory_lock_);
}

void RunDirectory::expect_to_keep(std::vector<fs::path> const& inputs) const {
  if (existing_ != Existing::replace) return;
  for (auto const& file : present()) {
    for (auto const& input : inputs) {
      std::error_code ignored;
      if (!fs::equivalent(file, input, ignored)) continue;
      refuse(input, "belongs to the run that --force replaces", "the new run begins with it",
             "choose another directory with --output, or copy the file to another place");
    }
  }
}

void RunDirectory::prepare() {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error || !fs::is_directory(path_, error)) {
    refuse(path_, "cannot be used as the output directory",
           error ? error.message() : "it is not a directory", "choose another with --output");
  }
  if (directory_lock_ < 0) lock_directory(Absent::refuse);
  lock_file();
  replaced_.give_back(present());
  if (existing_ == Existing::resume) return;
  auto const files = present();
  replaces_ = !files.empty();
  replaced_.put(files);
  // Only if nothing of somebody else's is in them.
  fs::remove(checkpoints(), error);
  fs::remove(path_ / "pictures", error);
}

void RunDirectory::begin_again() {
  existing_ = Existing::replace;
  begun();  // what the run before this one had replaced
  if (file_lock_ >= 0) ::close(file_lock_);
  file_lock_ = -1;
}

void RunDirectory::begun() {
  if (!replaces_) return;
  replaces_ = false;
  replaced_.remove();
}

/// The lock is of the open file or directory: it is gone when the process is, however that ended.
void RunDirectory::lock_directory(Absent absent) {
  directory_lock_ =
      io::uninterrupted([&] { return ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (directory_lock_ < 0) {
    if (absent == Absent::refuse) refuse(path_, "cannot be opened", std::strerror(errno));
    return;
  }
  int const code =
      io::uninterrupted([&] { return ::flock(directory_lock_, LOCK_EX | LOCK_NB); }) == 0 ? 0
                                                                                          : errno;
  // Some file systems lock no directories, and say so.
  if (code == EWOULDBLOCK) refuse(path_, "another run is writing there", std::strerror(code));
}

void RunDirectory::lock_file() {
  auto const file = path_ / ".lock";
  file_lock_ =
      io::uninterrupted([&] { return ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666); });
  if (file_lock_ < 0) refuse(path_, "cannot be locked", std::strerror(errno));
  if (io::uninterrupted([&] { return ::flock(file_lock_, LOCK_EX | LOCK_NB); }) == 0) return;
  refuse(path_, errno == EWOULDBLOCK ? "another run is writing there" : "cannot be locked",
         std::strerror(errno));
}

void RunDirectory::cut_back(std::uint64_t snapshots) const {
  remove_file(summary());
  for (auto const& file : entries_of(path_)) {
    auto const number = snapshot_number(file);
    if (number && (*number >= snapshots || file.extension() == ".tmp")) remove_file(file);
  }
}

fs::path RunDirectory::snapshot(std::uint64_t number) const {
  return path_ / formatted("snapshot_%06llu.h5", static_cast<unsigned long long>(number));
}

fs::path RunDirectory::picture(std::string const& name, std::uint64_t number) const {
  return render::picture_path(path_ / "pictures", name, number);
}

void RunDirectory::cut_back_pictures(std::string const& name, std::uint64_t number) const {
  for (auto const& file : entries_of(path_ / "pictures")) {
    auto const of = number_of(file, name + "_", ".png");
    if (of && (*of >= number || file.extension() == ".tmp")) remove_file(file);
  }
}

bool RunDirectory::holds_generations() const {
  auto const files = entries_of(checkpoints());
  return std::any_of(files.begin(), files.end(), [](fs::path const& file) {
    return file.filename().string().starts_with("generation_");
  });
}

std::vector<fs::path> RunDirectory::present() const {
  std::vector<fs::path> all{resolved_deck(), conservation(), metadata_of(conservation()),
                            summary()};
  for (auto const& diagnostic : diagnostic_entries()) {
    all.push_back(table(diagnostic.file));
    all.push_back(metadata_of(table(diagnostic.file)));
  }
  // Also what a process that was killed left half written.
  for (std::size_t i = all.size(); i-- > 0;) all.push_back(all[i].string() + ".tmp");
  std::error_code ignored;
  std::erase_if(all, [&](fs::path const& file) { return !fs::exists(file, ignored); });
  for (auto const& file : entries_of(path_)) {
    if (snapshot_number(file)) all.push_back(file);
  }
  auto const series = series_of(resolved_deck());
  for (auto const& file : entries_of(path_ / "pictures")) {
    auto const name = file.filename().string();
    if (series.count(name.substr(0, name.rfind('_'))) == 0) continue;
    if (number_of(file, name.substr(0, name.rfind('_') + 1), ".png")) all.push_back(file);
  }
  for (auto const& file : entries_of(checkpoints())) {
    auto const name = file.filename().string();
    bool const ours = name.rfind("generation_", 0) == 0 || name.rfind("manifest.json", 0) == 0;
    if (ours) all.push_back(file);
  }
  return all;
}

std::optional<fs::path> resolved_deck_in(fs::path const& path) {
  std::error_code ignored;
  auto const deck = path / "deck.resolved.json";
  return fs::is_regular_file(deck, ignored) ? std::optional(deck) : std::nullopt;
}

std::string how_to_resume(fs::path const& directory) {
  auto const path = directory.string();
  bool const plain = path.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_./-+,:@%=") == std::string::npos;
  return "'apsis run " + (plain ? path : "\"" + path + "\"") + " --resume'";
}

}  // namespace apsis::driver
