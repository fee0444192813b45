// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/set_aside.hpp>
#include <apsis/driver/tolerance.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace apsis::driver {

/// What becomes of a run that the output directory already holds. To resume if possible is to go on
/// with one that has a checkpoint or is finished, and to replace any other.
enum class Existing { refuse, replace, resume, resume_if_possible };

/// The directory that one run writes to, locked as long as this lives.
class RunDirectory {
 public:
  /// Locks the directory if it is there; changes nothing yet, but that a run which is to be resumed
  /// is given back if a process set it aside. Throws an input/output error if another run has the
  /// lock, if the directory holds a run that is to be refused, or none that could be resumed.
  RunDirectory(std::filesystem::path path, Existing existing);
  /// Gives a run back that was to be replaced by one that did not begin; warns of it.
  ~RunDirectory();
  RunDirectory(RunDirectory const&) = delete;
  RunDirectory& operator=(RunDirectory const&) = delete;

  /// Throws an input/output error if one of these files belongs to the run that is replaced.
  void expect_to_keep(std::vector<std::filesystem::path> const& inputs) const;

  /// Creates the directory and locks it; sets the files of a run aside that is to be replaced, and
  /// gives those back that a process set aside which did not begin its own. Throws an input/output
  /// error, also if another run has the lock: it is held by the process and ends with it, whatever
  /// ends it.
  void prepare();

  /// The run that was written here is to be replaced by the next one to be prepared.
  void begin_again();

  /// The new run has begun well: the one that was set aside is removed.
  void begun();

  /// Removes what a run left behind after the state that it is resumed from: its summary, half
  /// written files, and snapshots from this number on.
  void cut_back(std::uint64_t snapshots) const;

  /// Removes the pictures of a series from this number on.
  void cut_back_pictures(std::string const& name, std::uint64_t number) const;

  /// Whether the run that is there is gone on with.
  bool resumes() const { return existing_ == Existing::resume; }

  Warn warn = [](Problem const&) {};

  std::filesystem::path const& path() const { return path_; }
  std::filesystem::path resolved_deck() const { return path_ / "deck.resolved.json"; }
  std::filesystem::path conservation() const { return path_ / "conservation.csv"; }
  std::filesystem::path summary() const { return path_ / "summary.json"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoint"; }
  std::filesystem::path snapshot(std::uint64_t number) const;
  std::filesystem::path picture(std::string const& name, std::uint64_t number) const;
  std::filesystem::path table(std::string const& file) const { return path_ / file; }
  /// What says of a table which columns it has.
  static std::filesystem::path metadata_of(std::filesystem::path table) {
    return table += "-metadata.json";
  }

 private:
  /// Every file of a run that is there, whatever its deck asked for.
  std::vector<std::filesystem::path> present() const;
  bool holds_generations() const;
  enum class Absent { refuse, accept };
  void lock_directory(Absent absent);
  void lock_file();

  std::filesystem::path path_;
  Existing existing_;
  SetAside replaced_;
  bool replaces_ = false;  ///< a run that is set aside
  // Both are held: somebody may remove the file, and not every file system locks a directory.
  int directory_lock_ = -1;
  int file_lock_ = -1;
};

/// The deck, with every default filled in, of the run whose directory a path is; nothing if it is
/// none.
std::optional<std::filesystem::path> resolved_deck_in(std::filesystem::path const& path);

/// How to go on with the run of a directory as it was begun.
std::string how_to_resume(std::filesystem::path const& directory);

}  // namespace apsis::driver
