// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/files/folder.hpp>

namespace apsis::run {

/// Files of a run that is being replaced by another run in the same folder. They stay in a
/// subdirectory until the new run has written its first state. The name of the subdirectory tells
/// how far the replacement has come, so that after a kill at any point the next process knows which
/// files belong to which run:
///
///     .replaced.moving   some of the files are here, the others in their original place
///     .replaced          all files are here; the original place has those of the new run
///     .replaced.gone     the files are being removed
///
/// The record of files of the old run is moved here first, moved back last and removed last. A
/// subdirectory of these names without a record, or a symbolic link, does not belong to Apsis and
/// is left alone.
///
/// Throws input/output errors.
class SetAside {
 public:
  explicit SetAside(std::shared_ptr<files::Folder> folder) : folder_(std::move(folder)) {}

  /// Quick test for entries of the names above, of any kind.
  static bool may_hold(std::filesystem::path const& directory);
  bool holds() const;
  /// Moves the record and own files of the folder aside. Throws if a needed name is taken.
  void move_aside();
  /// Restores the run that was set aside and removes the own files of the run in its place.
  /// Completes an interrupted removal.
  void restore();
  void remove();

 private:
  /// Opens the subdirectory of a run that was set aside; null if there is none.
  std::unique_ptr<files::Folder> open(char const* name) const;
  void move_back();
  void complete_removal();

  std::shared_ptr<files::Folder> folder_;
};

}  // namespace apsis::run
