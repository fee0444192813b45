// SPDX-License-Identifier: Apache-2.0
#include "sample.hpp"

#include <apsis/bodies/transfer.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/initial_conditions/model.hpp>

#include <memory>
#include <type_traits>

namespace apsis::benchmark {

namespace {
/// Moves a view to pinned host memory. Unified addressing allows kernels to use it like device
/// memory.
template <class View>
void move_to_host(ExecutionSpace const& space, View& view,
                  std::vector<std::shared_ptr<void>>& owners) {
  using Pinned = Kokkos::View<typename View::data_type, typename View::array_layout, PinnedSpace>;
  auto const owner = std::make_shared<Pinned>("apsis::benchmark::pinned", view.extent(0));
  View const pinned_view(owner->data(), view.extent(0));
  Kokkos::deep_copy(space, pinned_view, view);
  owners.push_back(owner);
  view = pinned_view;
}
}  // namespace

bool has_host_pinned() {
  return on_gpu && !std::is_same_v<PinnedSpace, Kokkos::HostSpace>;
}

HostBodies sample(std::size_t count) {
  auto const& plummer = initial_conditions::models().get("plummer");
  auto values = defaults(plummer.parameters);
  values.set("count", static_cast<std::int64_t>(count));
  values.set("seed", std::int64_t{1});
  return plummer.make(values, 1.0);
}

template <class Stored>
PlacedBodies<Stored> place_bodies(ExecutionSpace const& space, HostBodies const& host,
                                  Memory memory) {
  PlacedBodies<Stored> result{to_device<Stored>(space, host), {}};
  if (memory == Memory::device) return result;
  move_to_host(space, result.bodies.position, result.owners);
  move_to_host(space, result.bodies.velocity, result.owners);
  move_to_host(space, result.bodies.acceleration, result.owners);
  move_to_host(space, result.bodies.mass, result.owners);
  space.fence("apsis::benchmark::placed: the device's own copies are freed");
  return result;
}

template PlacedBodies<float> place_bodies(ExecutionSpace const&, HostBodies const&, Memory);
template PlacedBodies<double> place_bodies(ExecutionSpace const&, HostBodies const&, Memory);

}  // namespace apsis::benchmark
