// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/formats/bodies_file.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Binary snapshots of GADGET-1 and GADGET-2 (SnapFormat 1 and 2).
namespace apsis::formats {

/// Reads a snapshot in one or several files. `path` is one of the files or their common stem.
///
/// - Byte order and format follow from the first word, 256 or 8.
/// - The blocks POS, VEL, ID and MASS are read, with 32-bit or 64-bit numbers by their length.
/// - Other blocks are skipped and listed in `unused`.
/// - If the header states a mass for a type, its bodies have that mass and are not in MASS.
/// - Bodies are ordered by type. The types 0 to 5 are the species.
/// - Units are not stated. Snapshots in comoving coordinates are refused, and snapshots with
///   factors of h in their values.
///
/// Every record is checked to lie in the file and to have the same length before and after it,
/// before memory is allocated. Throws bad-input errors that name the block. Cost O(N log N).
/// Memory: the bodies and a copy of their ids; for several files in addition the bodies of one of
/// them. `with_ids`: whether the ids are used; otherwise bodies are numbered 0 ... N - 1.
BodiesFile read_gadget(std::filesystem::path const& path, CountCheck const& count = {},
                       bool with_ids = true);
/// Reads a snapshot in one file from memory.
BodiesFile read_gadget_image(std::string_view bytes, std::string const& source,
                             bool with_ids = true);

/// Variants of the format.
struct GadgetOptions {
  int format = 2;  ///< SnapFormat, 1 or 2
  bool big_endian = false;
  /// Numbers of 32 bits, to which the values are rounded. Otherwise numbers have 32 bits if these
  /// hold every value exactly, and 64 bits if not.
  bool single = false;
};

/// The bodies as a snapshot in one file, ordered by type, with all masses in the block MASS. Ids
/// have 32 bits if all are below 2^32, otherwise 64. Descriptions of data that the format cannot
/// hold are added to `lost`. Throws a bad-input error for more bodies than the 32-bit lengths of
/// the records allow, and with `single` for values that overflow 32 bits.
std::string write_gadget(BodiesFile const& file, GadgetOptions const& options,
                         std::string const& target, std::vector<std::string>& lost);

}  // namespace apsis::formats
