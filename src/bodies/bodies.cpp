// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/bodies.hpp>

namespace apsis {

template <class Real>
Bodies<Real> allocate_bodies(ExecutionSpace const& space, std::size_t count) {
  auto const alloc = [&](std::string const& name) {
    return Kokkos::view_alloc(space, "apsis::bodies::" + name);
  };
  return {VectorColumns<Real>(alloc("position"), count),
          VectorColumns<Real>(alloc("velocity"), count),
          VectorColumns<Real>(alloc("acceleration"), count),
          Column<Real>(alloc("mass"), count),
          Column<std::uint64_t>(alloc("id"), count),
          0,
          count};
}

template Bodies<float> allocate_bodies(ExecutionSpace const&, std::size_t);
template Bodies<double> allocate_bodies(ExecutionSpace const&, std::size_t);

}  // namespace apsis
