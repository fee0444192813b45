// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/transfer.hpp>
#include <apsis/core/context.hpp>
#include <apsis/core/views.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/measurement.hpp>
#include <apsis/diagnostics/test_particles.hpp>
#include <apsis/forces/request.hpp>
#include <apsis/forces/solver.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace apsis::driver {

/// Cache of quantities derived from the bodies. All ranks must request the same quantities; except
/// for sums over all bodies, the results are valid on the leader rank only.
template <class Real>
class StateCache {
 public:
  /// `own_bodies` and `solver` must outlive this object.
  StateCache(Context const& context, Bodies<Real> const& own_bodies, forces::Solver<Real>& solver)
      : context_(context),
        own_bodies_(own_bodies),
        solver_(solver),
        own_potential_(Kokkos::view_alloc(context.space, "apsis::driver::potential"),
                       own_bodies.size()) {}

  /// Invalidates all cached results. Call whenever the bodies move.
  void invalidate() { cached_ = {}; }

  /// Buffer for the potentials of the bodies of this rank, for callers that compute them together
  /// with forces and then call set_own_potential_valid().
  Column<double> const& own_potential() const { return own_potential_; }
  void set_own_potential_valid() { cached_.own_potential = true; }

  /// All bodies on the leader rank, none on the other ranks.
  Bodies<Real> const& gathered_bodies() {
    if (!cached_.gathered_bodies) cached_.gathered_bodies = collected(context_, own_bodies_);
    return *cached_.gathered_bodies;
  }
  Column<double> gathered_potential() {
    compute_potential();
    return collected(context_, own_potential_);
  }

  HostBodies const& bodies(std::vector<std::uint8_t> const& species) {
    if (!cached_.bodies) {
      cached_.bodies = to_host(context_, gathered_bodies());
      cached_.bodies->species = species;
    }
    return *cached_.bodies;
  }
  std::vector<double> const& potential() {
    if (!cached_.potential) {
      auto const gathered = gathered_potential();
      cached_.potential.emplace(gathered.extent(0));
      Kokkos::deep_copy(context_.space, unmanaged(*cached_.potential), gathered);
      context_.space.fence("apsis::driver::present: the host reads potentials");
    }
    return *cached_.potential;
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

  std::optional<diagnostics::DensityCentre> const& density_centre(HostBodies const& bodies,
                                                                  Poll const& poll) {
    if (!cached_.centre) {
      cached_.centre.emplace(diagnostics::density_centre(
          bodies, diagnostics::neighbour_densities(context_.space, gathered_bodies(), poll)));
    }
    return *cached_.centre;
  }

 private:
  struct Cached {
    bool own_potential = false;
    std::optional<Bodies<Real>> gathered_bodies;
    std::optional<HostBodies> bodies;
    std::optional<std::vector<double>> potential;
    std::optional<diagnostics::Measurement> measurement;
    std::optional<std::optional<diagnostics::DensityCentre>> centre;
  };

  void compute_potential() {
    if (!cached_.own_potential) {
      solver_.evaluate(context_, forces::potentials_of(own_bodies_, own_potential_));
    }
    cached_.own_potential = true;
  }

  Context const& context_;
  Bodies<Real> const& own_bodies_;
  forces::Solver<Real>& solver_;
  Column<double> own_potential_;
  Cached cached_;
};

}  // namespace apsis::driver
