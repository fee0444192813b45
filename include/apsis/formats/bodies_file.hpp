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

namespace apsis::formats {

/// Content of a file of bodies. Before they allocate, readers check every count in a header against
/// the size of the file; they throw a bad-input error that names the place in the file.
struct BodiesFile {
  HostBodies bodies;                  ///< every value finite, masses >= 0, ids unique
  double time = 0.0;                  ///< time of the state [time]
  bool has_time = false;              ///< whether the file states the time; otherwise it is 0
  bool has_ids = false;               ///< whether the file has ids; otherwise they are 0 ... N - 1
  std::vector<std::string> unused{};  ///< descriptions of content that a run does not use
  std::optional<Units::Si> units{};   ///< units stated by the file
  /// Whether the format fixes the units, so that a run converts the numbers to those of its deck.
  bool has_fixed_units = false;
  std::optional<double> epoch{};  ///< date of the state, if the file states it [days]
  std::string unit_system{};      ///< name of the unit system in decks, if Apsis wrote the file
  /// How the content was recognised, where the file does not state it in so many words. Each is one
  /// note of a run.
  std::vector<std::string> notes{};
};

/// Converts masses, positions, velocities, radii and the time of a file that states its units to
/// the target units. Equal units leave all bits as they are. O(N).
void convert_units(BodiesFile& file, Units::Si const& target);

/// Sets the units of a file that states none, or replaces units that differ by at most 1 %, with a
/// note: 1.989e43 g by 1e10 Msun. Returns false, and changes nothing, if they differ by more or if
/// the format fixes the units.
bool state_units(BodiesFile& file, Units::Si const& units);

/// All digits of units: "length 3.08e+16 m, mass 1.98e+30 kg, time 3.15e+13 s".
std::string si_text(Units::Si const& si);

/// Callback with the number of bodies of a file, called before memory is allocated for them.
/// Readers that learn the number only at the end call it repeatedly with the number so far. Throws
/// if there are too many.
using CountCheck = std::function<void(std::uint64_t bodies)>;

/// Throws a bad-input error if reading needs more than the `available` memory [bytes]: `copies`
/// times the size of so many bodies.
void check_memory(std::uint64_t bodies, double copies, std::string const& source,
                  std::uint64_t available = host_memory());

}  // namespace apsis::formats
