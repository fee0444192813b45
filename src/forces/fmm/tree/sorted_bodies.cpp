// SPDX-License-Identifier: Apache-2.0
#include "sorted_bodies.hpp"

#include "tighten.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>

namespace apsis::forces::fmm {

namespace {

template <class Stored>
struct PackBodies {
  Sources<Stored> sources;
  PackedBodies<Stored> packed;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const& position = sources.position;
    packed(i) = {{position(i, 0), position(i, 1), position(i, 2)}, sources.mass(i)};
  }
};

template <class Stored>
struct Reorder {
  PackedBodies<Stored> unsorted;
  BodyOrder order;
  PackedBodies<Stored> sorted;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { sorted(i) = unsorted(order(i)); }
};

}  // namespace

template <class Stored>
void SortedBodies<Stored>::sort(ExecutionSpace const& space, Sources<Stored> const& sources,
                                std::size_t count) {
  order = curve_order(space, sources.position, count, keyed_);
  fit(space, unsorted_, "apsis::forces::fmm::unsorted_bodies", count);
  fit(space, bodies, "apsis::forces::fmm::bodies", count);
  for_each(space, "apsis::forces::fmm::order::pack", count, PackBodies<Stored>{sources, unsorted_});
  for_each(space, "apsis::forces::fmm::order::reorder", count,
           Reorder<Stored>{unsorted_, order, bodies});
  tighten(space, order, bodies, default_rounds);
}

template class SortedBodies<float>;
template class SortedBodies<double>;

}  // namespace apsis::forces::fmm
