// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "expansion.hpp"
#include "forces/fmm/tree/cell_tree.hpp"
#include "lanes/lane_group.hpp"
#include "lanes/transpose.hpp"
#include "tuning.hpp"

#include <cstddef>
#include <new>

/// The operators of the method, as kernels call them: on rows of moments and local expansions,
/// without their order. A GPU kernel is compiled for each order with the operators inlined, because
/// it holds the terms in registers. A host kernel calls them through pointers and is compiled once
/// for all orders; precisions with the same arithmetic share the operators.
namespace apsis::forces::fmm {

/// Operators of one order, inlined. Lanes are the packs of a group, or numbers of a GPU thread.
template <class Real, int order_of_terms>
struct InlinedOperators {
  static constexpr int order = order_of_terms;
  static constexpr int terms = term_count(order);
  /// Resident teams of a multiprocessor for M2L, see for_groups(): hides the latency of loading
  /// moments from scattered rows.
  static constexpr int m2l_teams = sizeof(Real) == 4 ? 8 - order : 1;
  /// Sums over sources of which each lane has a part.
  template <class Lanes>
  using Sums = Expansion<Lanes, order>;

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void clear(Sums<Lanes>& sums) {
    sums = {};
  }
  /// Adds up the lanes and stores the totals in a row.
  template <class Group, class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void store(Group const& group, Sums<Lanes> const& sums,
                                                Real* row) {
    group.template sums<Real>(sums.term, [&](int k, Real sum) { row[k] = sum; });
  }

  /// P2M: adds a body of mass m at displacement `d` from the centre to moments.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void p2m(Sums<Lanes>& moments, Displacement<Lanes> const& d,
                                              Lanes const& m) {
    add_body<Real>(moments, d, m);
  }
  /// M2M: sets the moments of a cell from those of `count` children at displacements `d`. Returns
  /// the mass.
  KOKKOS_FORCEINLINE_FUNCTION static Real m2m(Real* row, Real const* const (&children)[2],
                                              Displacement<Real> const (&d)[2], int count) {
    Expansion<Real, order> moments{};
    for (int child = 0; child < count; ++child) {
      Expansion<Real, order> child_moments;
      simd::load_row<terms>(child == 0 ? children[0] : children[1], child_moments.term);
      add_moments<Real>(moments, child == 0 ? d[0] : d[1], child_moments);
    }
    simd::store_row<terms>(moments.term, row);
    return moments[0];
  }
  /// M2L: adds the fields of sources at displacements `r` to a local expansion, one source for each
  /// lane: its row of moments and, for a body, its mass. Calls `prefetch` while the rows are
  /// loaded. The odd terms of the result have the wrong sign until l2l().
  template <class Lanes, int packed, class Prefetch>
  KOKKOS_FORCEINLINE_FUNCTION static void m2l(Sums<Lanes>& local, Displacement<Lanes> const& r,
                                              Lanes const& mass, Real const* const (&rows)[packed],
                                              Real softening_squared, Prefetch const& prefetch) {
    Expansion<Lanes, order> moments;
    simd::load_rows<terms>(rows, moments.term);
    prefetch();
    moments[0] += mass;
    auto const inverse = inverse_distance(r, softening_squared);
    add_field(local, derivatives<order, Real>(r, inverse), moments);
  }
  /// L2L: completes a local expansion in its row: flips the odd terms, and adds the expansion of
  /// the parent (if there is one) from a centre at displacement -d.
  KOKKOS_FORCEINLINE_FUNCTION static void l2l(Real* row, Real const* parent_row,
                                              Displacement<Real> const& d) {
    Expansion<Real, order> field;
    simd::load_row<terms>(static_cast<Real const*>(row), field.term);
    flip_odd_terms(field);
    if (parent_row != nullptr) {
      Expansion<Real, order> parent;
      simd::load_row<terms>(parent_row, parent.term);
      add_shifted_field<Real>(field, d, parent);
    }
    simd::store_row<terms>(field.term, row);
  }
  /// L2P: evaluates a local expansion at bodies at displacements `d` from its centre.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static PointField<Lanes> l2p(Real const* row,
                                                           Displacement<Lanes> const& d) {
    Expansion<Real, order> field;
    for (int k = 0; k < terms; ++k) field[k] = row[k];
    return evaluate_field<Real>(field, d);
  }
  /// M2P: adds the field of a cell at displacements `r` from bodies, with inverse distances.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void m2p(PointField<Lanes>& field, Real const* row,
                                              Displacement<Lanes> const& r, Lanes const& inverse) {
    Expansion<Real, order> moments;
    for (int k = 0; k < terms; ++k) moments[k] = row[k];
    add_moment_field(field, derivatives<order, Real>(r, inverse), moments);
  }
};

/// Operators of any order, called through pointers. Host only.
template <class Real>
struct CompiledOperators {
  using Group = LaneGroup<sweep_lanes<Real>>;
  using Pack = typename simd::Pack<Real, sweep_lanes<Real>>::type;
  /// Memory for Expansion<Pack, order>.
  template <class>
  struct alignas(Pack) Sums {
    std::byte memory[sizeof(Expansion<Pack, max_order>)];

    template <int order>
    Expansion<Pack, order>& of_order() {
      return *std::launder(reinterpret_cast<Expansion<Pack, order>*>(memory));
    }
  };
  using Rows = Real const * [Group::packed];
  static constexpr int m2l_teams = 1;

  int order, terms;
  void (*clear)(Sums<Pack>&);
  void (*store)(Group const&, Sums<Pack>&, Real*);
  void (*p2m)(Sums<Pack>&, Displacement<Pack> const&, Pack const&);
  Real (*m2m)(Real*, Real const* const (&)[2], Displacement<Real> const (&)[2], int);
  void (*add_sources)(Sums<Pack>&, Displacement<Pack> const&, Pack const&, Rows const&, Real);
  void (*l2l)(Real*, Real const*, Displacement<Real> const&);
  PointField<Pack> (*l2p)(Real const*, Displacement<Pack> const&);
  void (*m2p)(PointField<Pack>&, Real const*, Displacement<Pack> const&, Pack const&);

  template <class Prefetch>
  void m2l(Sums<Pack>& local, Displacement<Pack> const& r, Pack const& mass, Rows const& rows,
           Real softening_squared, Prefetch const& prefetch) const {
    prefetch();
    add_sources(local, r, mass, rows, softening_squared);
  }
};

/// Returns the operators of one order. Each instance has a generated file,
/// operators_ARITHMETIC_ORDER.cpp.
template <class Real, int order>
CompiledOperators<Real> compiled_operators() {
  using Inlined = InlinedOperators<Real, order>;
  using Pack = typename CompiledOperators<Real>::Pack;
  using Group = typename CompiledOperators<Real>::Group;
  using Sums = typename CompiledOperators<Real>::template Sums<Pack>;
  return {
      order,
      Inlined::terms,
      [](Sums& sums) { new (sums.memory) Expansion<Pack, order>{}; },
      [](Group const& group, Sums& sums, Real* row) {
        Inlined::store(group, sums.template of_order<order>(), row);
      },
      [](Sums& moments, Displacement<Pack> const& d, Pack const& m) {
        auto& sums = moments.template of_order<order>();
        if constexpr (sizeof(Real) == sizeof(double)) {
          Inlined::p2m(sums, d, m);
        } else {
          // Rounds the products before it adds them, so that single and mixed precision keep the
          // bits of kernels that inlined the operators.
          Expansion<Pack, order> products{};
          Inlined::p2m(products, d, m);
          for (int k = 0; k < Inlined::terms; ++k) sums[k] += products[k];
        }
      },
      [](Real* row, Real const* const(&children)[2], Displacement<Real> const(&d)[2], int count) {
        return Inlined::m2m(row, children, d, count);
      },
      [](Sums& local, Displacement<Pack> const& r, Pack const& mass,
         typename CompiledOperators<Real>::Rows const& rows, Real softening_squared) {
        Inlined::m2l(local.template of_order<order>(), r, mass, rows, softening_squared, [] {});
      },
      [](Real* row, Real const* parent_row, Displacement<Real> const& d) {
        Inlined::l2l(row, parent_row, d);
      },
      [](Real const* row, Displacement<Pack> const& d) { return Inlined::l2p(row, d); },
      [](PointField<Pack>& field, Real const* row, Displacement<Pack> const& r,
         Pack const& inverse) { Inlined::m2p(field, row, r, inverse); },
  };
}
extern template CompiledOperators<float> compiled_operators<float, 4>();
extern template CompiledOperators<float> compiled_operators<float, 5>();
extern template CompiledOperators<float> compiled_operators<float, 6>();
extern template CompiledOperators<double> compiled_operators<double, 4>();
extern template CompiledOperators<double> compiled_operators<double, 5>();
extern template CompiledOperators<double> compiled_operators<double, 6>();

/// Calls use(operators) with those of an order between 4 and max_order.
template <class Real, class Use>
auto with_operators(int order, Use const& use) {
  auto const use_order = [&]<int k>() {
    if constexpr (on_gpu) {
      return use(InlinedOperators<Real, k>());
    } else {
      return use(compiled_operators<Real, k>());
    }
  };
  if (order == 6) return use_order.template operator()<6>();
  if (order == 5) return use_order.template operator()<5>();
  return use_order.template operator()<4>();
}

}  // namespace apsis::forces::fmm
