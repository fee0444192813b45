// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace apsis::simulation {

/// Memory of HostColumns.
template <class Real>
struct PinnedColumns {
  template <class Data>
  using Copy = Kokkos::View<Data, Kokkos::LayoutLeft, PinnedSpace>;

  Copy<Real*[3]> position, velocity, acceleration;
  Copy<Real*> mass;
  Copy<std::uint64_t*> id;
  Copy<double*> potential;
  std::shared_ptr<std::vector<std::uint8_t> const> species;
  std::shared_ptr<std::vector<double> const> radius;
  std::shared_ptr<std::vector<std::string> const> names;
};

/// Overwrites a copy, allocating it if necessary, and returns a view of it. Does not fence.
template <class Copy, class View>
std::span<typename Copy::const_value_type> copied(Copy& copy, ExecutionSpace const& space,
                                                  char const* name, View const& view) {
  if (!copy.is_allocated() || copy.extent(0) != view.extent(0)) {
    copy = Copy(Kokkos::view_alloc(Kokkos::WithoutInitializing,
                                   std::string("apsis::simulation::host_columns::") + name),
                view.extent(0));
  }
  Kokkos::deep_copy(space, copy, view);
  return {copy.data(), copy.size()};
}

}  // namespace apsis::simulation
