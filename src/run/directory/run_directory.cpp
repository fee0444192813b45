// SPDX-License-Identifier: Apache-2.0
#include "apsis/run/run_directory.hpp"

#include "core/program.hpp"
#include "files/file.hpp"
#include "files/record.hpp"
#include "files/system_calls.hpp"
#include "run/directory/set_aside.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/render/shot.hpp>
#include <apsis/simulation/events.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace apsis::run {

namespace fs = std::filesystem;

namespace {

/// Returns the number of a file in a series: 6 digits, or more without leading zeros.
std::optional<std::uint64_t> number_of(std::string const& name, std::string const& prefix,
                                       std::string const& extension) {
  constexpr std::size_t min_digits = 6;
  if (!name.starts_with(prefix) || !name.ends_with(extension)) return std::nullopt;
  if (name.size() < prefix.size() + min_digits + extension.size()) return std::nullopt;
  std::string const digits =
      name.substr(prefix.size(), name.size() - prefix.size() - extension.size());
  if (digits.size() > min_digits && digits[0] == '0') return std::nullopt;
  std::uint64_t number = 0;
  auto const* end = digits.data() + digits.size();
  auto const parsed = std::from_chars(digits.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

[[noreturn]] void refuse(fs::path const& path, std::string const& problem, std::string const& why,
                         std::string const& advice = "choose another directory with --output") {
  throw Error(ExitStatus::input_output, Problem{path.string(), problem, why, advice});
}

/// Locks an open file or directory. Returns false and sets errno if that fails. A killed process
/// holds its locks until its memory is freed, so a held lock is retried for two seconds.
bool lock_patiently(int descriptor) {
  constexpr auto patience = std::chrono::seconds(2);
  auto const end = std::chrono::steady_clock::now() + patience;
  while (files::uninterrupted([&] { return ::flock(descriptor, LOCK_EX | LOCK_NB); }) != 0) {
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

/// Opens a directory as a folder and locks it; null if there is no such directory. `is_locked`:
/// whether another run has the lock.
std::shared_ptr<files::Folder> open_folder(fs::path const& path, bool& is_locked) {
  int const descriptor = files::uninterrupted(
      [&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) return nullptr;
  // Other errors are ignored: some file systems cannot lock a directory.
  is_locked = !lock_patiently(descriptor) && errno == EWOULDBLOCK;
  if (is_locked) {
    ::close(descriptor);
    return nullptr;
  }
  try {
    return std::make_shared<files::Folder>(path, descriptor);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
}

}  // namespace

RunDirectory::RunDirectory(fs::path path, Existing existing)
    : path_(std::move(path)), existing_(existing) {
  lock_directory(Absent::accept);
  bool const may_resume =
      existing_ == Existing::resume || existing_ == Existing::resume_if_possible;
  if (folder_ && may_resume) SetAside(folder_).restore();
  bool const set_aside = folder_ && SetAside(folder_).holds();
  auto const names = taken_names();
  bool const finished = holds_finished_run();
  bool const resumable = finished || holds_generations();
  if (existing == Existing::refuse && (!names.empty() || set_aside)) {
    refuse(path_, "already holds a run",
           (names.empty() ? "one that was set aside" : names.front().string()) +
               " exists and would be overwritten",
           std::string("choose another directory with --output, or give ") +
               (resumable || set_aside ? "--resume or --force" : "--force"));
  }
  if (existing == Existing::resume_if_possible) {
    existing_ = resumable ? Existing::resume : Existing::replace;
  }
  if (existing_ != Existing::resume) return;
  auto const checkpoints_there = folder_ ? checkpoints().kind() : files::EntryKind::absent;
  if (checkpoints_there == files::EntryKind::absent && !finished) {
    refuse(path_, "holds no checkpoint to resume from",
           open_error_ != 0 ? std::strerror(open_error_)
                            : (path_ / "checkpoint").string() + " does not exist",
           names.empty()
               ? "name the run's directory instead of the deck, or with --output, or run without "
                 "--resume"
               : "name the run's directory with --output, or start it again with --force");
  }
  folder_->expect_subdirectory("checkpoint");
}

RunDirectory::~RunDirectory() {
  if (replaces_) {
    try {
      SetAside(folder_).restore();
      warn({path_.string(), "the previous run was restored", "the new run did not start", ""});
    } catch (std::exception const& error) {
      warn({path_.string(), "the run that was to be replaced is still set aside", error.what(),
            "the next run there restores it"});
    }
  }
  if (file_lock_ >= 0) ::close(file_lock_);
}

void RunDirectory::check_inputs(std::vector<fs::path> const& inputs) const {
  if (existing_ != Existing::replace || !folder_) return;
  for (auto const& file : folder_->own_files()) {
    for (auto const& input : inputs) {
      std::error_code ignored;
      if (!fs::equivalent(path_ / file, input, ignored)) continue;
      refuse(input, "belongs to the run that --force replaces", "the new run begins with it",
             "choose another directory with --output, or copy the file to another place");
    }
  }
}

void RunDirectory::prepare() {
  if (!folder_) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error || !fs::is_directory(path_, error)) {
      refuse(path_, "cannot be used as the output directory",
             error ? error.message() : "it is not a directory", "choose another with --output");
    }
    lock_directory(Absent::refuse);
  }
  lock_file();
  SetAside replaced(folder_);
  replaced.restore();
  for (auto const* name : {"checkpoint", "pictures"}) folder_->expect_subdirectory(name);
  if (existing_ == Existing::resume) return;
  replaces_ = !folder_->own_files().empty();
  if (replaces_) {
    replaced.move_aside();
  } else {
    folder_->remove_own();  // removes the record; its files are gone
  }
  // The remaining files belong to no run and would be overwritten later.
  if (auto const names = taken_names(); !names.empty()) {
    refuse(path_ / names.front(), "is not a file that a run wrote here",
           std::string("a run writes one of this name, and ") + files::Folder::record_name +
               " does not list it",
           "move it away, or choose another directory with --output");
  }
}

void RunDirectory::prepare_restart() {
  existing_ = Existing::replace;
  confirm_start();  // removes the run that the previous run of this process has replaced
  if (file_lock_ >= 0) ::close(file_lock_);
  file_lock_ = -1;
}

void RunDirectory::confirm_start() {
  if (!replaces_) return;
  replaces_ = false;
  SetAside(folder_).remove();
}

/// The lock belongs to the open file or directory and ends with the process.
void RunDirectory::lock_directory(Absent absent) {
  bool is_locked = false;
  folder_ = open_folder(path_, is_locked);
  int const code = errno;
  open_error_ = folder_ || is_locked || code == ENOENT ? 0 : code;
  if (is_locked) refuse(path_, "another run is writing there", std::strerror(EWOULDBLOCK));
  if (!folder_ && absent == Absent::refuse) refuse(path_, "cannot be opened", std::strerror(code));
}

void RunDirectory::lock_file() {
  file_lock_ = files::uninterrupted([&] {
    return ::openat(folder_->descriptor(), ".lock",
                    O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  });
  if (file_lock_ < 0) refuse(path_, "cannot be locked", std::strerror(errno));
  if (lock_patiently(file_lock_)) return;
  refuse(path_, errno == EWOULDBLOCK ? "another run is writing there" : "cannot be locked",
         std::strerror(errno));
}

void RunDirectory::cut_back(std::uint64_t snapshots, std::vector<std::string> const& tables) const {
  // The checkpoint proves that these files belong to the run, even if the record was lost.
  for (auto const* name : {"deck.resolved.json", "summary.json", "checkpoint/manifest.json"}) {
    folder_->adopt(name);
  }
  std::vector<std::string> files{"conservation.csv"};
  files.insert(files.end(), tables.begin(), tables.end());
  for (auto const& name : files) {
    folder_->adopt(name);
    folder_->adopt(name + "-metadata.json");
  }
  for (std::uint64_t i = 0; i < snapshots; ++i) folder_->adopt(snapshot(i).path().filename());
  folder_->remove_temporaries();
  folder_->remove("summary.json");
  cut_back_snapshots(snapshots);
}

void RunDirectory::cut_back_series(fs::path const& prefix, std::string const& extension,
                                   std::uint64_t number) const {
  for (auto const& file : folder_->own_files()) {
    if (file.parent_path() != prefix.parent_path()) continue;
    auto const file_number =
        number_of(file.filename().string(), prefix.filename().string(), extension);
    if (file_number && *file_number >= number) folder_->remove(file);
  }
}

files::Place RunDirectory::entry(fs::path const& name) const {
  return folder_ ? files::Place(folder_, name) : files::Place(path_ / name);
}

files::Place RunDirectory::snapshot(std::uint64_t number) const {
  return entry(formatted("snapshot_%06llu.h5", static_cast<unsigned long long>(number)));
}

files::Place RunDirectory::picture(std::string const& name, std::uint64_t number) const {
  return entry(render::picture_path("pictures", name, number));
}

void RunDirectory::sync() const {
  files::OpenDirectory(folder_->descriptor()).sync(path_);
}

fs::path RunDirectory::current_path() const {
  if (!folder_ || folder_->is_at_path()) return path_;
  std::error_code ignored;
  auto const now =
      fs::read_symlink("/proc/self/fd/" + std::to_string(folder_->descriptor()), ignored);
  return now.empty() ? path_ : now;
}

void RunDirectory::finish() const {
  if (folder_->finish_record()) {
    warn({(path_ / files::Folder::record_name).string(), "was removed during the run", "",
          "it is there again"});
  }
  if (!folder_->is_at_path()) {
    auto const now = current_path();
    warn({path_.string(), "was moved during the run",
          now == path_ ? "" : "it is " + now.string() + " now",
          "the files of the run are in the directory that was moved"});
  }
}

bool RunDirectory::holds_finished_run() const {
  if (!folder_ || summary().kind() != files::EntryKind::regular) return false;
  auto const exit = files::number_in(files::read_file(summary()), "exit_code");
  return exit == 0.0 || exit == 1.0;
}

bool RunDirectory::holds_generations() const {
  if (!folder_ || checkpoints().kind() != files::EntryKind::directory) return false;
  auto const directory = (checkpoints() / "any").parent();
  auto const names = files::entry_names(directory.descriptor());
  return std::any_of(names.begin(), names.end(), [](std::string const& name) {
    return number_of(name, "generation_", ".bin").has_value();
  });
}

std::vector<fs::path> RunDirectory::taken_names() const {
  if (!folder_) return {};
  std::vector<std::string> tables{"conservation.csv", simulation::event_file};
  for (auto const& diagnostic : deck::diagnostic_entries()) tables.push_back(diagnostic.file);
  std::vector<std::string> names{"deck.resolved.json", "conservation.csv", "summary.json"};
  names.insert(names.end(), tables.begin() + 1, tables.end());
  for (auto const& table : tables) names.push_back(table + "-metadata.json");
  std::vector<fs::path> taken;
  for (auto const& name : names) {
    if (entry(name).kind() != files::EntryKind::absent) taken.emplace_back(name);
  }
  for (auto const& name : files::entry_names(folder_->descriptor())) {
    if (number_of(name, "snapshot_", ".h5")) taken.emplace_back(name);
  }
  if (checkpoints().kind() != files::EntryKind::directory) return taken;
  auto const directory = (checkpoints() / "any").parent();
  for (auto const& name : files::entry_names(directory.descriptor())) {
    bool const is_taken = name == "manifest.json" || number_of(name, "generation_", ".bin");
    if (is_taken) taken.push_back(fs::path("checkpoint") / name);
  }
  return taken;
}

void restore_run(fs::path const& directory) {
  if (!SetAside::may_hold(directory)) return;
  bool is_locked = false;
  auto const folder = open_folder(directory, is_locked);
  if (!folder || !SetAside(folder).holds()) return;
  // Some file systems cannot lock a directory: the lock file decides there.
  int const file = files::uninterrupted([&] {
    return ::openat(folder->descriptor(), ".lock", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  });
  bool const is_free = file < 0 || lock_patiently(file);
  struct Closing {
    int descriptor;
    ~Closing() {
      if (descriptor >= 0) ::close(descriptor);
    }
  } const closing{file};
  if (is_free) SetAside(folder).restore();
}

std::optional<fs::path> resolved_deck_in(fs::path const& path) {
  restore_run(path);
  std::error_code ignored;
  auto const deck = path / "deck.resolved.json";
  return fs::is_regular_file(deck, ignored) ? std::optional(deck) : std::nullopt;
}

std::string resume_command(fs::path const& directory) {
  return program_command("run " + shell_path(directory.string()) + " --resume");
}

}  // namespace apsis::run
