// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/context.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// Every sum, minimum and maximum over the bodies that reaches a result. None depends on the number
/// of threads, nor on how many processes share the bodies, as long as each holds whole blocks of
/// them.
namespace apsis {

/// Bodies whose terms one thread adds one after the other.
inline constexpr std::size_t fixed_sum_block = 128;

namespace detail {

/// Adds neighbours, then neighbouring pairs, and so on: the same tree for the same count.
template <class Sum>
Sum pairwise_sum(std::vector<Sum> sums) {
  if (sums.empty()) return Sum{};
  for (std::size_t stride = 1; stride < sums.size(); stride *= 2) {
    for (std::size_t i = 0; i + stride < sums.size(); i += 2 * stride) sums[i] += sums[i + stride];
  }
  return sums.front();
}

}  // namespace detail

/// The sum of term(0) ... term(count - 1) in an order that depends on count alone, so that the bits
/// do not change with the number of threads (a BLAS or Kokkos reduction promises no order). Fixed
/// blocks are added serially, their sums as a fixed binary tree on the host; the error grows as
/// log(count).
///
/// `Sum` is default-constructible to zero, trivially copyable and has +=; `term` is a device
/// functor of an index among the `count` bodies of this process. Fences: the host reads the result.
/// Cost O(count).
template <class Sum, class Term>
Sum fixed_order_sum(Context const& context, std::string const& label, std::size_t count,
                    Term const& term) {
  auto const& space = context.space;
  std::size_t const blocks = (count + fixed_sum_block - 1) / fixed_sum_block;
  Kokkos::View<Sum*, MemorySpace> sums(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "apsis::core::fixed_order_sum"),
      blocks);
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, blocks),
      KOKKOS_LAMBDA(std::size_t block) {
        std::size_t const begin = block * fixed_sum_block;
        std::size_t const end = begin + fixed_sum_block < count ? begin + fixed_sum_block : count;
        Sum sum{};
        for (std::size_t i = begin; i < end; ++i) sum += term(i);
        sums(block) = sum;
      });
  std::vector<Sum> host(blocks);
  Kokkos::View<Sum*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host_view(
      host.data(), blocks);
  Kokkos::deep_copy(space, host_view, sums);
  space.fence("apsis::core::fixed_order_sum");
  return detail::pairwise_sum(gathered(context, std::move(host)));
}

namespace detail {
template <class Reducer, class Value>
struct KeepBetter {
  Value value;
  KOKKOS_FUNCTION void operator()(std::size_t i, typename Reducer::value_type& best) const {
    Reducer(best).join(best, value(i));
  }
};

template <class Reducer, class Value>
auto best_of(Context const& context, std::string const& label, std::size_t count,
             Value const& value) {
  typename Reducer::value_type best;
  Reducer const reducer(best);
  reducer.init(best);
  Kokkos::parallel_reduce(
      label,
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(context.space, 0, count),
      KeepBetter<Reducer, Value>{value}, reducer);
  for (auto const& each : gathered(context, std::vector{best})) reducer.join(best, each);
  return best;
}
}  // namespace detail

/// The largest of value(0) ... value(count - 1); the type's lowest value if there are none. `value`
/// is a device functor; a maximum has the same bits in whatever order it is found. Fences. Cost
/// O(count).
template <class T, class Value>
T largest(Context const& context, std::string const& label, std::size_t count, Value const& value) {
  return detail::best_of<Kokkos::Max<T>>(context, label, count, value);
}

/// The smallest; the type's greatest value (or infinity) if there are none.
template <class T, class Value>
T smallest(Context const& context, std::string const& label, std::size_t count,
           Value const& value) {
  return detail::best_of<Kokkos::Min<T>>(context, label, count, value);
}

}  // namespace apsis
