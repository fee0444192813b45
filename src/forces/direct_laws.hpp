// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/forces/pair.hpp>

#include <cstddef>

namespace apsis::forces {

/// The acceleration of each body, as a law of the tile loop.
template <class R, bool softened>
struct AccelerationLaw {
  using Real = R;
  using Source = PointMass<Real>;
  template <class Lanes>
  struct Target {
    Lanes x, y, z;
  };
  template <class Lanes>
  struct Sum {
    Lanes x{}, y{}, z{};
    KOKKOS_FORCEINLINE_FUNCTION Sum& operator+=(Sum const& b) {
      x += b.x;
      y += b.y;
      z += b.z;
      return *this;
    }
  };

  VectorColumns<Real> position;
  Column<Real> mass;
  VectorColumns<Real> result;  ///< row chunk * N + i
  Real eps_squared;
  Real factor;  ///< applied to each stored sum

  KOKKOS_FORCEINLINE_FUNCTION Source source(std::size_t j) const {
    return {position(j, 0), position(j, 1), position(j, 2), mass(j)};
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void set(Target<Lanes>& target, int lane, std::size_t i) const {
    simd::set_lane<Real>(target.x, lane, position(i, 0));
    simd::set_lane<Real>(target.y, lane, position(i, 1));
    simd::set_lane<Real>(target.z, lane, position(i, 2));
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add(Sum<Lanes>& sum, Target<Lanes> const& target,
                                       Source const& source, std::size_t /*j*/) const {
    auto const r = separation(target.x, target.y, target.z, source, eps_squared);
    Lanes const f = pull<softened>(source, r);
    sum.x += f * r.x;
    sum.y += f * r.y;
    sum.z += f * r.z;
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, std::size_t chunk, Sum<Lanes> const& sum,
                                         int lane) const {
    std::size_t const row = chunk * mass.extent(0) + i;
    result(row, 0) = factor * simd::lane<Real>(sum.x, lane);
    result(row, 1) = factor * simd::lane<Real>(sum.y, lane);
    result(row, 2) = factor * simd::lane<Real>(sum.z, lane);
  }
};

/// The potential of each body in the field of the others, in double whatever the bodies are in.
template <class Stored>
struct PotentialLaw {
  using Real = double;
  using Source = PointMass<double>;
  template <class Lanes>
  struct Target {
    Lanes x, y, z, index;
  };
  template <class Lanes>
  struct Sum {
    Lanes depth{};
    KOKKOS_FORCEINLINE_FUNCTION Sum& operator+=(Sum const& b) {
      depth += b.depth;
      return *this;
    }
  };

  VectorColumns<Stored> position;
  Column<Stored> mass;
  Column<double> result;  ///< row chunk * N + i
  double eps_squared;
  double factor;

  KOKKOS_FORCEINLINE_FUNCTION Source source(std::size_t j) const {
    return {position(j, 0), position(j, 1), position(j, 2), mass(j)};
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void set(Target<Lanes>& target, int lane, std::size_t i) const {
    simd::set_lane<double>(target.x, lane, position(i, 0));
    simd::set_lane<double>(target.y, lane, position(i, 1));
    simd::set_lane<double>(target.z, lane, position(i, 2));
    simd::set_lane<double>(target.index, lane, static_cast<double>(i));
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add(Sum<Lanes>& sum, Target<Lanes> const& target,
                                       Source const& source, std::size_t j) const {
    // Left out by index, not by distance and not by subtracting it afterwards: with a small
    // softening the self term would swamp the sum and take its digits along.
    auto const r = separation(target.x, target.y, target.z, source, eps_squared);
    sum.depth += target.index == static_cast<double>(j) ? Lanes{} : depth(source, r);
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, std::size_t chunk, Sum<Lanes> const& sum,
                                         int lane) const {
    result(chunk * mass.extent(0) + i) = factor * simd::lane<double>(sum.depth, lane);
  }
};

}  // namespace apsis::forces
