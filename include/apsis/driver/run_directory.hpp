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

/// The directory that one run writes to, locked as long as this lives. It is opened once: a run
/// goes on writing into it if its path is renamed. Only files that the run's record lists
/// (io::Folder) are replaced, cut back or removed.
class RunDirectory {
 public:
  /// Locks an existing directory. Modifies nothing, except that with `resume` a run left
  /// half-replaced by a killed process is restored first. Throws an input/output error if another
  /// run has the lock, if the directory holds a run that must be refused, or none to resume.
  RunDirectory(std::filesystem::path path, Existing existing);
  /// Restores a run that was to be replaced by one that did not begin; warns of it.
  ~RunDirectory();
  RunDirectory(RunDirectory const&) = delete;
  RunDirectory& operator=(RunDirectory const&) = delete;

  /// Throws an input/output error if one of these files belongs to the run that is replaced.
  void expect_to_keep(std::vector<std::filesystem::path> const& inputs) const;

  /// Creates the directory and locks it; restores a run that a killed process left half-replaced;
  /// sets the files of a run aside that is to be replaced. Throws an input/output error if another
  /// run has the lock, or if a name that runs write to is taken by something that no run wrote. The
  /// lock is held by the process and ends with it, whatever ends it.
  void prepare();

  /// The run that was written here is to be replaced by the next one to be prepared.
  void begin_again();

  /// The new run has begun well: the one that was set aside is removed.
  void begun();

  /// Removes files that a run wrote after the state that it resumes from: its summary, temporary
  /// files, and snapshots from this number on. Lists the files of the run that the record lacks.
  void cut_back(std::uint64_t snapshots, std::vector<std::string> const& tables) const;

  /// Removes the pictures of a series from this number on.
  void cut_back_pictures(std::string const& name, std::uint64_t number) const;
  void cut_back_snapshots(std::uint64_t number) const;

  /// Lists `summary.json`, which is written last: what is in its place must be known at the start.
  void claim_summary() const { summary().claim(); }
  /// Creates the directory of pictures if it is absent.
  void make_pictures_directory() const { folder_->make_subdirectory("pictures"); }
  /// The end of a run: closes the record. Warns if the record had been removed, or if the directory
  /// was moved during the run.
  void finish() const;

  /// Whether a run is set aside that this one replaces.
  bool replaces() const { return replaces_; }
  /// Whether the existing run is resumed.
  bool resumes() const { return existing_ == Existing::resume; }

  Warn warn = [](Problem const&) {};

  /// Path that the directory was opened by.
  std::filesystem::path const& path() const { return path_; }
  /// Path of the directory now, if the system can tell; it may have been renamed.
  std::filesystem::path current_path() const;
  io::Place resolved_deck() const { return at("deck.resolved.json"); }
  io::Place conservation() const { return at("conservation.csv"); }
  io::Place summary() const { return at("summary.json"); }
  io::Place checkpoints() const { return at("checkpoint"); }
  io::Place snapshot(std::uint64_t number) const;
  io::Place picture(std::string const& name, std::uint64_t number) const;
  io::Place table(std::string const& file) const { return at(file); }
  /// Description of a table's columns.
  io::Place table_metadata(std::string const& file) const { return at(file + "-metadata.json"); }
  /// Writes the entries of the directory to the disk.
  void sync() const;

 private:
  io::Place at(std::filesystem::path const& name) const;
  /// Names of files that any run can write and that exist here, own or not.
  std::vector<std::filesystem::path> taken_names() const;
  bool holds_generations() const;
  /// Whether a run came to its own end and could write all of it.
  bool holds_finished_run() const;
  enum class Absent { refuse, accept };
  void lock_directory(Absent absent);
  void lock_file();
  void cut_back_series(std::filesystem::path const& prefix, std::string const& extension,
                       std::uint64_t number) const;

  std::filesystem::path path_;
  Existing existing_;
  std::shared_ptr<io::Folder> folder_;  ///< nothing as long as there is no directory
  int open_error_ = 0;                  ///< why, unless it is absent (errno)
  bool replaces_ = false;               ///< a run that is set aside
  // The directory is locked as well: a user may remove the file, and not every file system locks a
  // directory.
  int file_lock_ = -1;
};

/// Restores a run that a killed process left half-replaced in a directory, unless a run has the
/// lock there. Anything else is left as it is. Throws an input/output error if it cannot.
void restore_run(std::filesystem::path const& directory);

/// The deck, with every default filled in, of the run whose directory a path is; nothing if it is
/// none. A run that a killed process left half-replaced is restored first.
std::optional<std::filesystem::path> resolved_deck_in(std::filesystem::path const& path);

/// How to go on with the run of a directory as it was begun.
std::string how_to_resume(std::filesystem::path const& directory);

}  // namespace apsis::driver
