// SPDX-License-Identifier: Apache-2.0
#include "bodies_along.hpp"

#include "cells.hpp"
#include "curve_order.hpp"
#include "tighten.hpp"

namespace apsis::forces::fmm {

namespace {

template <class Stored>
struct PackBodies {
  Sources<Stored> sources;
  PackedBodies<Stored> packed;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const& at = sources.position;
    packed(i) = {{at(i, 0), at(i, 1), at(i, 2)}, sources.mass(i)};
  }
};

template <class Stored>
struct PutInOrder {
  PackedBodies<Stored> from;
  BodyOrder order;
  PackedBodies<Stored> to;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { to(i) = from(order(i)); }
};

}  // namespace

template <class Stored>
void BodiesAlong<Stored>::put(ExecutionSpace const& space, Sources<Stored> const& sources,
                              std::size_t count) {
  order = curve_order(space, sources.position, count, keyed_);
  allocate(space, as_given_, "apsis::forces::fmm::as_given", count);
  allocate(space, bodies, "apsis::forces::fmm::bodies", count);
  Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>> const all(space, 0, count);
  Kokkos::parallel_for("apsis::forces::fmm::along::pack", all,
                       PackBodies<Stored>{sources, as_given_});
  Kokkos::parallel_for("apsis::forces::fmm::along::put_in_order", all,
                       PutInOrder<Stored>{as_given_, order, bodies});
  tighten(space, order, bodies, usual_rounds);
}

template class BodiesAlong<float>;
template class BodiesAlong<double>;

}  // namespace apsis::forces::fmm
