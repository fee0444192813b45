// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/units.hpp>

#include <cstdint>
#include <functional>
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

/// Is told how many bodies a file promises before memory is taken for them; by readers that see the
/// number at the end only, how many there are so far, now and then. Throws if they are too many.
using CountCheck = std::function<void(std::uint64_t bodies)>;

/// Refuses what takes more memory than there is while it is read: `copies` of so many bodies.
void check_room(std::uint64_t bodies, double copies, std::string const& source,
                std::uint64_t available = host_memory());

}  // namespace apsis::io
