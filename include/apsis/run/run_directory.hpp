// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/files/folder.hpp>
#include <apsis/run/error_policy.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apsis::run {

/// Policy for a run that the output directory already contains. `resume_if_possible` resumes a run
/// that has a checkpoint or is finished, and replaces any other run.
enum class Existing { refuse, replace, resume, resume_if_possible };

/// The directory of a run, locked during the lifetime of this object. It is opened once, so a run
/// continues to write into it if its path is renamed. Only files that the record of files lists
/// (files::Folder) are replaced, cut back or removed.
///
///     RUN/
///       .lock                               held while a run writes here
///       apsis-files.txt                     record of files: every file that runs wrote here
///       deck.resolved.json                  the deck with all defaults
///       conservation.csv, TABLE.csv         each with a description, *-metadata.json
///       snapshot_000000.h5 ...
///       pictures/NAME_000000.png ...
///       checkpoint/generation_000001.bin    state of the run
///       checkpoint/manifest.json            the valid generations
///       summary.json                        result of the run
///       .replaced/                          the run that is being replaced, see SetAside
///
/// Order of the writes:
///
///     prepare       lock -> restore a half-replaced run -> set the old run aside
///                        -> check that no name is taken
///     start         deck.resolved.json -> tables -> first state -> sync -> remove the old run
///     checkpoint    finish background writes -> sync tables -> generation -> manifest
///     resume        read manifest and generation -> cut all files back to its record
///     end           checkpoint of the last state -> outputs due only at the end
///                        -> sync and close tables -> close the record -> summary.json
///
/// Each file is entered in the record before it is created.
class RunDirectory {
 public:
  /// Locks an existing directory. Modifies nothing, except that with `resume` a run left
  /// half-replaced by a killed process is restored first. Throws an input/output error if another
  /// run has the lock, if the directory holds a run that must be refused, or none to resume.
  RunDirectory(std::filesystem::path path, Existing existing);
  /// Restores the old run if the new one has not started; warns of it.
  ~RunDirectory();
  RunDirectory(RunDirectory const&) = delete;
  RunDirectory& operator=(RunDirectory const&) = delete;

  /// Throws an input/output error if one of these input files belongs to the run that is replaced.
  void check_inputs(std::vector<std::filesystem::path> const& inputs) const;

  /// Creates the directory and locks it, restores a run left half-replaced by a killed process, and
  /// sets aside the run to be replaced. Throws an input/output error if another run has the lock,
  /// or if another file has a name that runs write to. The lock ends with the process.
  void prepare();

  /// Makes the next prepare() replace the run that was written here.
  void prepare_restart();

  /// Confirms that the new run has started: removes the run that was set aside.
  void confirm_start();

  /// Removes files that were written after the resumed state: the summary, temporary files, and
  /// snapshots from number `snapshots` on. Adds missing files of the run to the record of files.
  void cut_back(std::uint64_t snapshots, std::vector<std::string> const& tables) const;

  /// Removes the pictures of a series with numbers from `number` on.
  void cut_back_pictures(std::string const& name, std::uint64_t number) const {
    cut_back_series(std::filesystem::path("pictures") / (name + "_"), ".png", number);
  }
  /// Removes the snapshots with numbers from `number` on.
  void cut_back_snapshots(std::uint64_t number) const {
    cut_back_series("snapshot_", ".h5", number);
  }

  /// Enters `summary.json` in the record of files. It is written last, so an obstacle in its place
  /// must be detected at the start.
  void claim_summary() const { summary().claim(); }
  /// Creates the directory of pictures if it is absent.
  void make_pictures_directory() const { folder_->make_subdirectory("pictures"); }
  /// Ends the output of a run: closes the record of files. Warns if the record was removed, or if
  /// the directory was moved during the run.
  void finish() const;

  /// Whether a run is set aside that this one replaces.
  bool replaces() const { return replaces_; }
  /// Whether the existing run is resumed.
  bool resumes() const { return existing_ == Existing::resume; }

  WarningHandler warn = [](Problem const&) {};

  /// Path with which the directory was opened.
  std::filesystem::path const& path() const { return path_; }
  /// Present path of the directory, which may have been renamed, if the system can tell.
  std::filesystem::path current_path() const;
  files::Place resolved_deck() const { return entry("deck.resolved.json"); }
  files::Place conservation() const { return entry("conservation.csv"); }
  files::Place summary() const { return entry("summary.json"); }
  files::Place checkpoints() const { return entry("checkpoint"); }
  files::Place snapshot(std::uint64_t number) const;
  files::Place picture(std::string const& name, std::uint64_t number) const;
  files::Place table(std::string const& file) const { return entry(file); }
  /// Description of the columns of a table.
  files::Place table_metadata(std::string const& file) const {
    return entry(file + "-metadata.json");
  }
  /// Writes the directory entries to the disk.
  void sync() const;

 private:
  files::Place entry(std::filesystem::path const& name) const;
  /// Names of existing files that a run could overwrite, in the record of files or not.
  std::vector<std::filesystem::path> taken_names() const;
  bool holds_generations() const;
  /// Whether a run reached its end and wrote all its files.
  bool holds_finished_run() const;
  enum class Absent { refuse, accept };
  void lock_directory(Absent absent);
  void lock_file();
  void cut_back_series(std::filesystem::path const& prefix, std::string const& extension,
                       std::uint64_t number) const;

  std::filesystem::path path_;
  Existing existing_;
  std::shared_ptr<files::Folder> folder_;  ///< null while there is no directory
  int open_error_ = 0;                     ///< errno if it cannot be opened; 0 if it is absent
  bool replaces_ = false;                  ///< a run is set aside
  // Besides the directory: a lock file may be removed, and some file systems lock no directory.
  int file_lock_ = -1;
};

/// Restores a run that a killed process left half-replaced in a directory, unless a run has the
/// lock there. Leaves everything else unchanged. Throws an input/output error if it fails.
void restore_run(std::filesystem::path const& directory);

/// Returns the resolved deck of the run in a directory; nothing if there is no run. A run left
/// half-replaced by a killed process is restored first.
std::optional<std::filesystem::path> resolved_deck_in(std::filesystem::path const& path);

/// Returns the command that resumes the run of a directory with its original deck.
std::string resume_command(std::filesystem::path const& directory);

}  // namespace apsis::run
