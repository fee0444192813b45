// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "body_events.hpp"
#include "body_names.hpp"
#include "diagnostics/measurement.hpp"
#include "diagnostics/test_particles.hpp"
#include "species.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/views.hpp>
#include <apsis/forces/extra.hpp>
#include <apsis/forces/request.hpp>
#include <apsis/forces/solver.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <optional>

namespace apsis::simulation {

/// Returns some rows of a column.
template <class Value>
Column<Value> select_rows(ExecutionSpace const& space, Column<Value> const& column,
                          forces::BodyList const& rows) {
  Column<Value> const selected(Kokkos::view_alloc(space, "apsis::simulation::selected"),
                               rows.extent(0));
  for_each(
      space, "apsis::simulation::select_rows", rows.extent(0),
      KOKKOS_LAMBDA(std::size_t i) { selected(i) = column(rows(i)); });
  return selected;
}
/// Returns some rows of three columns.
template <class Real>
VectorColumns<Real> select_rows(ExecutionSpace const& space, VectorColumns<Real> const& columns,
                                forces::BodyList const& rows) {
  VectorColumns<Real> const selected(Kokkos::view_alloc(space, "apsis::simulation::selected"),
                                     rows.extent(0));
  for_each(
      space, "apsis::simulation::select_rows", rows.extent(0), KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) selected(i, axis) = columns(rows(i), axis);
      });
  return selected;
}

/// Cache of the gathered bodies, their potentials and the conserved quantities. All ranks must make
/// the same requests. Only the leader rank has rows in the gathered columns.
template <class Real>
class StateCache {
 public:
  /// The arguments must outlive this object.
  StateCache(Context const& context, Bodies<Real> const& own_bodies, Species const& species,
             BodyEvents<Real> const& events, BodyNames const& names, forces::Solver<Real>& solver)
      : context_(context),
        own_bodies_(own_bodies),
        species_(species),
        events_(events),
        names_(names),
        solver_(solver),
        own_potential_(Kokkos::view_alloc(context.space, "apsis::simulation::potential"),
                       own_bodies.size()) {}

  /// Invalidates all cached results. Call whenever the bodies move.
  void invalidate() { cached_ = {}; }

  /// Buffer for the potentials of the bodies of this rank, for callers that compute them together
  /// with forces and then call set_own_potential_valid().
  Column<double> const& own_potential() const { return own_potential_; }
  void set_own_potential_valid() { cached_.own_potential = true; }

  /// Gathers the bodies of all ranks on the leader rank, without those that are gone.
  WholeBodies gather(Bodies<Real> const& bodies) const {
    return {context_.space,  solver_.gravity(), present(gather_bodies(context_, bodies)),
            present_kinds(), events_.radii(),   present_names()};
  }
  WholeBodies& whole(bool potentials) {
    if (!cached_.whole) cached_.whole = gather(own_bodies_);
    if (potentials && !cached_.whole->potential) {
      compute_potential();
      auto const potential = gather_column(context_, own_potential_);
      auto const* const rows = events_.present_rows();
      cached_.whole->potential = rows ? select_rows(context_.space, potential, *rows) : potential;
    }
    return *cached_.whole;
  }

  /// `test_particles`: massless bodies that are judged individually, if any.
  diagnostics::Measurement const& measure(
      std::optional<diagnostics::TestParticles>& test_particles) {
    if (!cached_.measurement) {
      compute_potential();
      cached_.measurement = diagnostics::measure(context_, own_bodies_, own_potential_);
      add_extra_forces(*cached_.measurement);
      cached_.measurement->moved = events_.moved();
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

  /// Potentials of forces besides gravity belong to one body, those of gravity to pairs, of which
  /// measure() has taken half.
  void add_extra_forces(diagnostics::Measurement& measurement) const {
    auto const* const extra = solver_.extra_forces();
    if (extra == nullptr) return;
    measurement.potential += 0.5 * extra->energy(context_, own_bodies_, solver_.time());
    measurement.conserved = extra->conserved();
  }

  Bodies<Real> present(Bodies<Real> bodies) const {
    auto const* const rows = events_.present_rows();
    if (rows == nullptr) return bodies;
    auto const& space = context_.space;
    bodies.position = select_rows(space, bodies.position, *rows);
    bodies.velocity = select_rows(space, bodies.velocity, *rows);
    bodies.acceleration = select_rows(space, bodies.acceleration, *rows);
    bodies.mass = select_rows(space, bodies.mass, *rows);
    bodies.id = select_rows(space, bodies.id, *rows);
    bodies.total = rows->extent(0);
    return bodies;
  }
  std::shared_ptr<BodyNames::List const> present_names() const {
    if (events_.gone() == 0 || names_.list()->empty()) return names_.list();
    return std::make_shared<BodyNames::List const>(events_.select_present(*names_.list()));
  }
  std::shared_ptr<Species::Kinds const> present_kinds() const {
    if (events_.gone() == 0 || species_.kinds()->empty()) return species_.kinds();
    return std::make_shared<Species::Kinds const>(events_.select_present(*species_.kinds()));
  }

  void compute_potential() {
    if (!cached_.own_potential) {
      solver_.evaluate(context_, forces::potentials_of(own_bodies_, own_potential_));
    }
    cached_.own_potential = true;
  }

  Context const& context_;
  Bodies<Real> const& own_bodies_;
  Species const& species_;
  BodyEvents<Real> const& events_;
  BodyNames const& names_;
  forces::Solver<Real>& solver_;
  Column<double> own_potential_;
  Cached cached_;
};

}  // namespace apsis::simulation
