// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/sweep.hpp"
#include "pairwise_atomic.hpp"
#include "pairwise_tile.hpp"
#include <apsis/forces/kernel.hpp>

/// Table of kernels for one precision; each precision has a file that instantiates it.
namespace apsis::forces {

template <class Number, class Shape>
KernelCode<Number> whole_code(std::string kernel) {
  return {std::move(kernel), Shape::numbers, sweep_whole<Number, Shape>};
}
template <class Number, class Shape>
KernelCode<Number> split_code(std::string kernel) {
  return {std::move(kernel), Shape::numbers, sweep_split<Number, Shape>};
}

template <class Number, class Shape>
KernelCode<Number> panel_code(std::string kernel) {
  return {std::move(kernel), Shape::numbers, sweep_panels<Number, Shape>, true};
}

template <class Number>
std::vector<KernelCode<Number>> make_kernel_codes() {
  using S = Shapes<ExecutionSpace, Number>;
  std::vector<KernelCode<Number>> codes{
      whole_code<Number, typename S::naive>("naive"),
      whole_code<Number, typename S::scratch_tile>("scratch_tile"),
      whole_code<Number, typename S::target_tile>("target_tile"),
      whole_code<Number, typename S::register_tile>("register_tile"),
  };
  if constexpr (lane_exchange::width > 1) {
    codes.push_back(whole_code<Number, typename S::shuffle_tile>("shuffle_tile"));
  }
  codes.push_back(panel_code<Number, typename S::pairwise_tile>("pairwise_tile"));
  codes.push_back({"pairwise_atomic", std::nullopt, evaluate_pairs<Number>, true});
  codes.push_back(split_code<Number, typename S::split>("split"));
  return codes;
}

template <class Number>
std::vector<KernelCode<Number>> const& kernel_codes() {
  static auto const codes = make_kernel_codes<Number>();
  return codes;
}

template <class Number>
KernelCode<Number> const& compact_code() {
  using Shape = typename Shapes<ExecutionSpace, Number>::split;
  static KernelCode<Number> const code{compact_kernel, Shape::numbers,
                                       sweep_split<Number, Shape, Compact>};
  return code;
}

}  // namespace apsis::forces
