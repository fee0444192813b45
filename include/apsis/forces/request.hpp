// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/forces/body_rows.hpp>

#include <cstdint>
#include <optional>

namespace apsis::forces {

/// Sources of gravity: some or all bodies of a run. Kernels that sum pairs cut the sources into
/// parts, which depend only on the numbers of bodies and targets of all ranks. A subset of whole
/// parts therefore contributes the same bits as among all sources.
template <class Stored>
struct Sources {
  VectorColumns<Stored> position;      ///< [length]
  VectorColumns<Stored> velocity;      ///< [length / time]; read for a jerk
  VectorColumns<Stored> acceleration;  ///< [length / time^2]; read for a snap
  Column<Stored> mass;                 ///< [mass], >= 0
  std::size_t first = 0;               ///< global number of row 0
  std::size_t total = 0;               ///< bodies of the whole run
  /// Whether the positions of sources and targets are sums position + position_low. Read by Direct
  /// for jerks and snaps in double precision.
  bool has_low_parts = false;
  VectorColumns<Stored> position_low{};  ///< [length]

  std::size_t size() const { return mass.extent(0); }
};

/// Points at which the field is requested: rows of the sources' columns, or of separate columns.
template <class Stored>
struct Targets {
  VectorColumns<Stored> position, velocity, acceleration;  ///< as in Sources
  BodyRows rows;                         ///< rows of these columns that are targets
  std::size_t total = 0;                 ///< number of targets of all ranks
  std::optional<std::size_t> first = 0;  ///< global number of row 0; empty: not bodies
  VectorColumns<Stored> position_low{};  ///< as in Sources

  std::size_t size() const { return rows.size(); }
  /// Selects targets, of which all ranks together have `targets_of_all_ranks`.
  void select(BodyRows const& selected, std::size_t targets_of_all_ranks) {
    rows = selected;
    total = targets_of_all_ranks;
  }
};

/// Results of a request, as flags.
enum class Wants : std::uint8_t {
  nothing = 0,
  acceleration = 1,
  jerk = 2,
  snap = 4,
  potential = 8,
  forces = acceleration | jerk | snap,
  acceleration_and_potential = acceleration | potential
};
KOKKOS_INLINE_FUNCTION constexpr Wants operator|(Wants a, Wants b) {
  return static_cast<Wants>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
KOKKOS_INLINE_FUNCTION constexpr Wants operator&(Wants a, Wants b) {
  return static_cast<Wants>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}
/// Whether a set of results contains at least one of `results`.
KOKKOS_INLINE_FUNCTION constexpr bool has_any(Wants set, Wants results) {
  return (set & results) != Wants::nothing;
}

/// Requested results, and columns for them with one row per target in their order. Columns of
/// results that are not requested are neither read nor written.
template <class Stored>
struct Field {
  Wants wants = Wants::nothing;
  VectorColumns<Stored> acceleration{};  ///< [length / time^2]
  VectorColumns<Stored> jerk{};          ///< [length / time^3]
  VectorColumns<Stored> snap{};          ///< [length / time^4]
  Column<double> potential{};            ///< [length^2 / time^2], without the body itself

  static Field accelerations(VectorColumns<Stored> const& acceleration) {
    return {Wants::acceleration, acceleration};
  }
  static Field potentials(Column<double> const& potential) {
    return {Wants::potential, {}, {}, {}, potential};
  }
  /// Whether at least one of `results` is requested.
  KOKKOS_INLINE_FUNCTION bool has(Wants results) const { return has_any(wants, results); }
};

/// A request to a solver: sources, targets and requested results.
template <class Stored>
struct Request {
  Sources<Stored> sources;
  Targets<Stored> targets;
  Field<Stored> wanted;
  bool counted = true;  ///< counts as interactions of the run; false for diagnostics

  /// Adds low parts to the positions of the bodies, which are sources and targets.
  void set_low_parts(VectorColumns<Stored> const& position_low) {
    sources.has_low_parts = true;
    sources.position_low = targets.position_low = position_low;
  }

  /// Whether the targets are rows of the sources, with the same body numbers.
  bool is_among_sources() const {
    return targets.first == sources.first && targets.position.data() == sources.position.data();
  }

  /// Whether every source is a target, over all ranks: each pair then needs to be evaluated only
  /// once. Agrees on all ranks.
  bool is_mutual() const {
    return is_among_sources() && targets.rows.begins_at_first() &&
           targets.size() == sources.size() && targets.total == sources.total;
  }
};

/// Request for the field of `bodies` at some of them.
template <class Stored>
Request<Stored> field_at(Bodies<Stored> const& bodies, BodyRows const& rows,
                         Field<Stored> const& wanted) {
  auto const& b = bodies;
  return {{b.position, b.velocity, b.acceleration, b.mass, b.first, b.total},
          {b.position, b.velocity, b.acceleration, rows, rows.size(), b.first},
          wanted};
}

/// Request for the field at all bodies.
template <class Stored>
Request<Stored> field_of(Bodies<Stored> const& bodies, Field<Stored> const& wanted) {
  auto request = field_at(bodies, BodyRows::all(bodies.size()), wanted);
  request.targets.total = bodies.total;
  return request;
}

/// Request for the accelerations of all bodies, stored in bodies.acceleration, and for their
/// potentials unless `potential` is null.
template <class Stored>
Request<Stored> accelerations_of(Bodies<Stored> const& bodies,
                                 Column<double> const* potential = nullptr) {
  auto request = field_of(bodies, Field<Stored>::accelerations(bodies.acceleration));
  if (potential != nullptr) {
    request.wanted.wants = request.wanted.wants | Wants::potential;
    request.wanted.potential = *potential;
  }
  return request;
}

/// Request for the potentials of all bodies.
template <class Stored>
Request<Stored> potentials_of(Bodies<Stored> const& bodies, Column<double> const& potential) {
  return field_of(bodies, Field<Stored>::potentials(potential));
}

}  // namespace apsis::forces
