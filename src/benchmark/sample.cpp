// SPDX-License-Identifier: Apache-2.0
#include <apsis/benchmark/sample.hpp>
#include <apsis/bodies/transfer.hpp>
#include <apsis/initial_conditions/model.hpp>

#include <memory>

namespace apsis::benchmark {

namespace {
#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE) && \
    (defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP))
constexpr bool pinned_exists = true;
using PinnedSpace = Kokkos::SharedHostPinnedSpace;
#else
constexpr bool pinned_exists = false;
using PinnedSpace = MemorySpace;
#endif

/// The same values in pinned memory, seen as if it were the device's: unified addresses allow it.
template <class View>
void move_to_host(ExecutionSpace const& space, View& view,
                  std::vector<std::shared_ptr<void>>& owners) {
  using Pinned = Kokkos::View<typename View::data_type, typename View::array_layout, PinnedSpace>;
  auto const owner = std::make_shared<Pinned>("apsis::benchmark::pinned", view.extent(0));
  View const seen(owner->data(), view.extent(0));
  Kokkos::deep_copy(space, seen, view);
  owners.push_back(owner);
  view = seen;
}
}  // namespace

bool has_host_pinned() {
  return pinned_exists;
}

HostBodies sample(std::size_t count) {
  auto const& plummer = initial_conditions::models().at("plummer");
  auto values = defaults(plummer.parameters);
  values.set("count", static_cast<std::int64_t>(count));
  values.set("seed", std::int64_t{1});
  return plummer.make(values, 1.0);
}

template <class Stored>
Placed<Stored> placed(ExecutionSpace const& space, HostBodies const& host, Memory memory) {
  Placed<Stored> to{to_device<Stored>(space, host), {}};
  if (memory == Memory::device) return to;
  move_to_host(space, to.bodies.position, to.owners);
  move_to_host(space, to.bodies.velocity, to.owners);
  move_to_host(space, to.bodies.acceleration, to.owners);
  move_to_host(space, to.bodies.mass, to.owners);
  space.fence("apsis::benchmark::placed: the device's own copies are freed");
  return to;
}

template Placed<float> placed(ExecutionSpace const&, HostBodies const&, Memory);
template Placed<double> placed(ExecutionSpace const&, HostBodies const&, Memory);

}  // namespace apsis::benchmark
