// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/parameter.hpp>
#include <apsis/core/registry.hpp>

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
  /// What is wrong between values that are each fine by themselves, `where` relative to the model's
  /// own keys; null if nothing can be. Makes no bodies.
  std::vector<Problem> (*check)(Values const&) = nullptr;
  /// The system of units (core/units.hpp) that the bodies are made in; empty if any will do.
  std::string units{};
  /// The models that it puts together; null if it is one by itself.
  std::vector<ModelEntry const*> (*parts)(Values const&) = nullptr;
};

/// Models chosen by `bodies.generator`.
Registry<ModelEntry> const& models();

/// The model that is written out body by body in `bodies.list`.
ModelEntry const& listed();

/// Moves the centre of mass to the origin and to rest. Bodies without any mass stay where they are.
void centre(HostBodies& bodies);

}  // namespace apsis::initial_conditions
