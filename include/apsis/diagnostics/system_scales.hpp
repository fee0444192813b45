// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <optional>

namespace apsis::diagnostics {

/// Masses, lengths and times that characterise a system, for a quick check of a model. The centre
/// of the radii is the median of the mass along each axis, which distant bodies do not move.
struct SystemScales {
  double mass = 0.0;              ///< total mass [mass]
  double lightest = 0.0;          ///< smallest nonzero mass of a body [mass]
  double heaviest = 0.0;          ///< largest mass of a body [mass]
  std::size_t massless = 0;       ///< number of massless bodies
  double half_mass_radius = 0.0;  ///< radius of the sphere with half of the mass [length]
  /// Radius of the sphere with half of the massive bodies [length]; in contrast to
  /// half_mass_radius, it is not dominated by a few heavy bodies.
  double half_number_radius = 0.0;
  double radius = 0.0;  ///< radius of the sphere with all bodies [length]
  /// Crossing time 2 sqrt(2) sqrt(r_h^3 / (G M)) of Heggie & Mathieu 1986, with the half-mass
  /// radius instead of the virial radius [time]. Empty with fewer than 16 massive bodies, and if
  /// one body has half of the mass.
  std::optional<double> crossing_time{};
  /// Period of the orbit with the smallest semi-major axis about a body with at least half of the
  /// mass [time].
  std::optional<double> shortest_period{};
  /// Time scale of a pericentre passage, 2 pi sqrt(q^3 / (G M (1 + e))); for a circle it is the
  /// period.
  struct Passage {
    double time;        ///< [time]
    double pericentre;  ///< q [length]
  };
  /// Shortest passage on the bound orbits, and the unbound orbits of approaching bodies, about a
  /// body with at least half of the mass.
  std::optional<Passage> shortest_passage{};
  /// Largest speed of a body relative to a body with at least half of the mass, in units of the
  /// speed on a circular orbit at the same distance.
  std::optional<double> fastest{};
  /// Half-mass relaxation time 0.138 N / ln(0.11 N) sqrt(r_h^3 / (G M)) of N massive bodies of
  /// equal mass [time] (Spitzer 1987, equation 2-63; Giersz & Heggie 1994, MNRAS 268, 257, for
  /// 0.11). Softening makes it longer, a mass spectrum shorter. Empty as crossing_time.
  std::optional<double> relaxation_time{};
};

/// Computes the scales. O(N log N), on the host.
SystemScales system_scales(HostBodies const& bodies, double G);

}  // namespace apsis::diagnostics
