// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace apsis::driver {

/// What becomes of a run that the output directory already holds.
enum class Existing { refuse, replace, resume };

/// The directory that one run writes to, locked as long as this lives.
class RunDirectory {
 public:
  /// Changes nothing yet. Throws an input/output error if the directory holds a run that is to be
  /// refused, or none that could be resumed.
  RunDirectory(std::filesystem::path path, Existing existing);
  ~RunDirectory();
  RunDirectory(RunDirectory const&) = delete;
  RunDirectory& operator=(RunDirectory const&) = delete;

  /// Creates the directory and locks it; removes the files of the run that is replaced. Throws an
  /// input/output error, also if another run has the lock: it is held by the process and ends with
  /// it, whatever ends it.
  void prepare();

  /// Removes what a run left behind after the state that it is resumed from: its summary, half
  /// written files, and snapshots from this number on.
  void cut_back(std::uint64_t snapshots) const;

  std::filesystem::path const& path() const { return path_; }
  std::filesystem::path resolved_deck() const { return path_ / "deck.resolved.json"; }
  std::filesystem::path conservation() const { return path_ / "conservation.csv"; }
  std::filesystem::path summary() const { return path_ / "summary.json"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoint"; }
  std::filesystem::path snapshot(std::uint64_t number) const;
  std::filesystem::path table(std::string const& file) const { return path_ / file; }
  /// What says of a table which columns it has.
  static std::filesystem::path metadata_of(std::filesystem::path table) {
    return table += "-metadata.json";
  }

 private:
  /// Every file of a run that is there, whatever its deck asked for.
  std::vector<std::filesystem::path> present() const;
  void lock();

  std::filesystem::path path_;
  Existing existing_;
  int lock_ = -1;
};

}  // namespace apsis::driver
