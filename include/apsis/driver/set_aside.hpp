// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace apsis::driver {

/// Files of a run that another one replaces in the same directory, out of its way until that one
/// has begun well. They lie in a directory beside the others whose name says how far this has come,
/// so that the next process, after a kill at any point, knows which files are whose:
///
///     .replaced.moving   some of them are there, the rest are still or again in their place
///     .replaced          all of them are there; what is in their place is of the run that began
///     .replaced.gone     they are being removed
///
/// Throws input/output errors.
class SetAside {
 public:
  explicit SetAside(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Whether a run is there that a process set aside.
  bool holds() const;
  /// Moves the files, which are below the directory, aside.
  void put(std::vector<std::filesystem::path> const& files) const;
  /// Moves back what a process set aside and removes `begun`, the files that are in the place of
  /// it. Finishes what a process had begun to remove.
  void give_back(std::vector<std::filesystem::path> const& begun) const;
  /// Removes what was set aside, for good.
  void remove() const;

 private:
  std::filesystem::path at(char const* name) const { return directory_ / name; }
  void move_back() const;

  std::filesystem::path directory_;
};

}  // namespace apsis::driver
