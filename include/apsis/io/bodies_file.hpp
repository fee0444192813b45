// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/units.hpp>

#include <optional>
#include <string>
#include <vector>

namespace apsis::io {

/// What a file of bodies says. Readers check everything that a count in a header promises against
/// the size of the file before they allocate, and throw a bad-input error that names the place.
struct BodiesFile {
  HostBodies bodies;                  ///< every value finite, masses >= 0, ids unique
  double time = 0.0;                  ///< of the bodies [time]
  bool has_ids = false;               ///< whether the file has ids of its own; else 0 ... N - 1
  std::vector<std::string> unused{};  ///< what else the file says and a run does not use, in words
  std::optional<Units::Si> units{};   ///< what the file says that its numbers mean
  std::string unit_system{};          ///< its name in decks, if Apsis wrote the file
};

}  // namespace apsis::io
