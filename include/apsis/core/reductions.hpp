// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/backend.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/views.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Reproducible sums, minima and maxima over the bodies. The results do not depend on the number of
/// threads, nor on the number of ranks if each rank holds whole blocks of fixed_sum_block bodies.
namespace apsis {

/// Number of consecutive terms that one thread adds serially.
inline constexpr std::size_t fixed_sum_block = 128;

/// Memory in which a kernel writes results for the host: that of the host where kernels can write
/// it. It has no type, because Kokkos::deep_copy() is compiled anew for each type of elements.
class ResultBuffer {
 public:
  /// The results are `bytes` bytes for `host`, which must live until copy_to_host() returns.
  ResultBuffer(ExecutionSpace const& space, void* host, std::size_t bytes);

  /// Address at which the kernel writes.
  void* data() const { return memory_.data(); }
  /// Copies the results to the host. Fences.
  void copy_to_host(ExecutionSpace const& space) const;

 private:
  Kokkos::View<std::byte*, MemorySpace> memory_;
  std::byte* host_;
};

/// Returns value(0) ... value(count - 1) on the host, one for each body. `value` is a device
/// functor. Fences. O(count).
template <class Value, class ValueOfBody>
std::vector<Value> tabulate(ExecutionSpace const& space, std::string_view label, std::size_t count,
                            ValueOfBody const& value) {
  std::vector<Value> host(count);
  ResultBuffer const buffer(space, host.data(), count * sizeof(Value));
  auto* const values = static_cast<Value*>(buffer.data());
  for_each_body(
      space, label, count, KOKKOS_LAMBDA(std::size_t i) { values[i] = value(i); });
  buffer.copy_to_host(space);
  return host;
}

namespace detail {

/// Sum over a binary tree of neighbouring pairs. The tree depends only on the number of terms.
template <class Sum>
Sum pairwise_sum(std::vector<Sum> sums) {
  if (sums.empty()) return Sum{};
  for (std::size_t stride = 1; stride < sums.size(); stride *= 2) {
    for (std::size_t i = 0; i + stride < sums.size(); i += 2 * stride) sums[i] += sums[i + stride];
  }
  return sums.front();
}

}  // namespace detail

/// The sum of term(0) ... term(count - 1) over all ranks, in an order that depends only on the
/// total count, so that the bits do not change with the number of threads (BLAS and Kokkos
/// reductions guarantee no order). Blocks of fixed size are summed serially, the block sums in a
/// fixed binary tree on the host. The rounding error grows as log(count).
///
/// `Sum` is zero when default-constructed, trivially copyable and has +=; `term` is a device
/// functor of an index among the `count` bodies of this rank. Collective. Fences the space. Cost
/// O(count).
template <class Sum, class Term>
Sum fixed_order_sum(Context const& context, std::string_view label, std::size_t count,
                    Term const& term) {
  if constexpr (bodies_on_host) {
    static_assert(!is_loop_faster(fixed_sum_block + 1), "a loop is one block");
    if (is_loop_faster(count) && !is_shared(context)) {
      Sum sum{};
      for (std::size_t i = 0; i < count; ++i) sum += term(i);
      return sum;
    }
  }
  std::size_t const blocks = (count + fixed_sum_block - 1) / fixed_sum_block;
  std::vector<Sum> host(blocks);
  ResultBuffer const buffer(context, host.data(), blocks * sizeof(Sum));
  auto* const sums = static_cast<Sum*>(buffer.data());
  for_each(
      context.space, std::string(label), blocks, KOKKOS_LAMBDA(std::size_t block) {
        std::size_t const begin = block * fixed_sum_block;
        std::size_t const end = begin + fixed_sum_block < count ? begin + fixed_sum_block : count;
        Sum sum{};
        for (std::size_t i = begin; i < end; ++i) sum += term(i);
        sums[block] = sum;
      });
  buffer.copy_to_host(context);
  return detail::pairwise_sum(gather_values(context, std::move(host)));
}

namespace detail {
template <class Reducer, class Value>
struct JoinValues {
  Value value;
  KOKKOS_FUNCTION void operator()(std::size_t i, typename Reducer::value_type& result) const {
    Reducer(result).join(result, value(i));
  }
};

template <class Reducer, class Value>
auto reduce_values(Context const& context, std::string_view label, std::size_t count,
                   Value const& value) {
  typename Reducer::value_type result;
  Reducer const reducer(result);
  reducer.init(result);
  JoinValues<Reducer, Value> const join{value};
  if (is_loop_faster(count)) {
    if constexpr (bodies_on_host) {
      for (std::size_t i = 0; i < count; ++i) join(i, result);
    }
  } else {
    Kokkos::parallel_reduce(std::string(label), index_range(context.space, 0, count), join,
                            reducer);
  }
  if (!is_shared(context)) return result;
  for (auto const& of_rank : gather_values(context, std::vector{result})) {
    reducer.join(result, of_rank);
  }
  return result;
}
}  // namespace detail

/// The largest of value(0) ... value(count - 1) over all ranks; the lowest value of `T` if there
/// are none. `value` is a device functor. The result does not depend on the order of comparisons.
/// Collective. Fences the space. Cost O(count).
template <class T, class Value>
T largest(Context const& context, std::string_view label, std::size_t count, Value const& value) {
  return detail::reduce_values<Kokkos::Max<T>>(context, label, count, value);
}

/// The smallest of value(0) ... value(count - 1) over all ranks; the largest value of `T` (or
/// infinity) if there are none. Otherwise as largest().
template <class T, class Value>
T smallest(Context const& context, std::string_view label, std::size_t count, Value const& value) {
  return detail::reduce_values<Kokkos::Min<T>>(context, label, count, value);
}

}  // namespace apsis
