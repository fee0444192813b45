// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "input_options.hpp"
#include "render/caption.hpp"
#include <apsis/bodies/host_bodies.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace apsis::cli {

/// Returns the snapshots of run directories in order, and the files that are named directly. Throws
/// a usage error for an empty list, and a bad-input error for a directory without snapshots.
std::vector<std::filesystem::path> find_files(std::vector<std::string> const& paths);

/// Returns those of several files that have the time of `input`: by their only time, or because
/// their formats may have several times. Returns all files if there is one, or without a time.
/// Reads each file. Throws a bad-input error with the times if there is none.
std::vector<std::filesystem::path> find_files(std::vector<std::string> const& paths,
                                              InputOptions const& input);

/// Bodies of a file, and the texts about them.
struct Scene {
  HostBodies bodies;
  render::Caption caption;
};
/// Reads a file, of which `input` may choose format, columns and time.
Scene read_scene(std::filesystem::path const& file, InputOptions const& input = {});

/// Sorts bodies by id. Other codes may write the same bodies in a different order in each file.
void sort_by_id(HostBodies& bodies);

}  // namespace apsis::cli
