// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../gravity_law.hpp"
#include "build.hpp"
#include "lists.hpp"
#include <apsis/core/transpose.hpp>

#include <string>

/// From the whole to the leaves: who is far and who is near, fields of who is far, and at the end
/// the pairs of who is near.
namespace apsis::forces::fmm {

/// Targets of a level: cells that follow each other. What is found of them stands in rows that
/// begin with the first of them, what was found of their parents in rows that begin with its
/// parent.
struct TargetCells {
  CellId first;

  KOKKOS_FORCEINLINE_FUNCTION CellId cell(CellId row) const { return first + row; }
  KOKKOS_FORCEINLINE_FUNCTION CellId parent_row(CellId row) const {
    return first == 1 ? 0 : (first + row) / 2 - first / 2;
  }
};

/// Where more are near each other (in one place, say) to sum over all pairs is as fast, and takes
/// no memory. What that is depends on one target alone, so that whoever sweeps over which of them
/// finds the same. (Lists of who is far are long where bodies in the outskirts are seen one by
/// one.)
constexpr std::uint32_t most_near = 4096, most_split = 65536;

/// The lists of a level's targets.
template <class Number, int order, int lanes>
struct LookAround {
  Decide<Number, order> decide;
  TargetCells targets;
  Chains candidates;  ///< of the parents
  Chains far, near, split;

  KOKKOS_FUNCTION void operator()(CellId j) const {
    CellId const target = targets.cell(j);
    ChainWriter to_far(far.blocks, ~std::uint32_t{0}), to_near(near.blocks, most_near),
        to_split(split.blocks, most_split);
    look_around<lanes>(decide, target, candidates, targets.parent_row(j),
                       [&](Found found, CellId const* sources, LaneMask which) {
                         if (found == Found::far) to_far.push(sources, which);
                         if (found == Found::near) to_near.push(sources, which);
                         if (found == Found::split) to_split.push(sources, which);
                       });
    to_far.finish(far, j);
    to_near.finish(near, j);
    to_split.finish(split, j);
  }
};

/// Fields of cells: of who is far, and what their parents' fields are there.
template <class Number, int order, int lanes>
struct FarFields {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  using Lanes = typename simd::Pack<Real, lanes>::type;
  using Fields = Kokkos::View<Real**, Kokkos::LayoutRight, MemorySpace>;
  Cells<Number, order> cells;
  TargetCells targets;
  Chains far;
  Real softening_squared;
  Fields parents, fields;

  KOKKOS_FUNCTION void operator()(CellId j) const {
    CellId const target = targets.cell(j);
    Expansion<Lanes, order> of_all{};
    Sources sources;
    ChainReader reader(far, j);
    for (auto left = static_cast<int>(far.count(j)); left > 0; left -= lanes) {
      for (int lane = 0; lane < lanes; ++lane) {
        if (lane < left) {
          sources.set(cells, lane, target, reader.next());
        } else {
          sources.set_nobody(lane);
        }
      }
      Way<Lanes> const r{sources.x, sources.y, sources.z};
      Expansion<Lanes, order> moments;
      simd::load_rows<moments.terms>(sources.moments, moments.term);
      auto const inverse = inverse_distance(r, softening_squared);
      add_field(of_all, derivatives<order, Real>(r, inverse), moments);
    }
    Expansion<Real, order> field;
    for (int k = 0; k < field.terms; ++k) {
      field[k] = Real(0);
      for (int lane = 0; lane < lanes; ++lane) field[k] += simd::lane<Real>(of_all[k], lane);
    }
    turn(field);
    if (target > 1) {
      Expansion<Real, order> parent;
      for (int k = 0; k < parent.terms; ++k) parent[k] = parents(targets.parent_row(j), k);
      add_shifted<Real>(field, cells.way(cells.centre(target / 2), cells.centre(target)), parent);
    }
    for (int k = 0; k < field.terms; ++k) fields(j, k) = field[k];
  }

 private:
  /// As many as there are lanes: the ways to them, and where their moments are.
  struct Sources {
    Lanes x{}, y{}, z{};
    Real const* moments[lanes];
    Real of_bodies[lanes][terms_to(order)] = {};  ///< which have a mass alone

    KOKKOS_FORCEINLINE_FUNCTION void set(Cells<Number, order> const& cells, int lane, CellId target,
                                         CellId source) {
      Stored at[3];
      if (Division::is_body(source)) {
        std::size_t const i = source & ~one_body;
        for (int axis = 0; axis < 3; ++axis) at[axis] = cells.position(i, axis);
        set_mass(lane, static_cast<Real>(cells.mass(i)));
      } else {
        for (int axis = 0; axis < 3; ++axis) at[axis] = cells.place(source, axis);
        moments[lane] = &cells.moments(source, 0);
      }
      auto const way = cells.way(cells.centre(target), at);
      simd::set_lane<Real>(x, lane, way.x);
      simd::set_lane<Real>(y, lane, way.y);
      simd::set_lane<Real>(z, lane, way.z);
    }
    /// It stays where somebody was, or at a distance of nothing from nobody.
    KOKKOS_FORCEINLINE_FUNCTION void set_nobody(int lane) {
      if (lane_is_empty(lane)) simd::set_lane<Real>(x, lane, Real(1));
      set_mass(lane, Real(0));
    }

   private:
    KOKKOS_FORCEINLINE_FUNCTION bool lane_is_empty(int lane) const {
      return simd::lane<Real>(x, lane) == Real(0) && simd::lane<Real>(y, lane) == Real(0) &&
             simd::lane<Real>(z, lane) == Real(0);
    }
    KOKKOS_FORCEINLINE_FUNCTION void set_mass(int lane, Real m) {
      of_bodies[lane][0] = m;
      moments[lane] = of_bodies[lane];
    }
  };
};

/// The end: each body gets the field of its leaf, what of its own is far, and all pairs with who is
/// near. `lanes` bodies of a leaf at once.
template <class Law, class Number, int order, int lanes>
struct NearForces {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  using Lanes = typename simd::Pack<Real, lanes>::type;
  using Fields = Kokkos::View<Real**, Kokkos::LayoutRight, MemorySpace>;
  Law law;  ///< of bodies along the curve
  Decide<Number, order> decide;
  TargetCells leaves;
  Chains near, split;  ///< of leaves
  Fields fields;
  Real softening_squared;
  double G;
  BodyOrder along;        ///< nothing: what is found stands along the curve too,
  std::size_t first_row;  ///< from this body on
  VectorColumns<Stored> acceleration;
  Column<double> potential;

  KOKKOS_FUNCTION void operator()(std::size_t block) const {
    auto const& division = decide.cells.division;
    auto const j = static_cast<CellId>(block * lanes / division.leaf);
    CellId const leaf = leaves.cell(j);
    Bodies of;
    of.begin = division.begin(leaves.first) + block * lanes;
    std::size_t const end = division.end(leaf);
    if (of.begin >= end) return;
    of.count = end - of.begin < std::size_t{lanes} ? static_cast<int>(end - of.begin) : lanes;
    for (int lane = 0; lane < lanes; ++lane) {
      law.set_place(of.place, lane,
                    of.begin + static_cast<std::size_t>(lane < of.count ? lane : 0));
    }
    Total total{};
    ChainReader reader(near, j);
    for (std::uint32_t k = near.count(j); k > 0; --k) total.add(pulled(of, reader.next()));
    auto const targets = decide.template bodies<lanes>(of.begin, of.count);
    auto far = far_field(leaf, j, targets);
    look_further(of, j, targets, far, total);
    for (int lane = 0; lane < of.count; ++lane) {
      finish(of.begin + static_cast<std::size_t>(lane), far, total, lane);
    }
  }

 private:
  /// A register of a leaf's.
  struct Bodies {
    std::size_t begin;
    int count;
    typename Law::template Target<Lanes> place;
  };
  using Sum = typename Law::template Sum<Lanes>;
  using Total = typename Law::template Total<lanes>;

  /// By a leaf or a body.
  KOKKOS_FORCEINLINE_FUNCTION Sum pulled(Bodies const& of, CellId source) const {
    Sum sum{};
    if (Division::is_body(source)) {
      add_pair(sum, of, source & ~one_body);
      return sum;
    }
    auto const& division = decide.cells.division;
    std::size_t const end = division.end(source);
    for (std::size_t i = division.begin(source); i < end; ++i) add_pair(sum, of, i);
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_pair(Sum& sum, Bodies const& of, std::size_t source) const {
    if constexpr (Law::sees_self) {
      law.add_but_self(sum, of.place, law.source(source),
                       static_cast<std::ptrdiff_t>(source) - static_cast<std::ptrdiff_t>(of.begin));
    } else {
      law.add(sum, of.place, law.source(source));
    }
  }

  /// The field of the leaf at its bodies.
  KOKKOS_FORCEINLINE_FUNCTION FieldAt<Lanes> far_field(
      CellId leaf, CellId j, BodyLanes<Number, lanes> const& targets) const {
    Expansion<Real, order> field;
    for (int k = 0; k < field.terms; ++k) field[k] = fields(j, k);
    auto const* centre = decide.cells.centre(leaf);
    return field_at<Real>(field, Way<Lanes>{simd::widened<Real, Stored>(targets.x - centre[0]),
                                            simd::widened<Real, Stored>(targets.y - centre[1]),
                                            simd::widened<Real, Stored>(targets.z - centre[2])});
  }

  /// What was too small for the leaf.
  KOKKOS_FORCEINLINE_FUNCTION void look_further(Bodies const& of, CellId j,
                                                BodyLanes<Number, lanes> const& targets,
                                                FieldAt<Lanes>& far, Total& total) const {
    ChainReader reader(split, j);
    for (std::uint32_t left = split.count(j); left > 0; --left) {
      look_closer(decide, targets, reader.next(), [&](Found found, CellId source, LaneMask who) {
        if (found == Found::far) return add_far(far, targets, source, who);
        auto sum = pulled(of, source);
        Law::pass_on(sum, [&](Lanes const& x) { return simd::only<Real, lanes>(who, x); });
        total.add(sum);
      });
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_far(FieldAt<Lanes>& far,
                                           BodyLanes<Number, lanes> const& targets, CellId source,
                                           LaneMask who) const {
    auto const& cells = decide.cells;
    auto const* at = cells.centre(source);
    Way<Lanes> const r{simd::widened<Real, Stored>(at[0] - targets.x),
                       simd::widened<Real, Stored>(at[1] - targets.y),
                       simd::widened<Real, Stored>(at[2] - targets.z)};
    // Without a distance there is no field.
    auto const inverse = simd::only<Real, lanes>(who, inverse_distance(r, softening_squared));
    Expansion<Real, order> moments;
    for (int k = 0; k < moments.terms; ++k) moments[k] = cells.moments(source, k);
    add_field_at(far, derivatives<order, Real>(r, inverse), moments);
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish(std::size_t i, FieldAt<Lanes> const& far,
                                          Total const& near_total, int lane) const {
    auto const& units = decide.cells.units;
    using Sums = typename Number::Total;
    std::size_t const body = along.extent(0) != 0 ? along(i) : i - first_row;
    double const of_potential = G * (units.mass / units.length);
    double const of_acceleration = of_potential / units.length;
    if constexpr (Law::accelerates) {
      auto const put = [&](int axis, Lanes const& of_far, auto const& of_near) {
        double const sum = static_cast<double>(simd::lane<Real>(of_far, lane)) +
                           static_cast<double>(simd::lane<Sums>(of_near, lane));
        acceleration(body, axis) = static_cast<Stored>(of_acceleration * sum);
      };
      put(0, far.x, near_total.x);
      put(1, far.y, near_total.y);
      put(2, far.z, near_total.z);
    }
    if constexpr (Law::sees_self) {
      potential(body) = -of_potential * (static_cast<double>(simd::lane<Real>(far.psi, lane)) +
                                         simd::lane<double>(near_total.depth, lane));
    }
  }
};

}  // namespace apsis::forces::fmm
