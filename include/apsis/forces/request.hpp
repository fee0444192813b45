// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/forces/body_range.hpp>

#include <optional>

namespace apsis::forces {

/// Numbers of rows, in rising order.
using BodyList = Kokkos::View<std::size_t*, MemorySpace>;

/// What pulls: some of the bodies of a run, or all. Sums run over the sources in parts that depend
/// on the numbers of all bodies and targets alone; a set that begins and ends where such parts do
/// contributes the same bits as it does among all.
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

/// Where the field is wanted: rows of the sources' columns, or of columns of their own.
template <class Stored>
struct Targets {
  VectorColumns<Stored> position, velocity, acceleration;  ///< as of sources
  std::optional<std::size_t> first = 0;  ///< global number of row 0; nothing: no bodies are there
  BodyRange range{};                     ///< which rows ...
  BodyList listed;                       ///< ... or, if it is not empty, its first range.count
  std::size_t total = 0;                 ///< targets of all processes together

  std::size_t size() const { return range.count; }
  bool is_listed() const { return listed.extent(0) != 0; }
  /// Those of the list, or of the columns.
  BodyRange rows() const { return is_listed() ? BodyRange{0, size()} : range; }
};

/// What is found, a row for each target in their order. An empty column is not wanted.
template <class Stored>
struct Field {
  VectorColumns<Stored> acceleration;  ///< [length / time^2]
  VectorColumns<Stored> jerk;          ///< [length / time^3]
  VectorColumns<Stored> snap;          ///< [length / time^4]
  Column<double> potential;            ///< [length^2 / time^2], of all but the body itself

  bool accelerates() const { return acceleration.extent(0) != 0; }
  bool has_jerk() const { return jerk.extent(0) != 0; }
  bool has_snap() const { return snap.extent(0) != 0; }
  bool has_potential() const { return potential.extent(0) != 0; }
  /// Whether more than a potential is wanted.
  bool has_forces() const { return accelerates() || has_jerk() || has_snap(); }
};

/// What is asked of a solver.
template <class Stored>
struct Request {
  Sources<Stored> sources;
  Targets<Stored> targets;
  Field<Stored> wanted;
  bool counted = true;  ///< among the run's interactions; a look at the forces is not

  /// Whether the targets are rows of the sources: their numbers are those of the sources' bodies.
  bool is_among_sources() const {
    return targets.first == sources.first && targets.position.data() == sources.position.data();
  }

  /// Whether every source is a target, of all processes together: each pair then needs to be met
  /// only once. All of them find the same.
  bool is_mutual() const {
    return is_among_sources() && !targets.is_listed() && targets.range.first == 0 &&
           targets.size() == sources.size() && targets.total == sources.total;
  }
};

/// The field of these bodies where some of them are: of the first `count` of a list.
template <class Stored>
Request<Stored> field_at(Bodies<Stored> const& bodies, BodyList const& listed, std::size_t count,
                         Field<Stored> const& wanted) {
  auto const& b = bodies;
  return {{b.position, b.velocity, b.acceleration, b.mass, b.first, b.total},
          {b.position, b.velocity, b.acceleration, b.first, {0, count}, listed, count},
          wanted};
}

/// The same where all of them are.
template <class Stored>
Request<Stored> field_of(Bodies<Stored> const& bodies, Field<Stored> const& wanted) {
  auto request = field_at(bodies, {}, bodies.size(), wanted);
  request.targets.total = bodies.total;
  return request;
}

/// Everybody's acceleration, into bodies.acceleration, and potential if there is a column for it.
template <class Stored>
Request<Stored> accelerations_of(Bodies<Stored> const& bodies,
                                 Column<double> const& potential = {}) {
  return field_of(bodies, {bodies.acceleration, {}, {}, potential});
}

/// Everybody's potential.
template <class Stored>
Request<Stored> potentials_of(Bodies<Stored> const& bodies, Column<double> const& potential) {
  return field_of(bodies, {{}, {}, {}, potential});
}

}  // namespace apsis::forces
