// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "key_sort.hpp"
#include <apsis/bodies/bodies.hpp>

namespace apsis::forces::fmm {

/// The bodies in the order of Hilbert's curve through their cube, where there are many in a cube of
/// its 2^63 also of the curve through that, those of one place in the order of their numbers: no
/// number of threads changes it. Below 2^32 bodies. What it returns is in `along` until the next
/// time. Fences.
template <class Stored>
BodyOrder curve_order(ExecutionSpace const& space, VectorColumns<Stored> const& position,
                      std::size_t bodies, KeyedBodies& along);

extern template BodyOrder curve_order(ExecutionSpace const&, VectorColumns<float> const&,
                                      std::size_t, KeyedBodies&);
extern template BodyOrder curve_order(ExecutionSpace const&, VectorColumns<double> const&,
                                      std::size_t, KeyedBodies&);

}  // namespace apsis::forces::fmm
