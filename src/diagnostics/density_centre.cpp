// SPDX-License-Identifier: Apache-2.0
#include "all_pairs.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/diagnostics/density_centre.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace apsis::diagnostics {

namespace {

/// Nearest neighbours so far of a body, or of a pack of bodies, nearest first. All indices are
/// compile-time constants, so that the arrays stay in registers.
template <class Lanes>
struct Nearest {
  static constexpr int last = density_neighbours - 1;
  Lanes squared[density_neighbours];  ///< squared distances
  Lanes mass[density_neighbours];

  KOKKOS_FORCEINLINE_FUNCTION Nearest() {
    for (int k = 0; k <= last; ++k) {
      squared[k] = Lanes{} + infinity;
      mass[k] = Lanes{};
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void insert(Lanes const& r_squared, Lanes const& m) {
    if constexpr (simd::lane_count<double, Lanes> == 1) {
      if (!(r_squared < squared[last])) return;
    }
    APSIS_DEVICE_UNROLL
    for (int k = last; k > 0; --k) {
      // Farther neighbours move back by one; of two at the same distance the first stays first.
      Lanes const shifted_r = r_squared < squared[k] ? r_squared : squared[k];
      Lanes const shifted_m = r_squared < squared[k] ? m : mass[k];
      mass[k] = r_squared < squared[k - 1] ? mass[k - 1] : shifted_m;
      squared[k] = r_squared < squared[k - 1] ? squared[k - 1] : shifted_r;
    }
    mass[0] = r_squared < squared[0] ? m : mass[0];
    squared[0] = r_squared < squared[0] ? r_squared : squared[0];
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(Nearest const& others) {
    for (int k = 0; k <= last; ++k) insert(others.squared[k], others.mass[k]);
  }
};

/// Pair law of the tile loop that collects the nearest neighbours of each body.
template <class Stored>
struct NeighbourLaw : DoublePositions<Stored> {
  using typename DoublePositions<Stored>::Source;
  template <class Lanes>
  using Sum = Nearest<Lanes>;
  template <int lanes>
  using Total = Nearest<typename simd::Pack<double, lanes>::type>;

  Column<Stored> mass;
  Column<double> density;

  NeighbourLaw starting_at(std::size_t first) const {
    auto law = *this;
    law.density = rows_from(density, first);
    return law;
  }
  KOKKOS_FORCEINLINE_FUNCTION Source source(std::size_t j) const {
    return DoublePositions<Stored>::source(j, static_cast<double>(mass(j)));
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add(Nearest<Lanes>& sum, forces::Point<Lanes> const& target,
                                       Source const& source) const {
    sum.insert(forces::separation(target, source, 0.0).squared, Lanes{} + source.m);
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add_excluding_self(Nearest<Lanes>& sum,
                                                      forces::Point<Lanes> const& target,
                                                      Source const& source,
                                                      std::ptrdiff_t self) const {
    Lanes squared = forces::separation(target, source, 0.0).squared;
    this->exclude_self(squared, self);
    sum.insert(squared, Lanes{} + source.m);
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t row, Nearest<Lanes> const& total,
                                         int lane) const {
    double inside = 0.0;
    for (int k = 0; k < Nearest<Lanes>::last; ++k) {
      inside += simd::lane<double>(total.mass[k], lane);
    }
    double const r_squared = simd::lane<double>(total.squared[Nearest<Lanes>::last], lane);
    double const volume = 4.0 / 3.0 * std::numbers::pi * r_squared * Kokkos::sqrt(r_squared);
    density(row) = inside > 0.0 ? inside / volume : 0.0;
  }
};

}  // namespace

template <class Real>
std::vector<double> neighbour_densities(ExecutionSpace const& space, Bodies<Real> const& bodies,
                                        Poll const& poll) {
  std::size_t const count = bodies.size();
  Column<double> const density(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                                  "apsis::diagnostics::neighbour_densities"),
                               count);
  NeighbourLaw<Real> const law{{bodies.position}, bodies.mass, density};
  sweep_all_pairs<1>(space, "apsis::diagnostics::neighbour_densities", law, count, poll);
  std::vector<double> host(count);
  Kokkos::deep_copy(space, Kokkos::View<double*, Kokkos::HostSpace>(host.data(), count), density);
  space.fence("apsis::diagnostics::neighbour_densities: the host reads");
  return host;
}

template std::vector<double> neighbour_densities(ExecutionSpace const&, Bodies<float> const&,
                                                 Poll const&);
template std::vector<double> neighbour_densities(ExecutionSpace const&, Bodies<double> const&,
                                                 Poll const&);

std::optional<DensityCentre> density_centre(HostBodies const& bodies,
                                            std::vector<double> const& density) {
  APSIS_EXPECT(density.size() == bodies.size(), "each body has a density");
  double densest = 0.0;
  for (double const rho : density) densest = std::max(densest, rho);
  if (!(densest > 0.0 && std::isfinite(densest))) return std::nullopt;

  // Densities are in units of the largest one, because its square may overflow.
  DensityCentre result{};
  double weights = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    double const weight = density[i] / densest;
    weights += weight;
    result.position += weight * bodies.position[i];
  }
  result.position = (1.0 / weights) * result.position;

  double squares = 0.0, squared_radii = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const r = bodies.position[i] - result.position;
    double const weight = density[i] / densest;
    squares += weight * weight;
    squared_radii += weight * weight * dot(r, r);
  }
  result.core_radius = std::sqrt(squared_radii / squares);
  return result;
}

}  // namespace apsis::diagnostics
