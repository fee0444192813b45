// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/formats/bodies_file.hpp>

#include <filesystem>

namespace apsis::formats {

// Snapshots of GADGET's family in several files: STEM.0, STEM.1 ... or STEM.0.hdf5, STEM.1.hdf5
// ... Each file has a header with the counts of its own bodies and of all.

/// Header of one file of a snapshot.
struct PartHeader {
  std::uint64_t files = 1;             ///< number of files of the snapshot
  std::vector<std::int64_t> counts{};  ///< bodies of each type in this file
  std::vector<std::int64_t> totals{};  ///< bodies of each type in all files; may be empty
  /// Values that are the same in all files, as text: "Time", "0.5", "Redshift", "0" ...
  std::vector<std::string> common{};
};

/// Sum of the counts of bodies by type; at most 2^63 - 1.
std::uint64_t sum_of_counts(std::vector<std::int64_t> const& counts);

/// Number of bodies for which a reader needs memory: those of all files if `totals` has them.
inline std::uint64_t announced_bodies(PartHeader const& header) {
  return sum_of_counts(header.files > 1 && !header.totals.empty() ? header.totals : header.counts);
}

/// File that a path means: the path itself if it exists. Otherwise the first file of a snapshot
/// with this common stem (`snap` means snap.0, snap.0.hdf5 or snap.0.h5; `snap.hdf5` means
/// snap.0.hdf5). The path itself if there is neither.
std::filesystem::path first_part(std::filesystem::path const& path);

/// Name of file `number` of the snapshot of which `part` is a file. Throws a bad-input error if
/// the name of `part` has no number below `files`.
std::filesystem::path part_path(std::filesystem::path const& part, std::uint64_t files,
                                std::uint64_t number);

/// Bodies of a snapshot that are put together from its files, ordered by species and then by file.
class JoinedParts {
 public:
  /// `first`: file from which the other headers must not differ. Allocates memory for all bodies.
  JoinedParts(std::filesystem::path first, PartHeader const& header);

  /// Adds the bodies of the next file, ordered by species. Throws a bad-input error if its header
  /// differs or if it has more bodies than the totals say.
  void add(std::filesystem::path const& path, BodiesFile&& part, PartHeader const& header);
  /// The whole. Throws a bad-input error if bodies are missing.
  BodiesFile take();

 private:
  std::filesystem::path first_;
  PartHeader header_;
  std::vector<std::int64_t> counts_;  ///< bodies of each type so far
  std::vector<std::size_t> next_;     ///< row of the next body of each species
  BodiesFile whole_;
  std::uint64_t with_ids_ = 0, parts_ = 0;
};

/// Cosmological values in the header of a snapshot, in HDF5 or in GADGET's binary format. The
/// defaults are those of a file without cosmology.
struct CosmologyHeader {
  double time = 0.0;  ///< in a comoving run the scale factor
  double redshift = 0.0;
  double scale_factor = 1.0;
  double box_size = 0.0;
  double omega0 = 0.0;
  double omega_lambda = 0.0;
};

/// Reason why a snapshot is in comoving coordinates; empty if it is not. Comoving coordinates are
/// not positions, and the velocities contain powers of the scale factor.
std::string comoving_reason(CosmologyHeader const& header);

/// Problem and advice of the error for comoving coordinates; `reason` goes between them.
inline constexpr char const* comoving_problem = "is a cosmological snapshot";
inline constexpr char const* comoving_why = "; Apsis has no comoving coordinates";
inline constexpr char const* comoving_advice =
    "convert it to physical positions and velocities first";

std::vector<std::string> unused_cosmology(CosmologyHeader const& header);

}  // namespace apsis::formats
