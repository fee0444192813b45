// SPDX-License-Identifier: Apache-2.0
#include "apsis/driver/measurements.hpp"

#include "core/digest.hpp"
#include "driver/observers/background.hpp"
#include "pinned_columns.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/farthest_body.hpp>
#include <apsis/diagnostics/force_error_sample.hpp>
#include <apsis/diagnostics/measurement.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/driver/whole_bodies.hpp>

namespace apsis::driver {

HostBodies const& Instant::bodies() {
  auto& whole = this->whole();
  if (!whole.host_bodies) {
    whole.host_bodies = on_whole(whole, [](Context const& context, auto const& bodies,
                                           auto const&) { return to_host(context, bodies); });
    whole.host_bodies->species = *whole.species;
    whole.host_bodies->radius = *whole.radius;
    whole.host_bodies->name = *whole.names;
  }
  return *whole.host_bodies;
}

std::vector<double> const& Instant::potential() {
  auto& whole = this->whole(true);
  if (!whole.host_potential) {
    auto const count = whole.potential->extent(0);
    whole.host_potential.emplace(count);
    Kokkos::deep_copy(whole.space,
                      Kokkos::View<double*, Kokkos::HostSpace>(whole.host_potential->data(), count),
                      *whole.potential);
    whole.space.fence("apsis::driver::measurements: the host reads potentials");
  }
  return *whole.host_potential;
}

std::optional<diagnostics::DensityCentre> const& density_centre(Instant& now) {
  auto& whole = now.whole();
  if (!whole.density_centre) {
    auto const& host = now.bodies();
    whole.density_centre = diagnostics::density_centre(
        host, on_whole(whole, [&](Context const& context, auto const& bodies, auto const&) {
          return diagnostics::neighbour_densities(context, bodies, now.poll_callback());
        }));
  }
  return *whole.density_centre;
}

std::optional<diagnostics::DensityCentre> density_centre(Instant& now, HostBodies const& group) {
  return diagnostics::density_centre(
      group,
      on_whole(now, [&]<class Real>(Context const& context, Bodies<Real> const&, auto const&) {
        return diagnostics::neighbour_densities(context, to_device<Real>(context, group),
                                                now.poll_callback());
      }));
}

std::optional<diagnostics::FarthestBody> farthest_body(Instant& now) {
  return on_whole(now, [](Context const& context, auto const& bodies, auto const&) {
    return diagnostics::farthest_body(context, bodies);
  });
}

std::optional<diagnostics::PairDistances> const& pair_distances(Instant& now) {
  auto& whole = now.whole();
  if (!whole.pair_distances) {
    auto distances = on_whole(whole, [&](Context const& context, auto const& bodies, auto const&) {
      return diagnostics::pair_distances(context, bodies, now.poll_callback());
    });
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
  return on_whole(whole, [&](Context const& context, auto const& bodies, auto const& species) {
    return diagnostics::force_errors(
        context, bodies, whole.gravity,
        diagnostics::random_sample(seed, now.step(), sample, bodies.size()), now.poll_callback(),
        species);
  });
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
  auto const index = on_whole(whole, [&](Context const& context, auto const& bodies, auto const&) {
    return diagnostics::first_not_finite(context, bodies, *whole.potential);
  });
  return {now.step(), index, "its energy or angular momentum"};
}

BodiesIdentity identity_of(Instant& now) {
  return on_whole(now, [&](Context const&, auto const& bodies, auto const&) {
    auto const mass = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.mass);
    auto const id = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.id);
    BodiesIdentity identity;
    identity.count = now.count();
    SetDigest ids;
    for (std::size_t i = 0; i < mass.extent(0); ++i) {
      ids.add(id(i));
      identity.mass += mass(i);
    }
    identity.ids = ids.value();
    return identity;
  });
}

void copy_columns(Instant& now, HostColumns& copies, deck::SnapshotContent const& content) {
  auto const copy = [&]<class Real>(Context const& context, Bodies<Real> const& bodies,
                                    Column<double> const& potential, WholeBodies const& labels) {
    if (!std::any_cast<PinnedColumns<Real>>(&copies.memory)) {
      copies.memory = PinnedColumns<Real>();
    }
    auto& pinned = *std::any_cast<PinnedColumns<Real>>(&copies.memory);
    io::SnapshotColumns<Real> columns{copied(pinned.position, context, "position", bodies.position),
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
        "apsis::driver::measurements: the host reads the copies, and temporaries are freed");
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
  on_whole(simulation, [&](Context const& context, auto const& bodies, auto const&) {
    if (is_requested(measured_density_centre) || is_requested(measured_neighbours)) {
      times.density_centre = extrapolated_time(
          [&](Poll const& poll) { diagnostics::neighbour_densities(context, bodies, poll); });
    }
    if (is_requested(measured_pair_distances)) {
      times.pair_distances = extrapolated_time(
          [&](Poll const& poll) { diagnostics::pair_distances(context, bodies, poll); });
    }
    if (!is_requested(measured_bodies) && !is_requested(measured_reference)) return;
    Stopwatch const watch;
    auto const host = to_host(context, bodies);
    times.bodies = watch.seconds();
    if (!is_requested(measured_reference) || host.size() == 0) return;
    auto const sample = diagnostics::random_sample(0, 0, 64, host.size());
    times.reference =
        extrapolated_time([&](Poll const& poll) {
          diagnostics::reference_field(host, simulation.whole().gravity, sample, poll);
        }) /
        static_cast<double>(sample.size());
  });
  return times;
}

}  // namespace apsis::driver
