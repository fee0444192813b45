// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/render/caption.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace apsis::cli {

/// The snapshots of runs in their order, and the files that are named themselves. Throws a usage
/// error if none is named, and a bad-input error for a directory without snapshots.
std::vector<std::filesystem::path> files_of(std::vector<std::string> const& paths);

/// What a file says of its bodies.
struct Scene {
  HostBodies bodies;
  render::Caption caption;
};
Scene scene_of(std::filesystem::path const& file);

/// The order in which other codes' files have the same bodies changes from one to the next.
void sort_by_id(HostBodies& bodies);

}  // namespace apsis::cli
