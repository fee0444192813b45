// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace apsis::diagnostics {
struct DensityCentre;
struct ErrorPercentiles;
struct FarthestBody;
struct PairDistances;
struct PotentialErrors;
}  // namespace apsis::diagnostics
namespace apsis::deck {
struct SnapshotContent;
}

/// Quantities of all bodies at an instant. If several ranks share the bodies, they are gathered,
/// and the leader rank measures alone.
namespace apsis::driver {

class Instant;
class Simulation;
struct BodiesIdentity;
struct HostColumns;
struct MeasuredTimes;
struct NotFinite;

/// Empty for few bodies. The result is cached.
std::optional<diagnostics::DensityCentre> const& density_centre(Instant& now);
std::optional<diagnostics::FarthestBody> farthest_body(Instant& now);
/// Distances over all pairs except those of two massless bodies. If the run has a table of them,
/// the closest pair is that since the last step at which this function was called. The result is
/// cached.
std::optional<diagnostics::PairDistances> const& pair_distances(Instant& now);

/// Errors of the accelerations of the run's solver, in a random sample of `sample` bodies.
diagnostics::ErrorPercentiles force_errors(Instant& now, std::uint64_t seed, std::size_t sample);
/// Errors of the potentials, in a random sample of `sample` bodies.
diagnostics::PotentialErrors potential_errors(Instant& now, std::uint64_t seed, std::size_t sample);

/// Returns the body with an energy or angular momentum that is not finite, after such a
/// measurement.
NotFinite not_finite_measurement(Instant& now);

BodiesIdentity identity_of(Instant& now);

/// Copies the columns of the bodies in their stored precision.
void copy_columns(Instant& now, HostColumns& copies, deck::SnapshotContent const& content);

/// Measures the wall times of a set of measurements, extrapolated where they take more than 0.05 s.
/// Changes no state and no counters. Fences.
MeasuredTimes time_measurements(Simulation& simulation, unsigned measured);

}  // namespace apsis::driver
