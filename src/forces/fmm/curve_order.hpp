// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "key_sort.hpp"
#include <apsis/bodies/bodies.hpp>

namespace apsis::forces::fmm {

/// Returns the order of the bodies along Hilbert's curve through their bounding cube. If some of
/// its 2^63 cubes hold many bodies, these are also sorted along the curve through their cube.
/// Bodies in one place keep their order. The result does not depend on the number of threads; it is
/// stored in `keyed` until the next call. Precondition: fewer than 2^32 bodies. Fences.
template <class Stored>
BodyOrder curve_order(ExecutionSpace const& space, VectorColumns<Stored> const& position,
                      std::size_t bodies, KeyedBodies& keyed);

extern template BodyOrder curve_order(ExecutionSpace const&, VectorColumns<float> const&,
                                      std::size_t, KeyedBodies&);
extern template BodyOrder curve_order(ExecutionSpace const&, VectorColumns<double> const&,
                                      std::size_t, KeyedBodies&);

}  // namespace apsis::forces::fmm
