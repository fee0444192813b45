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

}  // namespace apsis
