// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/collect.hpp>
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/context.hpp>
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
class Present {
 public:
  /// `own_bodies` and `solver` must outlive this object.
  Present(Context const& context, Bodies<Real> const& own, forces::Solver<Real>& solver)
      : context_(context),
        own_(own),
        solver_(solver),
        own_potential_(Kokkos::view_alloc(context.space, "apsis::driver::potential"), own.size()) {}

  /// Invalidates all cached results. Call whenever the bodies move.
  void moved() { found_ = {}; }

  /// Buffer for the potentials of the bodies of this rank, for callers that compute them together
  /// with forces and then call set_own_potential_valid().
  Column<double> const& own_potential() const { return own_potential_; }
  void has_own_potential() { found_.own_potential = true; }

  /// All bodies on the leader rank, none on the other ranks.
  Bodies<Real> const& whole() {
    if (!found_.whole) found_.whole = collected(context_, own_);
    return *found_.whole;
  }
  Column<double> whole_potential() {
    find_potential();
    return collected(context_, own_potential_);
  }

  HostBodies const& bodies(std::vector<std::uint8_t> const& species) {
    if (!found_.bodies) {
      found_.bodies = to_host(context_, whole());
      found_.bodies->species = species;
    }
    return *found_.bodies;
  }
  std::vector<double> const& potential() {
    if (!found_.potential) {
      auto const all = whole_potential();
      found_.potential.emplace(all.extent(0));
      Kokkos::deep_copy(
          context_.space,
          Kokkos::View<double*, Kokkos::HostSpace>(found_.potential->data(), all.extent(0)), all);
      context_.space.fence("apsis::driver::present: the host reads potentials");
    }
    return *found_.potential;
  }

  /// `test_particles`: massless bodies that are judged individually, if any.
  diagnostics::Measurement const& measure(
      std::optional<diagnostics::TestParticles<Real>>& test_particles) {
    if (!found_.measurement) {
      find_potential();
      found_.measurement = diagnostics::measure(context_, own_, own_potential_);
      if (test_particles) {
        found_.measurement->test_particle_energy_error =
            test_particles->energy_error(context_, own_, own_potential_);
      }
    }
    return *found_.measurement;
  }

  std::optional<diagnostics::DensityCentre> const& density_centre(HostBodies const& all,
                                                                  Poll const& poll) {
    if (!found_.centre) {
      found_.centre.emplace(diagnostics::density_centre(
          all, diagnostics::neighbour_densities(context_.space, whole(), poll)));
    }
    return *found_.centre;
  }

 private:
  struct Found {
    bool own_potential = false;
    std::optional<Bodies<Real>> whole;
    std::optional<HostBodies> bodies;
    std::optional<std::vector<double>> potential;
    std::optional<diagnostics::Measurement> measurement;
    std::optional<std::optional<diagnostics::DensityCentre>> centre;
  };

  void find_potential() {
    if (!found_.own_potential) {
      solver_.evaluate(context_, forces::potentials_of(own_, own_potential_));
    }
    found_.own_potential = true;
  }

  Context const& context_;
  Bodies<Real> const& own_;
  forces::Solver<Real>& solver_;
  Column<double> own_potential_;
  Found found_;
};

}  // namespace apsis::driver
