// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

namespace apsis {

/// Position [length] and velocity [length / time] of a centre of mass; 0 without mass.
struct CentreOfMass {
  Vec3<double> position;
  Vec3<double> velocity;
};

/// Computes the centre of mass. O(N), on the host.
CentreOfMass centre_of_mass(HostBodies const& bodies);

/// Centre of mass of bodies that are added one after the other.
struct RunningCentre {
  double mass = 0.0;
  Vec3<double> position{}, velocity{};

  /// Adds a body; without any mass so far there is no change.
  void add(double m, Vec3<double> const& x, Vec3<double> const& v) {
    if (!(mass + m > 0.0)) return;
    double const share = m / (mass + m);
    position = position + share * (x - position);
    velocity = velocity + share * (v - velocity);
    mass += m;
  }
};

}  // namespace apsis
