// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/units.hpp>
#include <apsis/io/bodies_file.hpp>
#include <apsis/io/folder.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>

/// Snapshots in HDF5, laid out as GADGET-4 (Springel et al. 2021, MNRAS 506, 2871) and SWIFT
/// (Schaller et al. 2024, MNRAS 530, 2378) do, so that the field's tools read them as they are.
/// HDF5 is one library for the whole process: these functions wait for each other, and leave its
/// settings as they find them.
namespace apsis::io {

/// The version of the library: "1.14.6".
std::string hdf5_version();

/// Held by whatever uses HDF5 here. A program that uses it in other threads at the same time holds
/// it there too, unless its HDF5 is thread-safe.
std::mutex& hdf5_mutex();

/// For a program that has HDF5 for snapshots alone, before its first use: nothing of it happens
/// when the program ends. After a file that could not be read the library cannot close what it
/// holds of it, and would complain of that or crash; all that matters is closed by then.
void end_without_hdf5();

/// What a snapshot says besides its bodies.
struct SnapshotHeader {
  std::uint64_t count = 0;
  double time = 0.0;  ///< [time]
  std::uint64_t step = 0;
  double time_step = 0.0;  ///< [time]
  Units units;
  std::string title;
  std::string deck;  ///< resolved, as JSON
  std::string precision;
  std::string backend, device;  ///< of the run, if it is of one
  int compression = 0;  ///< 0 none ... 9 smallest; lossless. Ignored where HDF5 has no zlib.
};

/// The bodies, in host memory that belongs to the caller. Vectors are three columns, one after the
/// other: x of all bodies, then y, then z.
template <class Real>
struct SnapshotColumns {
  std::span<Real const> position;        ///< 3 N [length]
  std::span<Real const> velocity;        ///< 3 N [length / time]
  std::span<Real const> mass;            ///< N [mass]
  std::span<std::uint64_t const> id;     ///< N
  std::span<Real const> acceleration{};  ///< 3 N [length / time^2], or nothing
  std::span<double const> potential{};   ///< N [length^2 / time^2], or nothing
  /// N, below species_types::count, or nothing if all are `dark`. Bodies are written by type.
  std::span<std::uint8_t const> species{};
};

/// Writes a snapshot as replace_file() does, after reopening it: the file is whole or absent.
/// Numbers are written as they are (float or double), each block with a checksum. Equal arguments
/// give equal files. Throws an input/output error and leaves nothing behind.
template <class Real>
void write_snapshot(Place const& place, SnapshotHeader const& header,
                    SnapshotColumns<Real> const& columns, Overwrite overwrite = Overwrite::yes);

/// What was read. The members are those of Apsis' own files.
struct Snapshot : BodiesFile {
  std::uint64_t step = 0;
  double time_step = 0.0;  ///< [time]
  std::string deck;        ///< resolved, as JSON
};

/// Reads a snapshot of Apsis, GADGET or SWIFT: the bodies of all types, in the order of the types,
/// or in that of the run if Apsis wrote it. Throws a bad-input error for what is damaged, hostile
/// (the library reads it first in a process of its own), spread over several files or in comoving
/// coordinates.
Snapshot read_snapshot(std::filesystem::path const& path, CountCheck const& count = {});

/// The same from the bytes of a file, without a process of its own. `where`: its name in errors.
Snapshot read_snapshot_image(std::span<std::byte const> image, std::string const& where);

}  // namespace apsis::io
