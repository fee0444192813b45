// SPDX-License-Identifier: Apache-2.0
#include "curve_order.hpp"

#include "hilbert.hpp"

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <Kokkos_Sort.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace apsis::forces::fmm {

namespace {

using Keys = Kokkos::View<std::uint64_t*, MemorySpace>;

/// Bodies by their numbers.
struct InOrder {
  BodyOrder order;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { order(i) = static_cast<std::uint32_t>(i); }
};

/// Least and largest coordinate, of those that are numbers.
template <class Stored>
std::pair<double, double> range_along(ExecutionSpace const& space,
                                      VectorColumns<Stored> const& position, std::size_t bodies,
                                      int axis) {
  Kokkos::MinMaxScalar<Stored> found;
  Kokkos::parallel_reduce(
      "apsis::forces::fmm::curve_order::range",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, bodies),
      KOKKOS_LAMBDA(std::size_t i, Kokkos::MinMaxScalar<Stored> & sofar) {
        Stored const x = position(i, axis);
        if (!Kokkos::isfinite(x)) return;
        if (x < sofar.min_val) sofar.min_val = x;
        if (x > sofar.max_val) sofar.max_val = x;
      },
      Kokkos::MinMax<Stored>(found));
  return {static_cast<double>(found.min_val), static_cast<double>(found.max_val)};
}

/// The cube that all bodies are in.
struct Whole {
  Kokkos::Array<double, 3> least{};
  double extent = 0.0;
};

/// Keys of the bodies in their present order: of the cubes that they are in or, if `within`, of the
/// cubes within those.
template <class Stored>
void fill_keys(ExecutionSpace const& space, VectorColumns<Stored> const& position,
               Whole const& whole, bool within, Keys const& keys, BodyOrder const& order) {
  constexpr double cubes = std::uint32_t{1} << hilbert_bits;
  double const scale = whole.extent > 0.0 ? cubes / whole.extent : 0.0;
  Kokkos::parallel_for(
      "apsis::forces::fmm::curve_order::keys",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0,
                                                                          order.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) {
        std::uint32_t at[3];
        for (int axis = 0; axis < 3; ++axis) {
          double const x = static_cast<double>(position(order(i), axis));
          double cube = (x - whole.least[axis]) * scale;
          if (within) cube = (cube - Kokkos::floor(cube)) * cubes;
          // What is not finite is somewhere.
          at[axis] = cube < cubes - 1.0 ? (cube > 0.0 ? static_cast<std::uint32_t>(cube) : 0u)
                                        : static_cast<std::uint32_t>(cubes) - 1u;
        }
        keys(i) = hilbert_key(at[0], at[1], at[2]);
      });
}

/// In blocks, then neighbouring blocks into one: the standard library sorts on one thread.
void sort_on_host(ExecutionSpace const& space, Keys const& keys, BodyOrder const& order) {
  struct Keyed {
    std::uint64_t key;
    std::uint32_t place, body;
    bool operator<(Keyed const& other) const {
      return key != other.key ? key < other.key : place < other.place;
    }
  };
  std::size_t const count = order.extent(0);
  std::vector<Keyed> all(count);
  std::size_t blocks = 1;
  while (blocks < static_cast<std::size_t>(space.concurrency())) blocks *= 2;
  auto const begin = [&](std::size_t block) { return count * block / blocks; };
  auto const at = [&](std::size_t block) {
    return all.begin() + static_cast<std::ptrdiff_t>(begin(block));
  };
  using Policy =
      Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  auto const each = [&](std::size_t runs, auto const& body) {
    Kokkos::parallel_for("apsis::forces::fmm::curve_order::sort", Policy(0, runs).set_chunk_size(1),
                         body);
    Kokkos::fence("apsis::forces::fmm::curve_order: runs are sorted before they are merged");
  };
  each(blocks, [&](std::size_t block) {
    for (std::size_t i = begin(block); i < begin(block + 1); ++i) {
      all[i] = {keys(i), static_cast<std::uint32_t>(i), order(i)};
    }
    std::sort(at(block), at(block + 1));
  });
  for (std::size_t width = 1; width < blocks; width *= 2) {
    each(blocks / (2 * width), [&](std::size_t k) {
      std::size_t const first = 2 * width * k;
      std::inplace_merge(at(first), at(first + width), at(first + 2 * width));
    });
  }
  each(blocks, [&](std::size_t block) {
    for (std::size_t i = begin(block); i < begin(block + 1); ++i) {
      keys(i) = all[i].key;
      order(i) = all[i].body;
    }
  });
}

/// Equal keys stay in their order.
void sort(ExecutionSpace const& space, Keys const& keys, BodyOrder const& order) {
  // What a vendor's sort launches has other labels.
  Kokkos::Profiling::ScopedRegion const region("apsis::forces::fmm::curve_order::sort");
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible) {
    space.fence("apsis::forces::fmm::curve_order: the host sorts keys");
    sort_on_host(space, keys, order);
  } else {
    // The vendors' sorts of numbers are radix sorts, which keep equal keys in their order.
    Kokkos::Experimental::sort_by_key(space, keys, order);
  }
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
                      std::size_t bodies) {
  BodyOrder const order(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "apsis::forces::fmm::curve_order"),
      bodies);
  if (bodies == 0) return order;
  Keys const keys(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                     "apsis::forces::fmm::curve_order::keys"),
                  bodies);
  Whole whole;
  for (int axis = 0; axis < 3; ++axis) {
    auto const [low, high] = range_along(space, position, bodies, axis);
    whole.least[static_cast<std::size_t>(axis)] = low;
    whole.extent = std::max(whole.extent, high - low);
  }
  auto const number = [&] {
    Kokkos::parallel_for(
        "apsis::forces::fmm::curve_order::number",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, bodies),
        InOrder{order});
  };
  number();
  fill_keys(space, position, whole, false, keys, order);
  sort(space, keys, order);
  if (!is_crowded(space, keys)) return order;
  // A cluster and something far away. The finer keys first, since sorting keeps their order.
  number();
  fill_keys(space, position, whole, true, keys, order);
  sort(space, keys, order);
  fill_keys(space, position, whole, false, keys, order);
  sort(space, keys, order);
  return order;
}

template BodyOrder curve_order(ExecutionSpace const&, VectorColumns<float> const&, std::size_t);
template BodyOrder curve_order(ExecutionSpace const&, VectorColumns<double> const&, std::size_t);

}  // namespace apsis::forces::fmm
