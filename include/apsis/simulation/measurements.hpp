// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace apsis {
struct HostBodies;
class SavedState;
}  // namespace apsis
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
namespace apsis::simulation {

class Instant;
class Simulation;
struct HostColumns;
struct MeasuredTimes;
struct NotFinite;

/// Density centre of all bodies; empty for fewer than seven. The result is cached.
std::optional<diagnostics::DensityCentre> const& density_centre(Instant& now);
/// Density centre of some of the bodies, from their neighbours among each other; empty for fewer
/// than seven. O(N log N), and a copy to the device.
std::optional<diagnostics::DensityCentre> density_centre(Instant& now, HostBodies const& group);
/// Body that is farthest from the centre of mass, if there is one.
std::optional<diagnostics::FarthestBody> farthest_body(Instant& now);
/// Distances over all pairs except those of two massless bodies; empty if there are none. If the
/// run has a table of pair distances, the closest pair is the closest one since the last row. The
/// result is cached.
std::optional<diagnostics::PairDistances> const& pair_distances(Instant& now);

/// Errors of the accelerations of the run's solver, in a random sample of `sample` bodies.
diagnostics::ErrorPercentiles force_errors(Instant& now, std::uint64_t seed, std::size_t sample);
/// Errors of the potentials, in a random sample of `sample` bodies.
diagnostics::PotentialErrors potential_errors(Instant& now, std::uint64_t seed, std::size_t sample);

/// Returns the first body with an energy or angular momentum that is not finite. Call after a
/// measurement that is not finite.
NotFinite not_finite_measurement(Instant& now);

/// Identity of a set of bodies, independent of their motion.
struct BodiesIdentity {
  std::uint64_t count = 0;  ///< at the start of the run
  std::uint64_t ids = 0;    ///< SetDigest of the bodies that are not merged or removed
  double mass = 0.0;        ///< their total, summed in the order of the bodies [mass]

  void exchange(SavedState& state);
  friend bool operator==(simulation::BodiesIdentity const&,
                         simulation::BodiesIdentity const&) = default;
};

/// Identity of the bodies, which a run must preserve.
BodiesIdentity identity_of(Instant& now);

/// Copies the columns of the bodies in their stored precision to `copies`, and allocates them if
/// necessary. Fences.
void copy_columns(Instant& now, HostColumns& copies, deck::SnapshotContent const& content);

/// Measures the wall times of a set of measurements, extrapolated where they take more than 0.05 s.
/// Changes no state and no counters. Fences.
MeasuredTimes time_measurements(Simulation& simulation, unsigned measured);

}  // namespace apsis::simulation
