// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/parameter.hpp>
#include <apsis/core/registry.hpp>
#include <apsis/core/units.hpp>

#include <optional>
#include <string>
#include <vector>

namespace apsis::initial_conditions {

/// Entry of the table of models: creates bodies from the object `bodies` of a deck.
struct ModelEntry {
  std::string name;
  std::string doc;
  std::vector<Parameter> parameters;
  /// Returns the number of bodies for these parameters; allocates nothing.
  std::int64_t (*count)(Values const&);
  /// Creates the bodies, for the gravitational constant G of the deck.
  HostBodies (*make)(Values const&, double G);
  /// Returns the virial ratio K / |W| to which exact Henon units rescale the bodies; null if only
  /// the key `virial_ratio` changes it.
  double (*virial_ratio)(Values const&) = nullptr;
  /// Returns the conflicts between values that are valid individually, and with the units of the
  /// deck. `where` of a problem is relative to the keys of the model. Null if there can be none.
  /// Creates no bodies.
  std::vector<Problem> (*check)(Values const&, Units const&) = nullptr;
  /// System of units (core/units.hpp) of the bodies; empty if the model works in any units.
  std::string units{};
  /// Returns the objects `bodies` of the parts of a composite model, in the order of their bodies;
  /// null if the model has no parts.
  std::vector<Values const*> (*parts)(Values const&) = nullptr;
  /// Combines the bodies of the parts. A part that needs_bodies_before() is passed without bodies
  /// and made here.
  HostBodies (*compose)(Values const&, std::vector<HostBodies> const& parts, double G) = nullptr;
  bool names_bodies = false;        ///< whether the model gives its bodies names
  std::vector<std::string> cite{};  ///< keys of the works to cite, of citations()
};

/// Table of the models for `bodies.generator`.
Registry<ModelEntry> const& models();

/// Model of `bodies.list`, in which each body is given individually.
ModelEntry const& listed();

/// Whether a body of a list is placed by an orbit.
bool has_orbit(Values const& body);
/// Whether the bodies of a part are a list with orbits about bodies of earlier parts.
bool needs_bodies_before(Values const& part_bodies);
/// Returns why a text is not valid as the name of a body; empty if it is valid.
std::string problem_of_name(std::string const& name);

/// Parameter `centre` of bodies from a list or file: whether centre() is applied to them.
Parameter centring();
bool is_centred(Values const& bodies);

/// Parameter `virial_ratio`, Q = K / |W| > 0, for bodies with velocities of their own. Without the
/// key they keep these velocities. The simulation scales them, because it can measure the energies.
Parameter virial_ratio_key();
/// Parameter `virial_ratio`, Q >= 0, of models without equilibrium; 0: bodies at rest.
Parameter virial_ratio_key(double default_ratio);
/// Returns the virial ratio that the values ask for; empty if velocities stay as they are.
std::optional<double> requested_virial_ratio(Values const& values);

/// Shifts positions and velocities so that the centre of mass is at rest at the origin. If no body
/// has mass, nothing changes.
void centre(HostBodies& bodies);

/// Shifts the velocities of the bodies first ... first + count - 1 so that their centre of mass is
/// at rest. Positions do not change: the bodies of a model are drawn about its centre. Their centre
/// of mass differs from it by a sampling error that few distant bodies dominate.
void bring_to_rest(HostBodies& bodies, std::size_t first, std::size_t count);
/// Shifts the velocities of all bodies so that their centre of mass is at rest.
void bring_to_rest(HostBodies& bodies);

}  // namespace apsis::initial_conditions
