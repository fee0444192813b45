// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <optional>

namespace apsis::diagnostics {

/// What kind of system bodies are: numbers that show a wrong model at once.
struct SystemScales {
  double mass = 0.0;      ///< of all [mass]
  double lightest = 0.0;  ///< of the bodies that have mass [mass]
  double heaviest = 0.0;
  std::size_t massless = 0;  ///< bodies
  /// Of the sphere about the median of the mass along each axis that has half of it [length]:
  /// bodies far out do not move that place.
  double half_mass_radius = 0.0;
  /// The same of half of the bodies that have mass: few heavy ones decide the other [length].
  double half_number_radius = 0.0;
  double radius = 0.0;  ///< of the sphere about it that has every body [length]
  /// 2 sqrt(2) sqrt(r_h^3 / (G M)): that of Heggie & Mathieu 1986, with the half-mass radius for
  /// the virial radius. Nothing for fewer than 16 bodies with mass, and where half of the mass is
  /// one body.
  std::optional<double> crossing_time{};
  /// Of the orbits about a body that has half of the mass or more: the period of the one with the
  /// smallest semi-major axis.
  std::optional<double> shortest_period{};
  /// Time that an orbit spends at its pericentre q: 2 pi sqrt(q^3 / (G M (1 + e))), which is the
  /// period of a circle.
  struct Passage {
    double time;        ///< [time]
    double pericentre;  ///< q [length]
  };
  /// Of the same orbits and of the unbound ones that come nearer: the one with the shortest.
  std::optional<Passage> shortest_passage{};
  /// The largest speed against that body of all others, over that of a circle where they are.
  std::optional<double> fastest{};
  /// Half-mass relaxation time 0.138 N / ln(0.11 N) sqrt(r_h^3 / (G M)) of bodies of one mass
  /// (Spitzer 1987, equation 2-63; Giersz & Heggie 1994, MNRAS 268, 257, for 0.11), N those with
  /// mass. Softening makes it longer, a range of masses shorter.
  std::optional<double> relaxation_time{};
};

/// O(N log N), on the host.
SystemScales system_scales(HostBodies const& bodies, double G);

}  // namespace apsis::diagnostics
