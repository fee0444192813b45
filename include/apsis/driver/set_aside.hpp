// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/io/folder.hpp>

#include <memory>
#include <vector>

namespace apsis::driver {

/// The own files of a run that another one replaces in the same folder, out of its way until that
/// one has begun well. They lie in a subdirectory whose name says how far this has come, so that
/// the next process, after a kill at any point, knows which files are whose:
///
///     .replaced.moving   some of them are there, the rest are still or again in their place
///     .replaced          all of them are there; what is in their place is of the run that began
///     .replaced.gone     they are being removed
///
/// The record of the run is moved there first, moved back last and removed last. A subdirectory of
/// these names that has no record, or is a symbolic link, is not Apsis's and is left alone.
///
/// Throws input/output errors.
class SetAside {
 public:
  explicit SetAside(std::shared_ptr<io::Folder> folder) : folder_(std::move(folder)) {}

  /// Quick test for entries of the names above, whatever they are.
  static bool may_hold(std::filesystem::path const& directory);
  /// Whether a run is there that a process set aside.
  bool holds() const;
  /// Moves the own files of the folder and its record aside. Throws if a name that is needed for
  /// this is taken.
  void put();
  /// Moves back what a process set aside, and removes the own files of the run that is in its
  /// place. Completes a removal that a process had begun.
  void give_back();
  /// Removes what was set aside, for good.
  void remove();

 private:
  /// Subdirectory of a run that was set aside; nothing if there is none.
  std::unique_ptr<io::Folder> open(char const* name) const;
  void move_back();
  void complete_removal();

  std::shared_ptr<io::Folder> folder_;
};

}  // namespace apsis::driver
