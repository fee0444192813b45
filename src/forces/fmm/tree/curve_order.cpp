// SPDX-License-Identifier: Apache-2.0
#include "hilbert.hpp"
#include "key_sort.hpp"
#include "lanes/simd.hpp"
#include <apsis/core/backend.hpp>

#include <algorithm>

namespace apsis::forces::fmm {

namespace {

using Keys = KeyedBodies::Keys;

/// Fills the identity order.
struct FillIdentity {
  BodyOrder order;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { order(i) = static_cast<std::uint32_t>(i); }
};

/// Bounding cube of all bodies.
struct BoundingCube {
  Kokkos::Array<double, 3> lowest{};
  double extent = 0.0;
};

/// Returns the bounding cube of the finite coordinates.
template <class Stored>
BoundingCube bounding_cube(ExecutionSpace const& space, VectorColumns<Stored> const& position,
                           std::size_t bodies) {
  using Range = Kokkos::MinMaxScalar<Stored>;
  Range ranges[3];
  Kokkos::parallel_reduce(
      "apsis::forces::fmm::curve_order::range", index_range(space, 0, bodies),
      KOKKOS_LAMBDA(std::size_t i, Range & x, Range & y, Range & z) {
        Range* const axis_range[3] = {&x, &y, &z};
        for (int axis = 0; axis < 3; ++axis) {
          Stored const coordinate = position(i, axis);
          if (!Kokkos::isfinite(coordinate)) continue;
          if (coordinate < axis_range[axis]->min_val) axis_range[axis]->min_val = coordinate;
          if (coordinate > axis_range[axis]->max_val) axis_range[axis]->max_val = coordinate;
        }
      },
      Kokkos::MinMax<Stored>(ranges[0]), Kokkos::MinMax<Stored>(ranges[1]),
      Kokkos::MinMax<Stored>(ranges[2]));
  BoundingCube bounds;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto const low = static_cast<double>(ranges[axis].min_val);
    bounds.lowest[axis] = low;
    bounds.extent = std::max(bounds.extent, static_cast<double>(ranges[axis].max_val) - low);
  }
  return bounds;
}

constexpr int cubes_at_once = simd::native_lanes<float>;
using Cubes = simd::Pack<std::uint32_t, cubes_at_once>::type;

/// Computes the SFC keys of the bodies in their present order, one vector register of bodies per
/// call. The key is that of the cube of a body in the bounding cube or, if `is_nested`, of its
/// smaller cube within that cube.
template <class Stored>
struct FillKeys {
  static constexpr int lanes = cubes_at_once;
  static constexpr double cubes_per_axis = std::uint32_t{1} << hilbert_bits;
  VectorColumns<Stored> position;
  BoundingCube bounds;
  double scale;  ///< cubes per length
  bool is_nested;
  Keys keys;
  BodyOrder order;

  KOKKOS_FUNCTION void operator()(std::size_t block) const {
    std::size_t const begin = block * lanes, bodies = order.extent(0);
    Cubes coordinates[3]{};
    for (int axis = 0; axis < 3; ++axis) {
      std::uint32_t cube[lanes];
      for (int k = 0; k < lanes; ++k) {
        std::size_t const i = begin + static_cast<std::size_t>(k);
        cube[k] = cube_of(order(i < bodies ? i : begin), axis);
      }
      simd::fill(coordinates[axis], cube);
    }
    auto const block_keys = hilbert_key(coordinates[0], coordinates[1], coordinates[2]);
    for (int k = 0; k < lanes && begin + static_cast<std::size_t>(k) < bodies; ++k) {
      keys(begin + static_cast<std::size_t>(k)) = simd::lane<std::uint64_t>(block_keys, k);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t cube_of(std::size_t body, int axis) const {
    auto const x = static_cast<double>(position(body, axis));
    double cube = (x - bounds.lowest[static_cast<std::size_t>(axis)]) * scale;
    if (is_nested) cube = (cube - Kokkos::floor(cube)) * cubes_per_axis;
    // A coordinate that is not finite goes to the last cube.
    return cube < cubes_per_axis - 1.0 ? (cube > 0.0 ? static_cast<std::uint32_t>(cube) : 0u)
                                       : static_cast<std::uint32_t>(cubes_per_axis) - 1u;
  }
};

/// Computes the keys and sorts the bodies by them.
template <class Stored>
void sort_along_curve(ExecutionSpace const& space, VectorColumns<Stored> const& position,
                      BoundingCube const& bounds, bool is_nested, KeyedBodies& keyed) {
  using Fill = FillKeys<Stored>;
  double const scale = bounds.extent > 0.0 ? Fill::cubes_per_axis / bounds.extent : 0.0;
  std::size_t const blocks = (keyed.order.extent(0) + Fill::lanes - 1) / Fill::lanes;
  for_each(space, "apsis::forces::fmm::curve_order::keys", blocks,
           Fill{position, bounds, scale, is_nested, keyed.keys, keyed.order});
  keyed.sort(space);
}

/// Returns whether a cube holds so many bodies that sorting within the cubes pays. Precondition:
/// the keys are sorted.
bool is_crowded(ExecutionSpace const& space, Keys const& keys) {
  constexpr std::size_t many = 16;
  std::size_t const bodies = keys.extent(0);
  std::size_t crowds = 0;
  if (bodies <= many) return false;
  Kokkos::parallel_reduce(
      "apsis::forces::fmm::curve_order::crowds", index_range(space, 0, bodies - many),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & crowd_count) {
        crowd_count += keys(i) == keys(i + many) ? 1u : 0u;
      },
      crowds);
  return crowds > 0;
}

}  // namespace

template <class Stored>
BodyOrder curve_order(ExecutionSpace const& space, VectorColumns<Stored> const& position,
                      std::size_t bodies, KeyedBodies& keyed) {
  keyed.resize(space, bodies);
  if (bodies == 0) return keyed.order;
  auto const bounds = bounding_cube(space, position, bodies);
  auto const fill_identity = [&] {
    for_each(space, "apsis::forces::fmm::curve_order::identity", bodies, FillIdentity{keyed.order});
  };
  fill_identity();
  sort_along_curve(space, position, bounds, false, keyed);
  if (!is_crowded(space, keyed.keys)) return keyed.order;
  // Typical cause: a cluster and a body far away. The nested keys are sorted first, because the
  // second sort is stable.
  fill_identity();
  sort_along_curve(space, position, bounds, true, keyed);
  sort_along_curve(space, position, bounds, false, keyed);
  return keyed.order;
}

template BodyOrder curve_order(ExecutionSpace const&, VectorColumns<float> const&, std::size_t,
                               KeyedBodies&);
template BodyOrder curve_order(ExecutionSpace const&, VectorColumns<double> const&, std::size_t,
                               KeyedBodies&);

}  // namespace apsis::forces::fmm
