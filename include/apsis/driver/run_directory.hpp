// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace apsis::driver {

/// The directory that one run writes to.
class RunDirectory {
 public:
  /// `<deck name>.run` in the current directory.
  static std::filesystem::path default_for(std::filesystem::path const& deck);

  /// Creates the directory. One that already holds a run is refused, unless `replace` is set: then
  /// that run's files are removed. Throws an input/output error.
  RunDirectory(std::filesystem::path path, bool replace);

  std::filesystem::path const& path() const { return path_; }
  std::filesystem::path resolved_deck() const { return path_ / "deck.resolved.json"; }
  std::filesystem::path conservation() const { return path_ / "conservation.csv"; }
  std::filesystem::path summary() const { return path_ / "summary.json"; }

 private:
  std::filesystem::path path_;
};

}  // namespace apsis::driver
