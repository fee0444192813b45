// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/saved_state.hpp>
#include <apsis/io/file.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace apsis::driver {

/// What identifies a set of bodies whatever has moved them.
struct BodiesIdentity {
  std::uint64_t count = 0;
  std::uint64_t ids = 0;  ///< SetDigest
  double mass = 0.0;      ///< total, summed in the order of the bodies [mass]

  void exchange(SavedState& state);
  friend bool operator==(BodiesIdentity const&, BodiesIdentity const&) = default;
};

/// The first part of every checkpoint: whose it is, and how far the run and its files had come.
struct RunRecord {
  std::string deck;     ///< resolved
  std::string made_by;  ///< version, commit, backend, compiler and Kokkos of the executable
  BodiesIdentity bodies;
  std::uint64_t step = 0;
  double wall_seconds = 0.0;         ///< of all processes that have worked on the run
  std::uint64_t snapshots = 0;       ///< numbers used
  std::uint64_t kept_snapshots = 0;  ///< when a state to go back to was kept
  io::LineFile::Written log;         ///< conservation.csv
  std::vector<std::string> table_files;
  std::vector<io::LineFile::Written> tables;  ///< of these files

  void exchange(SavedState& state);
};

/// What RunRecord::made_by says of this executable.
std::string this_executable();

}  // namespace apsis::driver
