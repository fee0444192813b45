// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/units.hpp>
#include <apsis/files/folder.hpp>
#include <apsis/formats/bodies_file.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>

/// Snapshots in HDF5 with the layout of GADGET-4 (Springel et al. 2021, MNRAS 506, 2871) and SWIFT
/// (Schaller et al. 2024, MNRAS 530, 2378), so that existing tools can read them. The HDF5 library
/// has global state: these functions exclude each other by a mutex and restore its settings.
namespace apsis::formats {

/// Version of the HDF5 library: "1.14.6".
std::string hdf5_version();

/// Mutex held by all code of Apsis that uses HDF5. A program that uses HDF5 in other threads must
/// hold it there too, unless its HDF5 is thread-safe.
std::mutex& hdf5_mutex();

/// Disables the cleanup of HDF5 at the end of the program. Call before the first use of HDF5, and
/// only in a program that uses it for snapshots alone. After a file that could not be read, the
/// library cannot close all its objects, and its cleanup would print errors or crash. All files
/// that matter are closed by then.
void disable_hdf5_cleanup();

/// How gravity was computed, for the group GravityScheme of SWIFT.
struct GravityScheme {
  std::string solver, softening_kernel;
  /// Softening length of each species, the same for all unless the deck says otherwise [length].
  std::array<double, species_types::count> softening{};
  std::optional<double> accuracy{};  ///< requested, of solvers that control it
};

/// Metadata of a snapshot.
struct SnapshotHeader {
  std::uint64_t count = 0;
  double time = 0.0;  ///< [time]
  std::uint64_t step = 0;
  double time_step = 0.0;  ///< [time]
  Units units;
  std::string title;
  std::string deck;  ///< resolved deck as JSON
  std::string precision;
  std::string backend, device;             ///< empty if the snapshot does not come from a run
  std::optional<GravityScheme> gravity{};  ///< of the run
  int compression = 0;  ///< lossless, 0 (none) to 9 (smallest). Ignored if HDF5 lacks zlib.
};

/// The bodies, in host memory owned by the caller.
template <class Real>
using SnapshotColumns = ColumnSpans<Real>;

/// Writes a snapshot with replace_file(), after reopening it as a check: the file is complete or
/// absent. Numbers keep their type (float or double); each block has a checksum. Equal arguments
/// give identical files. Throws an input/output error and then leaves no file behind.
template <class Real>
void write_snapshot(files::Place const& place, SnapshotHeader const& header,
                    SnapshotColumns<Real> const& columns,
                    files::Overwrite overwrite = files::Overwrite::yes);

/// Content of a snapshot. The members declared here are present only in files written by Apsis.
struct Snapshot : BodiesFile {
  std::uint64_t step = 0;
  double time_step = 0.0;  ///< [time]
  std::string deck;        ///< resolved deck as JSON
};

/// Reads a snapshot of Apsis, GADGET or SWIFT: the bodies of all types, ordered by type, or in the
/// order of the run if Apsis wrote the file. Throws a bad-input error for a file that is damaged,
/// malicious, incomplete or in comoving coordinates. `path` is the file, or one of several files or
/// their common stem. The library opens the file in a subprocess first, so that a malicious file
/// cannot harm this process.
/// `with_ids`: whether the ids are used; otherwise bodies are numbered 0 ... N - 1.
Snapshot read_snapshot(std::filesystem::path const& path, CountCheck const& count = {},
                       bool with_ids = true);

/// Reads a snapshot from memory, without a subprocess. `where`: name in errors.
Snapshot read_snapshot_image(std::span<std::byte const> image, std::string const& where);

}  // namespace apsis::formats
