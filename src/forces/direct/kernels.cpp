// SPDX-License-Identifier: Apache-2.0
#include "kernel_problems.hpp"
#include "lanes/lane_exchange.hpp"
#include "shapes.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/forces/kernel.hpp>

#include <algorithm>

namespace apsis::forces {

namespace {

std::string missing_lanes() {
  if (lane_exchange::width > 1) return "";
  return build_info().backend + " has no lanes to exchange between";
}

template <class Number>
std::string select_kernel(std::size_t bodies) {
  if (uses_pairwise<ExecutionSpace, Number>(bodies)) return "pairwise_tile";
  return lane_exchange::width > 1 ? "split" : "register_tile";
}

template <class Number>
std::string select_motion_kernel(std::size_t bodies) {
  return uses_pairwise<ExecutionSpace, Number>(bodies) ? "pairwise_tile" : "split";
}

/// Number of partial sums per body.
template <class Number>
std::size_t partial_sum_count(std::string const& kernel, std::size_t bodies, int derivatives) {
  using S = Shapes<ExecutionSpace, Number>;
  if (derivatives == 0) {
    if (kernel == "pairwise_tile")
      return panel_count<typename S::pairwise_tile>(bodies, S::panels(bodies));
    if (kernel == "split")
      return split_part_count<typename S::split>(bodies, bodies, S::split_teams);
    return 0;
  }
  if (!uses_pairwise<ExecutionSpace, Number>(bodies)) {
    return split_part_count<typename S::motion>(bodies, bodies, S::split_teams);
  }
  return derivatives == 1 ? panel_count<typename S::jerk_pairs>(bodies, S::motion_panels)
                          : panel_count<typename S::snap_pairs>(bodies, S::motion_panels);
}

/// Bound of the number of partial sums of a request for some of the bodies, which `split` serves:
/// its parts make at most twice as many teams as are enough, and it has at most one part per tile.
template <class Number>
std::size_t most_sums_of_some(std::size_t bodies) {
  using S = Shapes<ExecutionSpace, Number>;
  using Split = typename S::split;
  std::size_t const tiles = (bodies + Split::tile - 1) / Split::tile;
  std::size_t const block = Split::block_size;
  return tiles > 1 ? std::min(bodies * tiles, 2 * S::split_teams * block) : 0;
}

}  // namespace

Registry<KernelEntry> const& kernels() {
  static Registry<KernelEntry> const table{
      "kernel",
      {
          {"auto", "the fastest for the backend, precision and number of bodies", ""},
          {"naive", "one target a thread, sources straight from memory", ""},
          {"scratch_tile", "one target a thread, tiles of sources in team scratch", ""},
          {"target_tile", "several targets a thread, sources straight from memory", ""},
          {"register_tile", "several targets a thread, tiles of sources in team scratch", ""},
          {"shuffle_tile", "several targets a thread, sources passed between the lanes of a warp",
           missing_lanes()},
          {"pairwise_tile", "each pair once, reactions passed from lane to lane", "", true},
          {"pairwise_atomic",
           "each pair once, atomic additions: the last bits differ from run to run", "", true},
          {"split", "register_tile with the sources in parts, for few bodies", ""},
      }};
  return table;
}

std::string default_kernel(Precision precision, std::size_t bodies) {
  return in_precision(precision,
                      [&]<class Number>(Number) { return select_kernel<Number>(bodies); });
}

std::string default_motion_kernel(Precision precision, std::size_t bodies) {
  return in_precision(precision,
                      [&]<class Number>(Number) { return select_motion_kernel<Number>(bodies); });
}

double workspace_bytes(Precision precision, std::string const& kernel, std::size_t bodies,
                       int derivatives) {
  return in_precision(precision, [&]<class Number>(Number) {
    auto const name = kernel == "auto" ? select_kernel<Number>(bodies) : kernel;
    // Potentials are in double.
    std::size_t const row =
        3 * sizeof(typename Number::Stored) * static_cast<std::size_t>(1 + derivatives) +
        sizeof(double);
    auto const sums = bodies * partial_sum_count<Number>(name, bodies, derivatives);
    return static_cast<double>(row) *
           static_cast<double>(std::max(sums, most_sums_of_some<Number>(bodies)));
  });
}

std::vector<Problem> kernel_problems(Demand const& demand, std::string const& kernel) {
  std::vector<Problem> problems;
  auto const add = [&](std::string problem, std::string why, std::string advice) {
    problems.push_back({"gravity.kernel", std::move(problem), std::move(why), std::move(advice)});
  };
  auto const* entry = kernels().find(kernel);
  auto const missing = entry != nullptr ? entry->unavailable : "there is no kernel of that name";
  if (!missing.empty()) {
    add("'" + kernel + "' is not available", missing, "choose another, or leave it to 'auto'");
  }
  if (demand.derivatives > 0 && kernel != "auto") {
    add("contradicts integrator.name", "'" + demand.integrator_name + "' has kernels of its own",
        "leave it to 'auto'");
  }
  if (has_size(demand.gravity) && kernel != "auto" && kernel != compact_kernel) {
    add("contradicts gravity.softening_kernel", "'" + kernel + "' supports point sources only",
        "choose '" + std::string(compact_kernel) + "' or leave it to 'auto'");
  }
  return problems;
}

}  // namespace apsis::forces
