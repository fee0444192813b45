// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/run_directory.hpp>
#include <apsis/io/uninterrupted.hpp>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace apsis::driver {

namespace fs = std::filesystem;

namespace {

/// The number of a snapshot's file, or of what is left of one that was being written.
std::optional<std::uint64_t> snapshot_number(fs::path const& file) {
  std::string const name = file.filename().string(), prefix = "snapshot_";
  if (name.rfind(prefix, 0) != 0) return std::nullopt;
  std::uint64_t number = 0;
  auto const* begin = name.data() + prefix.size();
  auto const parsed = std::from_chars(begin, name.data() + name.size(), number);
  std::string const rest = parsed.ptr;
  if (parsed.ec != std::errc() || (rest != ".h5" && rest != ".h5.tmp")) return std::nullopt;
  return number;
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
    : path_(std::move(path)), existing_(existing) {
  auto const files = present();
  if (existing == Existing::refuse && !files.empty()) {
    refuse(path_, "already holds a run",
           files.front().filename().string() + " exists and would be overwritten",
           "choose another directory with --output, or give --resume or --force");
  }
  std::error_code error;
  if (existing == Existing::resume && !fs::exists(checkpoints(), error)) {
    refuse(path_, "holds no checkpoint to resume from",
           error ? error.message() : checkpoints().string() + " does not exist",
           "name the run's directory with --output, or run without --resume");
  }
}

RunDirectory::~RunDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

void RunDirectory::prepare() {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error || !fs::is_directory(path_, error)) {
    refuse(path_, "cannot be used as the output directory",
           error ? error.message() : "it is not a directory", "choose another with --output");
  }
  lock();
  if (existing_ == Existing::resume) return;
  for (auto const& file : present()) remove_file(file);
  fs::remove(checkpoints(), error);  // only if nothing of somebody else's is in it
}

void RunDirectory::lock() {
  auto const file = path_ / ".lock";
  lock_ =
      io::uninterrupted([&] { return ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666); });
  if (lock_ < 0) refuse(path_, "cannot be locked", std::strerror(errno));
  // A lock of the open file: it is gone when the process is, however that ended.
  if (io::uninterrupted([&] { return ::flock(lock_, LOCK_EX | LOCK_NB); }) == 0) return;
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
  for (auto const& file : entries_of(checkpoints())) {
    auto const name = file.filename().string();
    bool const ours = name.rfind("generation_", 0) == 0 || name.rfind("manifest.json", 0) == 0;
    if (ours) all.push_back(file);
  }
  return all;
}

}  // namespace apsis::driver
