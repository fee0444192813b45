// SPDX-License-Identifier: Apache-2.0
#include "apsis/simulation/measurements.hpp"

#include "core/digest.hpp"
#include "diagnostics/force_error_sample.hpp"
#include "diagnostics/measurement.hpp"
#include "snapshot_file.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/farthest_body.hpp>
#include <apsis/simulation/whole_bodies.hpp>

namespace apsis::simulation {

namespace {

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

}  // namespace

ReadBodies WholeBodies::read() const {
  return std::visit([](auto const& stored) { return ReadBodies(stored); }, bodies);
}

HostBodies const& Instant::bodies() {
  auto& whole = this->whole();
  if (!whole.host_bodies) {
    whole.host_bodies = to_host(whole.space, whole.read());
    whole.host_bodies->species = *whole.species;
    whole.host_bodies->radius = *whole.radius;
    whole.host_bodies->name = *whole.names;
  }
  return *whole.host_bodies;
}

std::vector<double> const& Instant::potential() {
  auto& whole = this->whole(true);
  if (!whole.host_potential) {
    whole.host_potential = values_on_host(whole.space, *whole.potential);
  }
  return *whole.host_potential;
}

std::optional<diagnostics::DensityCentre> const& density_centre(Instant& now) {
  auto& whole = now.whole();
  if (!whole.density_centre) {
    whole.density_centre = diagnostics::density_centre(
        now.bodies(),
        diagnostics::neighbour_densities(whole.space, whole.read(), now.poll_callback()));
  }
  return *whole.density_centre;
}

std::optional<diagnostics::DensityCentre> density_centre(Instant& now, HostBodies const& group) {
  auto const& space = now.whole().space;
  return diagnostics::density_centre(
      group, diagnostics::neighbour_densities(space, to_device<double>(space, group),
                                              now.poll_callback()));
}

std::optional<diagnostics::FarthestBody> farthest_body(Instant& now) {
  auto const& whole = now.whole();
  return diagnostics::farthest_body(whole.space, whole.read());
}

std::optional<diagnostics::PairDistances> const& pair_distances(Instant& now) {
  auto& whole = now.whole();
  if (!whole.pair_distances) {
    auto distances = diagnostics::pair_distances(whole.space, whole.read(), now.poll_callback());
    auto const since_row = now.closest_approach(Since::row);
    if (distances && since_row && since_row->distance < distances->closest.distance) {
      distances->closest = {since_row->distance, since_row->first, since_row->second};
    }
    whole.pair_distances = distances;
  }
  return *whole.pair_distances;
}

diagnostics::ErrorPercentiles force_errors(Instant& now, std::uint64_t seed, std::size_t sample) {
  auto const whole = now.with_accelerations();
  auto const bodies = whole.read();
  return diagnostics::force_errors(
      whole.space, bodies, whole.gravity,
      diagnostics::random_sample(seed, now.step(), sample, bodies.size()), now.poll_callback(),
      *whole.species);
}

diagnostics::PotentialErrors potential_errors(Instant& now, std::uint64_t seed,
                                              std::size_t sample) {
  auto const& bodies = now.bodies();
  return diagnostics::potential_errors(
      bodies, now.potential(), now.whole().gravity,
      diagnostics::random_sample(seed, now.step(), sample, bodies.size()), now.poll_callback());
}

NotFinite not_finite_measurement(Instant& now) {
  auto const& whole = now.whole(true);
  return {now.step(), diagnostics::first_not_finite(whole.space, whole.read(), *whole.potential),
          "its energy or angular momentum"};
}

void BodiesIdentity::exchange(SavedState& state) {
  state.exchange("run/bodies", count);
  state.exchange("run/ids", ids);
  state.exchange("run/mass", mass);
}

BodiesIdentity identity_of(Instant& now) {
  auto const& whole = now.whole();
  BodiesIdentity identity;
  identity.count = now.count();
  for (double const mass : values_on_host(whole.space, whole.read().mass)) identity.mass += mass;
  SetDigest ids;
  for (auto const id : ids_on_host(whole.space, whole.read())) ids.add(id);
  identity.ids = ids.value();
  return identity;
}

void copy_columns(Instant& now, HostColumns& copies, deck::SnapshotContent const& content) {
  auto const copy = [&]<class Real>(Context const& context, Bodies<Real> const& bodies,
                                    Column<double> const& potential, WholeBodies const& labels) {
    if (!std::any_cast<PinnedColumns<Real>>(&copies.memory)) {
      copies.memory = PinnedColumns<Real>();
    }
    auto& pinned = *std::any_cast<PinnedColumns<Real>>(&copies.memory);
    ColumnSpans<Real> columns{copied(pinned.position, context, "position", bodies.position),
                              copied(pinned.velocity, context, "velocity", bodies.velocity),
                              copied(pinned.mass, context, "mass", bodies.mass),
                              copied(pinned.id, context, "id", bodies.id)};
    if (content.accelerations) {
      columns.acceleration =
          copied(pinned.acceleration, context, "acceleration", bodies.acceleration);
    }
    if (content.potentials) {
      columns.potential = copied(pinned.potential, context, "potential", potential);
    }
    pinned.species = labels.species;
    columns.species = *labels.species;
    pinned.radius = labels.radius;
    columns.radius = *labels.radius;
    pinned.names = labels.names;
    columns.names = *labels.names;
    context.space.fence(
        "apsis::simulation::measurements: the host reads the copies, and temporaries are freed");
    copies.columns = columns;
  };
  std::optional<WholeBodies> accelerated;
  if (content.accelerations) accelerated = now.with_accelerations();
  auto const& whole = accelerated ? *accelerated : now.whole();
  auto const potential = content.potentials ? *now.whole(true).potential : Column<double>();
  on_whole(whole, [&](Context const& context, auto const& bodies, auto const&) {
    copy(context, bodies, potential, whole);
  });
}

MeasuredTimes time_measurements(Simulation& simulation, unsigned measured) {
  auto const is_requested = [&](Measured measurement) { return (measured & measurement) != 0; };
  auto times = simulation.time_solver(measured);
  auto const& whole = simulation.whole();
  auto const bodies = whole.read();
  if (is_requested(measured_density_centre) || is_requested(measured_neighbours)) {
    times.density_centre = extrapolated_time(
        [&](Poll const& poll) { diagnostics::neighbour_densities(whole.space, bodies, poll); });
  }
  if (is_requested(measured_pair_distances)) {
    times.pair_distances = extrapolated_time(
        [&](Poll const& poll) { diagnostics::pair_distances(whole.space, bodies, poll); });
  }
  if (!is_requested(measured_bodies) && !is_requested(measured_reference)) return times;
  Stopwatch const watch;
  auto const host = to_host(whole.space, bodies);
  times.bodies = watch.seconds();
  if (!is_requested(measured_reference) || host.size() == 0) return times;
  auto const sample = diagnostics::random_sample(0, 0, 64, host.size());
  times.reference = extrapolated_time([&](Poll const& poll) {
                      diagnostics::reference_field(host, whole.gravity, sample, poll);
                    }) /
                    static_cast<double>(sample.size());
  return times;
}

}  // namespace apsis::simulation
