// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/vec3.hpp>

namespace apsis::diagnostics {

/// Centre of the densest region [length] by the method of shrinking spheres (Power et al. 2003,
/// MNRAS 338, 14, section 2.5): starting with all bodies, the centre moves to the centre of mass of
/// the bodies within a sphere of 0.9 times the last radius, until fewer than 1000 bodies or 1 % of
/// them are left. For few bodies it is their centre of mass. The result is bitwise independent of
/// the number of threads. Fences. O(N) for each of about 50 spheres.
Vec3<double> shrinking_sphere_centre(Context const& context, ReadBodies const& bodies);

/// Centre of mass of the bodies [length]; the mean position if no body has mass. Fences.
Vec3<double> mass_centre(Context const& context, ReadBodies const& bodies);

}  // namespace apsis::diagnostics
