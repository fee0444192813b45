// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

#include <optional>
#include <vector>

namespace apsis::simulation {

class Instant;

/// Gravitational field at points, one row per point.
struct FieldAtPoints {
  std::vector<Vec3<double>> acceleration;  ///< [length / time^2]
  std::vector<double> potential;           ///< [length^2 / time^2]
};

/// Field of all bodies at points [length], without forces besides gravity: sums over all bodies in
/// double precision, with the softening of each body or, if it is given, with the softening length
/// `softening` [length] for all of them. A body in the place of a point exerts no
/// force on it. O(N M) for N bodies and M points. Throws a bad-input error for points that are not
/// finite. If several ranks share the bodies, the leader rank computes it.
///
/// A bridge (Fujii et al. 2007, PASJ 59, 1095) kicks the bodies of one code in the field of
/// another one.
FieldAtPoints field_at(Instant& now, std::vector<Vec3<double>> const& points,
                       std::optional<double> softening = {});

}  // namespace apsis::simulation
