// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include "formats/bodies_formats.hpp"
#include "render/caption.hpp"
#include <apsis/bodies/host_bodies.hpp>

#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apsis::cli {

/// Options of commands that read files of bodies.
struct InputOptions {
  std::string format{};  ///< empty: by the content, else by the extension
  std::string tipsy_ids = "automatic";
  std::string columns{};
  std::optional<double> central_mass{}, time{};
  bool ignore_ids = false;

  /// Format of a file: the given one, or that of the file. Throws a usage error for an unknown one.
  std::string format_of(std::filesystem::path const& path) const;
  /// Converts them for the readers. Throws a usage error for an unknown word.
  formats::BodiesReadOptions reading() const;
};

/// Files of a command with the options of input_options().
struct InputFiles {
  std::string operand;  ///< name in the help
  /// Returns the files that the command line names. Called when all options are set.
  std::function<std::vector<std::filesystem::path>()> list;
  bool has_several = false;  ///< whether the command takes several files, of one time each
};

/// Returns the options --from, --columns, --time, --tipsy-ids, --ignore-ids and --central-mass.
std::vector<Option> input_options(std::shared_ptr<InputOptions> const& options,
                                  InputFiles const& files);

/// Returns the format with a name that was given with an option. Throws a usage error if unknown.
std::string known_format(std::string const& option, std::string const& name);

inline void append(std::vector<Option>& table, std::vector<Option> options) {
  table.insert(table.end(), std::make_move_iterator(options.begin()),
               std::make_move_iterator(options.end()));
}

/// Restricts an option to some formats. `actual` returns the formats of the files concerned.
Option for_formats(Option option, std::function<std::vector<std::string>()> const& actual,
                   std::vector<std::string> const& formats);

/// Returns the snapshots of run directories in order, and the files that are named directly. Throws
/// a usage error for an empty list, and a bad-input error for a directory without snapshots.
std::vector<std::filesystem::path> find_files(std::vector<std::string> const& paths);

/// Returns those of several files that have the time of `input`: by their only time, or because
/// their formats may have several times. Returns all files if there is one, or without a time.
/// Reads each file. Throws a bad-input error with the times if there is none.
std::vector<std::filesystem::path> find_files(std::vector<std::string> const& paths,
                                              InputOptions const& input);

struct Scene {
  HostBodies bodies;
  render::Caption caption;
};
/// Reads a file, of which `input` may choose format, columns and time.
Scene read_scene(std::filesystem::path const& file, InputOptions const& input = {});

/// Sorts bodies by id. Other codes may write the same bodies in a different order in each file.
void sort_by_id(HostBodies& bodies);

}  // namespace apsis::cli
