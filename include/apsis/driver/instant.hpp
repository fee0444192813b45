// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace apsis::diagnostics {
struct ClosestPair;
struct DensityCentre;
struct ErrorPercentiles;
struct FarthestBody;
struct Measurement;
struct PairDistances;
}  // namespace apsis::diagnostics

namespace apsis::driver {

struct HostColumns;
struct SnapshotContent;

/// The bodies at one synchronised time, as observers ask for them, whatever precision they are in
/// and wherever they are. What several ask for is found once. Fences what it has to.
class Instant {
 public:
  virtual ~Instant() = default;

  virtual std::uint64_t step() const = 0;  ///< steps of the deck since the start
  virtual double time() const = 0;         ///< [time]
  virtual double G() const = 0;
  virtual std::size_t count() const = 0;  ///< bodies

  virtual HostBodies const& bodies() = 0;
  /// Of each body, as the solver finds it in double [length^2 / time^2].
  virtual std::vector<double> const& potential() = 0;
  virtual diagnostics::Measurement const& measure() = 0;
  virtual std::optional<diagnostics::DensityCentre> const& density_centre() = 0;
  virtual std::optional<diagnostics::ClosestPair> closest_pair() = 0;
  virtual std::optional<diagnostics::PairDistances> pair_distances() = 0;
  virtual std::optional<diagnostics::FarthestBody> farthest_body() = 0;
  /// Of the accelerations that the run's solver finds here, in a sample of so many bodies.
  virtual diagnostics::ErrorPercentiles force_errors(std::uint64_t seed, std::size_t sample) = 0;
  /// Overwrites copies with the bodies' columns as they are stored.
  virtual void copy_to(HostColumns& copies, SnapshotContent const& content) = 0;

  /// Interactions evaluated so far, by the field's count.
  virtual double interactions() const = 0;
};

}  // namespace apsis::driver
