// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

namespace apsis {

/// Where the centre of mass is [length] and how it moves [length / time]; 0 without mass.
struct CentreOfMass {
  Vec3<double> position;
  Vec3<double> velocity;
};

/// O(N), on the host.
CentreOfMass centre_of_mass(HostBodies const& bodies);

}  // namespace apsis
