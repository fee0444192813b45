// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hdf5_handle.hpp"
#include <apsis/core/units.hpp>
#include <apsis/formats/snapshot.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

/// Metadata of a snapshot: header, units, parameters and origin.
namespace apsis::formats {

/// Number of particle types in GADGET. Some readers (yt 4.1.4) have tables of six and fail with the
/// seventh type of SWIFT, which in turn reads files of GADGET.
inline constexpr std::size_t particle_types = 6;
/// Number of bodies of each type.
using TypeCounts = std::array<std::uint64_t, particle_types>;

/// The units of a run in cgs; 1 in dimensionless units.
struct Cgs {
  double length = 1.0, mass = 1.0, time = 1.0;

  explicit Cgs(Units const& units) {
    if (!units.si) return;
    length = units.si->length * 100.0;
    mass = units.si->mass * 1000.0;
    time = units.si->time;
  }
  double value(Dimension const& power) const {
    return std::pow(mass, power.mass) * std::pow(length, power.length) * std::pow(time, power.time);
  }
};

/// Writes all metadata to a new file.
void write_metadata(hid_t file, SnapshotHeader const& snapshot, TypeCounts const& counts);

}  // namespace apsis::formats
