// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/parameter.hpp>
#include <apsis/core/registry.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The table of forces besides gravity, as decks have them. See extra.hpp for the forces.
namespace apsis::forces {

class ExtraForce;

/// Constants of a run that forces need.
struct ExtraForceSetting {
  double G = 1.0;                          ///< [length^3 / (mass time^2)]
  std::optional<double> speed_of_light{};  ///< [length / time]; empty in dimensionless units
};

/// The quantities that the forces of a run conserve. Gravity alone conserves all of them.
struct ConservedSums {
  bool energy = true;
  bool momentum = true;
  bool angular_momentum = true;
  /// Whether the energy in the centre-of-mass frame is constant; otherwise only that in the frame
  /// of the coordinates.
  bool internal_energy = true;
  /// Whether the energy of each massless body is constant beside a single massive body.
  bool massless_energies = true;

  ConservedSums& operator&=(ConservedSums const& other);
};

/// Entry of the table of forces.
struct ExtraForceEntry {
  std::string name;
  std::string doc;
  std::vector<Parameter> parameters;
  /// Makes the force from the values of the deck. `where`: its path in the deck, for errors.
  std::function<std::unique_ptr<ExtraForce>(Values const&, ExtraForceSetting const&,
                                            std::string const& where)>
      make;
  bool velocity_dependent = false;
  bool time_dependent = false;
  bool has_source = false;  ///< whether bodies of the run are its sources
  bool has_potential = true;
  /// Reads the parameter `c`, the speed of light. Its default is that of the units.
  bool needs_speed_of_light = false;
  /// Returns contradictions between the values, each with its key; null: there are none.
  std::vector<Problem> (*check)(Values const&) = nullptr;
  std::vector<std::string> cite{};  ///< keys of the works to cite, of citations()
};

/// All forces: those of Apsis, then those that a program has added.
Registry<ExtraForceEntry> const& extra_forces();
/// Adds a force of a program that uses Apsis. Call before the first use of extra_forces(), which
/// reading a deck is; throws an internal error afterwards.
void add_extra_force(ExtraForceEntry entry);

/// A force that a run has.
struct PlannedForce {
  ExtraForceEntry const* entry;
  Values values;
  std::string where;  ///< path in the deck: "forces[0]"

  std::unique_ptr<ExtraForce> make(ExtraForceSetting const& setting) const;
};

}  // namespace apsis::forces
