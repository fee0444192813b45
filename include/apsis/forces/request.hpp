// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/forces/body_range.hpp>

#include <optional>

namespace apsis::forces {

/// Row numbers in rising order.
using BodyList = Kokkos::View<std::size_t*, MemorySpace>;

/// Sources of gravity: some or all bodies of a run. Sums run over the sources in parts that depend
/// only on the numbers of all bodies and targets. A subset that begins and ends at part boundaries
/// therefore contributes the same bits as it does among all.
template <class Stored>
struct Sources {
  VectorColumns<Stored> position;      ///< [length]
  VectorColumns<Stored> velocity;      ///< [length / time]; read for a jerk
  VectorColumns<Stored> acceleration;  ///< [length / time^2]; read for a snap
  Column<Stored> mass;                 ///< [mass], >= 0
  std::size_t first = 0;               ///< global number of row 0
  std::size_t total = 0;               ///< bodies of the whole run

  std::size_t size() const { return mass.extent(0); }
};

/// Points at which the field is requested: rows of the sources' columns, or of separate columns.
template <class Stored>
struct Targets {
  VectorColumns<Stored> position, velocity, acceleration;  ///< as in Sources
  std::optional<std::size_t> first = 0;  ///< global number of row 0; empty: not bodies
  BodyRange range{};                     ///< range of rows, or ...
  BodyList listed;        ///< ... if not empty, the first range.count rows of this list
  std::size_t total = 0;  ///< number of targets of all ranks

  std::size_t size() const { return range.count; }
  bool is_listed() const { return listed.extent(0) != 0; }
  /// Rows of the list, or of the columns.
  BodyRange rows() const { return is_listed() ? BodyRange{0, size()} : range; }
};

/// Results, one row per target in their order. An empty column means "not requested".
template <class Stored>
struct Field {
  VectorColumns<Stored> acceleration;  ///< [length / time^2]
  VectorColumns<Stored> jerk;          ///< [length / time^3]
  VectorColumns<Stored> snap;          ///< [length / time^4]
  Column<double> potential;            ///< [length^2 / time^2], without the body itself

  bool accelerates() const { return acceleration.extent(0) != 0; }
  bool has_jerk() const { return jerk.extent(0) != 0; }
  bool has_snap() const { return snap.extent(0) != 0; }
  bool has_potential() const { return potential.extent(0) != 0; }
  /// Whether more than a potential is requested.
  bool has_forces() const { return accelerates() || has_jerk() || has_snap(); }
};

/// A request to a solver: sources, targets and requested results.
template <class Stored>
struct Request {
  Sources<Stored> sources;
  Targets<Stored> targets;
  Field<Stored> wanted;
  bool counted = true;  ///< counts as interactions of the run; false for diagnostics

  /// Whether the targets are rows of the sources, with the same body numbers.
  bool is_among_sources() const {
    return targets.first == sources.first && targets.position.data() == sources.position.data();
  }

  /// Whether every source is a target, over all ranks: each pair then needs to be evaluated only
  /// once. Agrees on all ranks.
  bool is_mutual() const {
    return is_among_sources() && !targets.is_listed() && targets.range.first == 0 &&
           targets.size() == sources.size() && targets.total == sources.total;
  }
};

/// Request for the field of `bodies` at the first `count` bodies of a list.
template <class Stored>
Request<Stored> field_at(Bodies<Stored> const& bodies, BodyList const& listed, std::size_t count,
                         Field<Stored> const& wanted) {
  auto const& b = bodies;
  return {{b.position, b.velocity, b.acceleration, b.mass, b.first, b.total},
          {b.position, b.velocity, b.acceleration, b.first, {0, count}, listed, count},
          wanted};
}

/// Request for the field at all bodies.
template <class Stored>
Request<Stored> field_of(Bodies<Stored> const& bodies, Field<Stored> const& wanted) {
  auto request = field_at(bodies, {}, bodies.size(), wanted);
  request.targets.total = bodies.total;
  return request;
}

/// Request for the accelerations of all bodies, stored in bodies.acceleration, and their potentials
/// if there is a column.
template <class Stored>
Request<Stored> accelerations_of(Bodies<Stored> const& bodies,
                                 Column<double> const& potential = {}) {
  return field_of(bodies, {bodies.acceleration, {}, {}, potential});
}

/// Request for the potentials of all bodies.
template <class Stored>
Request<Stored> potentials_of(Bodies<Stored> const& bodies, Column<double> const& potential) {
  return field_of(bodies, {{}, {}, {}, potential});
}

}  // namespace apsis::forces
