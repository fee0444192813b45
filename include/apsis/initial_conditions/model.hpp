// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/parameter.hpp>
#include <apsis/core/registry.hpp>
#include <apsis/core/units.hpp>

#include <string>
#include <vector>

namespace apsis::initial_conditions {

/// One line of the table of models: how `bodies` in a deck becomes bodies.
struct ModelEntry {
  std::string name;
  std::string doc;
  std::vector<Parameter> parameters;
  /// How many bodies the parameters ask for; nothing is allocated for that answer.
  std::int64_t (*count)(Values const&);
  /// Makes the bodies, for the deck's gravitational constant G.
  HostBodies (*make)(Values const&, double G);
  /// K / |W| that exact Henon units give the bodies; null if they keep the ratio that they have.
  double (*virial_ratio)(Values const&) = nullptr;
  /// What is wrong between values that are each fine by themselves, or with the deck's units,
  /// `where` relative to the model's own keys; null if nothing can be. Makes no bodies.
  std::vector<Problem> (*check)(Values const&, Units const&) = nullptr;
  /// The system of units (core/units.hpp) that the bodies are made in; empty if any will do.
  std::string units{};
  /// The objects `bodies` of what it puts together, in the order of their bodies; null if it is one
  /// by itself.
  std::vector<Values const*> (*parts)(Values const&) = nullptr;
  /// Puts the parts' bodies together.
  HostBodies (*compose)(Values const&, std::vector<HostBodies> const& parts, double G) = nullptr;
};

/// Models chosen by `bodies.generator`.
Registry<ModelEntry> const& models();

/// The model that is written out body by body in `bodies.list`.
ModelEntry const& listed();

/// `centre`, of bodies that come from outside: whether they are moved as centre() does.
Parameter centring();
bool is_centred(Values const& bodies);

/// Moves the centre of mass to the origin and to rest. Bodies without any mass stay where they are.
void centre(HostBodies& bodies);

/// Brings the centre of mass of the bodies first ... first + count - 1 to rest, and leaves them
/// where they are: a model that was drawn about its centre stays there. Its centre of mass is
/// elsewhere by the sampling error of a mean that a few bodies far out decide.
void bring_to_rest(HostBodies& bodies, std::size_t first, std::size_t count);
void bring_to_rest(HostBodies& bodies);

}  // namespace apsis::initial_conditions
