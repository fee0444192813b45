// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/registry.hpp>
#include <apsis/io/bodies_file.hpp>
#include <apsis/io/folder.hpp>
#include <apsis/io/text_bodies.hpp>
#include <apsis/io/tipsy.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace apsis::io {

/// What the formats can be told; each looks at its own.
struct BodiesReadOptions {
  TipsyIds tipsy_ids = TipsyIds::automatic;
  CountCheck count{};     ///< may be empty
  std::string columns{};  ///< names of the columns of text, see text_bodies.hpp; may be empty
};
struct BodiesWriteOptions {
  TipsyOptions tipsy;
  TextOptions text;  ///< commas in a file `.csv` without asking
  Overwrite overwrite = Overwrite::yes;
};

/// A format of files of bodies. The deck's choices, the help and the errors read the table of them.
struct BodyFormat {
  std::string name;
  std::string doc;                      ///< one line
  std::vector<std::string> extensions;  ///< in small letters, with the dot
  BodiesFile (*read)(std::filesystem::path const& path, BodiesReadOptions const& options);
  std::vector<std::string> (*write)(std::filesystem::path const& path, BodiesFile const& file,
                                    BodiesWriteOptions const& options);
};

Registry<BodyFormat> const& body_formats();

/// The name of the format that the path's extension says. Throws a bad-input error if it says none.
std::string format_of(std::filesystem::path const& path);

/// One body or more. Throws bad-input errors that name the path, an input/output error if the file
/// cannot be read, and a bad-input error if there is no such format.
BodiesFile read_bodies(std::filesystem::path const& path, std::string const& format,
                       BodiesReadOptions const& options = {});

/// Returns in words what of the bodies the file does not hold. Throws as read_bodies() does.
std::vector<std::string> write_bodies(std::filesystem::path const& path, std::string const& format,
                                      BodiesFile const& file,
                                      BodiesWriteOptions const& options = {});

}  // namespace apsis::io
