// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/context.hpp>
#include <apsis/core/vec3.hpp>

namespace apsis::diagnostics {

/// The middle of the densest part of the bodies [length], by spheres that shrink: the centre of
/// mass of those within 0.9 of the last radius, from all of them on, until fewer than 1000 or one
/// in a hundred are left (Power et al. 2003, MNRAS 338, 14, section 2.5). For few bodies, their
/// centre of mass. The same bits on any number of threads. Fences. O(N) for each of some fifty
/// spheres.
template <class Real>
Vec3<double> shrinking_sphere_centre(Context const& context, Bodies<Real> const& bodies);

/// Where the bodies' mass has its centre [length]; the mean of the places if none has mass. Fences.
template <class Real>
Vec3<double> mass_centre(Context const& context, Bodies<Real> const& bodies);

}  // namespace apsis::diagnostics
