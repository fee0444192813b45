// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "body_names.hpp"
#include "species.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/context.hpp>
#include <apsis/core/views.hpp>
#include <apsis/diagnostics/measurement.hpp>
#include <apsis/diagnostics/test_particles.hpp>
#include <apsis/driver/whole_bodies.hpp>
#include <apsis/forces/request.hpp>
#include <apsis/forces/solver.hpp>

#include <optional>

namespace apsis::driver {

/// Cache of the gathered bodies, their potentials and the conserved quantities. All ranks must
/// request the same; gathered columns are those of the leader rank only.
template <class Real>
class StateCache {
 public:
  /// The arguments must outlive this object.
  StateCache(Context const& context, Bodies<Real> const& own_bodies, Species const& species,
             BodyNames const& names, forces::Solver<Real>& solver)
      : context_(context),
        own_bodies_(own_bodies),
        species_(species),
        names_(names),
        solver_(solver),
        own_potential_(Kokkos::view_alloc(context.space, "apsis::driver::potential"),
                       own_bodies.size()) {}

  /// Invalidates all cached results. Call whenever the bodies move.
  void invalidate() { cached_ = {}; }

  /// Buffer for the potentials of the bodies of this rank, for callers that compute them together
  /// with forces and then call set_own_potential_valid().
  Column<double> const& own_potential() const { return own_potential_; }
  void set_own_potential_valid() { cached_.own_potential = true; }

  /// Gathers the bodies of all ranks on the leader rank.
  WholeBodies gather(Bodies<Real> const& bodies) const {
    return {context_.space, solver_.gravity(), gather_bodies(context_, bodies), species_.kinds(),
            names_.list()};
  }
  WholeBodies& whole(bool potentials) {
    if (!cached_.whole) cached_.whole = gather(own_bodies_);
    if (potentials && !cached_.whole->potential) {
      compute_potential();
      cached_.whole->potential = gather_column(context_, own_potential_);
    }
    return *cached_.whole;
  }

  /// `test_particles`: massless bodies that are judged individually, if any.
  diagnostics::Measurement const& measure(
      std::optional<diagnostics::TestParticles<Real>>& test_particles) {
    if (!cached_.measurement) {
      compute_potential();
      cached_.measurement = diagnostics::measure(context_, own_bodies_, own_potential_);
      if (test_particles) {
        cached_.measurement->test_particle_energy_error =
            test_particles->energy_error(context_, own_bodies_, own_potential_);
      }
    }
    return *cached_.measurement;
  }

 private:
  struct Cached {
    bool own_potential = false;
    std::optional<WholeBodies> whole;
    std::optional<diagnostics::Measurement> measurement;
  };

  void compute_potential() {
    if (!cached_.own_potential) {
      solver_.evaluate(context_, forces::potentials_of(own_bodies_, own_potential_));
    }
    cached_.own_potential = true;
  }

  Context const& context_;
  Bodies<Real> const& own_bodies_;
  Species const& species_;
  BodyNames const& names_;
  forces::Solver<Real>& solver_;
  Column<double> own_potential_;
  Cached cached_;
};

}  // namespace apsis::driver
