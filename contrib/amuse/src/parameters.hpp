// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/deck/configuration.hpp>

#include <optional>
#include <string>

namespace apsis::amuse {

/// Parameters of the worker in the units of the code, in which G = 1. interface.py describes them
/// for users.
struct Parameters {
  double eps2 = 0.0;            ///< softening length of all particles, squared [length^2]
  double time_step = 0.015625;  ///< with stepping other than fixed the longest step [time]
  double begin_time = 0.0;      ///< [time]
  std::string integrator = "hermite4";
  std::string stepping{};  ///< empty: adaptive for hermite4, otherwise the default of the scheme
  double eta = 0.0;        ///< 0: the default of the scheme
  std::string solver = "direct";
  double accuracy = 0.0;  ///< 0: the default of the solver
  std::string precision = "double";
  std::string deck = "{}";    ///< JSON text of further sections of a deck
  int number_of_threads = 0;  ///< 0: of the environment, otherwise all processors
  bool is_time_reversed_allowed = false;
};

/// Returns the configuration of a simulation of these bodies that begins at `time`. Throws a
/// bad-input error that contains all problems of the parameters and of the bodies.
deck::ConfiguredDeck configure(Parameters const& parameters, HostBodies bodies, double time);

/// Checks the parameters before there are bodies. Throws as configure().
void check(Parameters const& parameters);

/// Returns the softening length of particles at points with a softening length of their own: the
/// squares add up. Nothing without it, so that each particle keeps its own.
std::optional<double> softening_at_point(Parameters const& parameters, double point_length);

}  // namespace apsis::amuse
