// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "body_events.hpp"
#include "body_labels.hpp"
#include "diagnostics/measurement.hpp"
#include "diagnostics/test_particles.hpp"
#include "method.hpp"
#include <apsis/simulation/whole_bodies.hpp>

#include <optional>

namespace apsis::simulation {

/// Cache of the gathered bodies, their potentials and the conserved quantities. All ranks must make
/// the same requests. Only the leader rank has rows in the gathered columns.
class StateCache {
 public:
  /// The arguments must outlive this object.
  StateCache(Method& method, BodyLabels const& labels, BodyEvents const& events);

  /// Invalidates all cached results. Call whenever the bodies move.
  void invalidate() { cached_ = {}; }

  /// Buffer for the potentials of the bodies of this rank, for callers that compute them together
  /// with forces and then call set_own_potential_valid().
  Column<double> const& own_potential() const { return own_potential_; }
  void set_own_potential_valid() { cached_.own_potential = true; }

  /// Gathers the bodies of all ranks on the leader rank, without those that are gone.
  /// `present_accelerations`: see Method::gather().
  WholeBodies gather(bool present_accelerations) const;
  WholeBodies& whole(bool potentials);

  /// `test_particles`: massless bodies that are judged individually, if any.
  diagnostics::Measurement const& measure(
      std::optional<diagnostics::TestParticles>& test_particles);

 private:
  struct Cached {
    bool own_potential = false;
    std::optional<WholeBodies> whole;
    std::optional<diagnostics::Measurement> measurement;
  };

  void compute_potential();

  Method& method_;
  BodyLabels const& labels_;
  BodyEvents const& events_;
  Column<double> own_potential_;
  Cached cached_;
};

}  // namespace apsis::simulation
