// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

#include <cstddef>
#include <string>
#include <vector>

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
/// `Sum` is default-constructible to zero and has +=; `term` is a device functor of an index.
/// Fences `space`: the host reads the result. Cost O(count).
template <class Sum, class Term>
Sum fixed_order_sum(ExecutionSpace const& space, std::string const& label, std::size_t count,
                    Term const& term) {
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
  return detail::pairwise_sum(std::move(host));
}

}  // namespace apsis
