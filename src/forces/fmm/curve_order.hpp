// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/execution.hpp>

#include <cstdint>

namespace apsis::forces::fmm {

/// Numbers of bodies along a curve.
using BodyOrder = Kokkos::View<std::uint32_t*, MemorySpace>;

/// The bodies in the order of Hilbert's curve through their cube, where there are many in a cube of
/// its 2^63 also of the curve through that, those of one place in the order of their numbers: no
/// number of threads changes it. Below 2^32 bodies. Fences.
template <class Stored>
BodyOrder curve_order(ExecutionSpace const& space, VectorColumns<Stored> const& position,
                      std::size_t bodies);

extern template BodyOrder curve_order(ExecutionSpace const&, VectorColumns<float> const&,
                                      std::size_t);
extern template BodyOrder curve_order(ExecutionSpace const&, VectorColumns<double> const&,
                                      std::size_t);

}  // namespace apsis::forces::fmm
