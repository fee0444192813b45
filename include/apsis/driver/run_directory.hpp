// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace apsis::driver {

/// The directory that one run writes to.
class RunDirectory {
 public:
  /// `<deck name>.run` in the current directory.
  static std::filesystem::path default_for(std::filesystem::path const& deck);

  /// Changes nothing yet. A directory that already holds a run is refused with an input/output
  /// error, unless `replace` is set.
  RunDirectory(std::filesystem::path path, bool replace);

  /// Creates the directory, or removes the files of the run that is replaced. Throws an
  /// input/output error.
  void prepare() const;

  std::filesystem::path const& path() const { return path_; }
  std::filesystem::path resolved_deck() const { return path_ / "deck.resolved.json"; }
  std::filesystem::path conservation() const { return path_ / "conservation.csv"; }
  std::filesystem::path summary() const { return path_ / "summary.json"; }
  std::filesystem::path table(std::string const& file) const { return path_ / file; }
  /// What says of a table which columns it has.
  static std::filesystem::path metadata_of(std::filesystem::path table) {
    return table += "-metadata.json";
  }

 private:
  /// Every file that a run may write, whatever its deck asks for.
  std::vector<std::filesystem::path> files() const;

  std::filesystem::path path_;
};

}  // namespace apsis::driver
