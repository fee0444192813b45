// SPDX-License-Identifier: Apache-2.0
#include "curve_order.hpp"

#include "hilbert.hpp"
#include <apsis/core/simd.hpp>

#include <algorithm>

namespace apsis::forces::fmm {

namespace {

using Keys = KeyedBodies::Keys;

/// Bodies by their numbers.
struct InOrder {
  BodyOrder order;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { order(i) = static_cast<std::uint32_t>(i); }
};

/// The cube that all bodies are in.
struct Whole {
  Kokkos::Array<double, 3> least{};
  double extent = 0.0;
};

/// Of those coordinates that are numbers.
template <class Stored>
Whole whole_of(ExecutionSpace const& space, VectorColumns<Stored> const& position,
               std::size_t bodies) {
  using Range = Kokkos::MinMaxScalar<Stored>;
  Range found[3];
  Kokkos::parallel_reduce(
      "apsis::forces::fmm::curve_order::range",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, bodies),
      KOKKOS_LAMBDA(std::size_t i, Range & x, Range & y, Range & z) {
        Range* const sofar[3] = {&x, &y, &z};
        for (int axis = 0; axis < 3; ++axis) {
          Stored const at = position(i, axis);
          if (!Kokkos::isfinite(at)) continue;
          if (at < sofar[axis]->min_val) sofar[axis]->min_val = at;
          if (at > sofar[axis]->max_val) sofar[axis]->max_val = at;
        }
      },
      Kokkos::MinMax<Stored>(found[0]), Kokkos::MinMax<Stored>(found[1]),
      Kokkos::MinMax<Stored>(found[2]));
  Whole whole;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto const low = static_cast<double>(found[axis].min_val);
    whole.least[axis] = low;
    whole.extent = std::max(whole.extent, static_cast<double>(found[axis].max_val) - low);
  }
  return whole;
}

constexpr int cubes_at_once = simd::native_lanes<float>;
using Cubes = simd::Pack<std::uint32_t, cubes_at_once>::type;

/// Keys of the bodies in their present order: of the cubes that they are in or, if `within`, of the
/// cubes within those. A register of them at once.
template <class Stored>
struct FillKeys {
  static constexpr int lanes = cubes_at_once;
  static constexpr double cubes = std::uint32_t{1} << hilbert_bits;
  VectorColumns<Stored> position;
  Whole whole;
  double scale;
  bool within;
  Keys keys;
  BodyOrder order;

  KOKKOS_FUNCTION void operator()(std::size_t block) const {
    std::size_t const begin = block * lanes, bodies = order.extent(0);
    Cubes at[3]{};
    for (int axis = 0; axis < 3; ++axis) {
      std::uint32_t cube[lanes];
      for (int k = 0; k < lanes; ++k) {
        std::size_t const i = begin + static_cast<std::size_t>(k);
        cube[k] = cube_of(order(i < bodies ? i : begin), axis);
      }
      simd::fill(at[axis], cube);
    }
    auto const of = hilbert_key(at[0], at[1], at[2]);
    for (int k = 0; k < lanes && begin + static_cast<std::size_t>(k) < bodies; ++k) {
      keys(begin + static_cast<std::size_t>(k)) = simd::lane<std::uint64_t>(of, k);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t cube_of(std::size_t body, int axis) const {
    auto const x = static_cast<double>(position(body, axis));
    double cube = (x - whole.least[static_cast<std::size_t>(axis)]) * scale;
    if (within) cube = (cube - Kokkos::floor(cube)) * cubes;
    // What is not finite is somewhere.
    return cube < cubes - 1.0 ? (cube > 0.0 ? static_cast<std::uint32_t>(cube) : 0u)
                              : static_cast<std::uint32_t>(cubes) - 1u;
  }
};

template <class Stored>
void sort(ExecutionSpace const& space, VectorColumns<Stored> const& position, Whole const& whole,
          bool within, KeyedBodies& along) {
  using Fill = FillKeys<Stored>;
  double const scale = whole.extent > 0.0 ? Fill::cubes / whole.extent : 0.0;
  std::size_t const blocks = (along.order.extent(0) + Fill::lanes - 1) / Fill::lanes;
  Kokkos::parallel_for(
      "apsis::forces::fmm::curve_order::keys",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, blocks),
      Fill{position, whole, scale, within, along.keys, along.order});
  along.sort(space);
}

/// Whether some cube has so many bodies that they should be told apart.
bool is_crowded(ExecutionSpace const& space, Keys const& keys) {
  constexpr std::size_t many = 16;
  std::size_t const bodies = keys.extent(0);
  std::size_t crowds = 0;
  if (bodies <= many) return false;
  Kokkos::parallel_reduce(
      "apsis::forces::fmm::curve_order::crowds",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, bodies - many),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sofar) {
        sofar += keys(i) == keys(i + many) ? 1u : 0u;
      },
      crowds);
  return crowds > 0;
}

}  // namespace

template <class Stored>
BodyOrder curve_order(ExecutionSpace const& space, VectorColumns<Stored> const& position,
                      std::size_t bodies, KeyedBodies& along) {
  along.resize(space, bodies);
  if (bodies == 0) return along.order;
  auto const whole = whole_of(space, position, bodies);
  auto const number = [&] {
    Kokkos::parallel_for(
        "apsis::forces::fmm::curve_order::number",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, bodies),
        InOrder{along.order});
  };
  number();
  sort(space, position, whole, false, along);
  if (!is_crowded(space, along.keys)) return along.order;
  // A cluster and something far away. The finer keys first, since sorting keeps their order.
  number();
  sort(space, position, whole, true, along);
  sort(space, position, whole, false, along);
  return along.order;
}

template BodyOrder curve_order(ExecutionSpace const&, VectorColumns<float> const&, std::size_t,
                               KeyedBodies&);
template BodyOrder curve_order(ExecutionSpace const&, VectorColumns<double> const&, std::size_t,
                               KeyedBodies&);

}  // namespace apsis::forces::fmm
