// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../gravity_law.hpp"
#include "build.hpp"
#include "lists.hpp"

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

/// The lists of a level's targets.
template <class Number, int order>
struct LookAround {
  Decide<Number, order> decide;
  TargetCells targets;
  Chains candidates;  ///< of the parents
  Chains far, near, split;

  KOKKOS_FUNCTION void operator()(CellId j) const {
    CellId const target = targets.cell(j);
    ChainWriter to_far(far.blocks), to_near(near.blocks), to_split(split.blocks);
    look_around(decide, target, candidates, targets.parent_row(j), [&](Found found, CellId source) {
      if (found == Found::far) to_far.push(source);
      if (found == Found::near) to_near.push(source);
      if (found == Found::split) to_split.push(source);
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
    ChainReader reader(far, j);
    for (auto left = static_cast<int>(far.count(j)); left > 0; left -= lanes) {
      Way<Lanes> r{};
      Expansion<Lanes, order> moments{};
      CellId source = 0;
      for (int lane = 0; lane < lanes; ++lane) {
        if (lane < left) source = reader.next();
        set(r, moments, lane, target, source, lane < left);
      }
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
  KOKKOS_FORCEINLINE_FUNCTION void set(Way<Lanes>& r, Expansion<Lanes, order>& moments, int lane,
                                       CellId target, CellId source, bool is) const {
    Stored at[3];
    if (Division::is_body(source)) {
      std::size_t const i = source & ~one_body;
      for (int axis = 0; axis < 3; ++axis) at[axis] = cells.position(i, axis);
      simd::set_lane<Real>(moments[0], lane, is ? static_cast<Real>(cells.mass(i)) : Real(0));
    } else {
      for (int axis = 0; axis < 3; ++axis) at[axis] = cells.place(source, axis);
      if (is) {
        for (int k = 0; k < moments.terms; ++k) {
          simd::set_lane<Real>(moments[k], lane, cells.moments(source, k));
        }
      }
    }
    auto const way = cells.way(cells.centre(target), at);
    simd::set_lane<Real>(r.x, lane, way.x);
    simd::set_lane<Real>(r.y, lane, way.y);
    simd::set_lane<Real>(r.z, lane, way.z);
  }
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
  BodyOrder along;
  VectorColumns<Stored> acceleration;
  Column<double> potential;

  KOKKOS_FUNCTION void operator()(std::size_t block) const {
    auto const& cells = decide.cells;
    std::size_t const begin = cells.division.begin(leaves.first) + block * lanes;
    auto const j = static_cast<CellId>(block * lanes / cells.division.leaf);
    std::size_t const end = cells.division.end(leaves.cell(j));
    typename Law::template Target<Lanes> target;
    for (int lane = 0; lane < lanes; ++lane) {
      std::size_t const i = begin + static_cast<std::size_t>(lane);
      law.set_place(target, lane, i < end ? i : end - 1);
    }
    typename Law::template Total<lanes> total{};
    ChainReader reader(near, j);
    for (std::uint32_t k = near.count(j); k > 0; --k) {
      typename Law::template Sum<Lanes> sum{};
      each_body(reader.next(), [&](std::size_t source) { add_pair(sum, target, source, begin); });
      total.add(sum);
    }
    for (int lane = 0; lane < lanes; ++lane) {
      std::size_t const i = begin + static_cast<std::size_t>(lane);
      if (i < end) finish(i, j, total, lane);
    }
  }

 private:
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void each_body(CellId source, Body const& body) const {
    if (Division::is_body(source)) return body(source & ~one_body);
    auto const& division = decide.cells.division;
    std::size_t const end = division.end(source);
    for (std::size_t i = division.begin(source); i < end; ++i) body(i);
  }

  /// `first` is the body in the first lane of the target.
  template <class Sum, class Target>
  KOKKOS_FORCEINLINE_FUNCTION void add_pair(Sum& sum, Target const& target, std::size_t source,
                                            std::size_t first) const {
    if constexpr (Law::sees_self) {
      law.add_but_self(sum, target, law.source(source),
                       static_cast<std::ptrdiff_t>(source) - static_cast<std::ptrdiff_t>(first));
    } else {
      law.add(sum, target, law.source(source));
    }
  }

  template <class Total>
  KOKKOS_FORCEINLINE_FUNCTION void finish(std::size_t i, CellId j, Total const& of_near,
                                          int lane) const {
    auto const& cells = decide.cells;
    CellId const leaf = leaves.cell(j);
    Stored const at[3] = {cells.position(i, 0), cells.position(i, 1), cells.position(i, 2)};
    Expansion<Real, order> field;
    for (int k = 0; k < field.terms; ++k) field[k] = fields(j, k);
    auto far = field_at<Real>(field, cells.way(cells.centre(leaf), at));
    typename Law::template Total<1> own{};
    if (split.count(j) > 0) {
      typename Law::template Target<Real> target;
      law.set_place(target, 0, i);
      look_around(decide, one_body | static_cast<CellId>(i), split, j,
                  [&](Found found, CellId source) {
                    if (found == Found::far) {
                      auto const r = cells.way(at, cells.centre(source));
                      Real const inverse = inverse_distance(r, softening_squared);
                      Expansion<Real, order> moments;
                      for (int k = 0; k < moments.terms; ++k) moments[k] = cells.moments(source, k);
                      add_field_at(far, derivatives<order, Real>(r, inverse), moments);
                    } else {
                      typename Law::template Sum<Real> sum{};
                      each_body(source, [&](std::size_t k) { add_pair(sum, target, k, i); });
                      own.add(sum);
                    }
                  });
    }
    using Sums = typename Number::Total;
    std::size_t const body = along(i);
    double const of_potential = G * (cells.units.mass / cells.units.length);
    double const of_acceleration = of_potential / cells.units.length;
    if constexpr (Law::accelerates) {
      auto const put = [&](int axis, Real of_far, Sums const& near_sum, Sums const& own_sum) {
        double const sum = static_cast<double>(of_far) +
                           (static_cast<double>(near_sum) + static_cast<double>(own_sum));
        acceleration(body, axis) = static_cast<Stored>(of_acceleration * sum);
      };
      put(0, far.x, simd::lane<Sums>(of_near.x, lane), simd::lane<Sums>(own.x, 0));
      put(1, far.y, simd::lane<Sums>(of_near.y, lane), simd::lane<Sums>(own.y, 0));
      put(2, far.z, simd::lane<Sums>(of_near.z, lane), simd::lane<Sums>(own.z, 0));
    }
    if constexpr (Law::sees_self) {
      potential(body) =
          -of_potential * (static_cast<double>(far.psi) + (simd::lane<double>(of_near.depth, lane) +
                                                           simd::lane<double>(own.depth, 0)));
    }
  }
};

}  // namespace apsis::forces::fmm
