// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/render/caption.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace apsis::cli {

/// Returns the snapshots of run directories in order, and the files that are named directly. Throws
/// a usage error for an empty list, and a bad-input error for a directory without snapshots.
std::vector<std::filesystem::path> find_files(std::vector<std::string> const& paths);

/// Bodies of a file, and the texts about them.
struct Scene {
  HostBodies bodies;
  render::Caption caption;
};
Scene read_scene(std::filesystem::path const& file);

/// Sorts bodies by id. Other codes may write the same bodies in a different order in each file.
void sort_by_id(HostBodies& bodies);

}  // namespace apsis::cli
