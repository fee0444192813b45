// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formats/gadget.hpp"
#include "formats/text_bodies.hpp"
#include "formats/tipsy.hpp"
#include <apsis/core/registry.hpp>
#include <apsis/files/folder.hpp>
#include <apsis/formats/bodies_file.hpp>

namespace apsis::formats {

/// Options of reading and writing. Each format uses those that concern it.
struct BodiesReadOptions {
  TipsyIds tipsy_ids = TipsyIds::automatic;
  CountCheck count{};  ///< may be empty
  std::string
      columns{};  ///< names of the columns of a text file, see text_bodies.hpp; may be empty
  std::optional<double> central_mass{};  ///< of a format that has_central_body [Msun]; default 1
  std::optional<double> time{};          ///< to choose from a file with several times, in its units
  bool ids = true;  ///< whether the ids of the file are used; otherwise bodies are numbered anew
};
struct BodiesWriteOptions {
  TipsyOptions tipsy;
  GadgetOptions gadget{};
  TextOptions text;  ///< files with the extension `.csv` always get commas
  files::Overwrite overwrite = files::Overwrite::yes;
};

/// File format of bodies. Choices in decks, help and errors come from the table body_formats().
struct BodyFormat {
  std::string name;
  std::string doc;                      ///< one line
  std::vector<std::string> extensions;  ///< lower case, with the dot
  BodiesFile (*read)(std::filesystem::path const& path, BodiesReadOptions const& options);
  /// Null for a format that is only read.
  std::vector<std::string> (*write)(std::filesystem::path const& path, BodiesFile const& file,
                                    BodiesWriteOptions const& options);
  bool names_bodies = false;      ///< whether its files always have names of bodies
  bool has_central_body = false;  ///< whether its bodies orbit a body that the file does not state
  bool has_times = false;         ///< whether a file may have several times
  bool is_text = false;           ///< whether its files are texts
};

Registry<BodyFormat> const& body_formats();

/// Name of the format of an existing file: by its content where that has a signature or is a text,
/// and by its extension otherwise. Throws a bad-input error if there is none.
std::string format_of(std::filesystem::path const& path);
/// Name of the format with the path's extension, for a file to be written. Throws as format_of().
std::string format_by_extension(std::filesystem::path const& path);

/// Reads a file with at least one body, or a snapshot in several files: `path` is then one of them
/// or their common stem (`snap` for snap.0, snap.1 ... or snap.0.hdf5 ...). Throws a bad-input
/// error for a bad file or an unknown format, an input/output error if it cannot be read.
BodiesFile read_bodies(std::filesystem::path const& path, std::string const& format,
                       BodiesReadOptions const& options = {});

/// Writes a file. Returns descriptions of data that is lost. Throws as read_bodies() does.
std::vector<std::string> write_bodies(std::filesystem::path const& path, std::string const& format,
                                      BodiesFile const& file,
                                      BodiesWriteOptions const& options = {});

}  // namespace apsis::formats
