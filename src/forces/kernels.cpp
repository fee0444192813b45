// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/build_info.hpp>
#include <apsis/core/lane_exchange.hpp>
#include <apsis/forces/kernel.hpp>
#include <apsis/forces/shapes.hpp>

namespace apsis::forces {

std::vector<KernelEntry> const& kernels() {
  static std::vector<KernelEntry> const table{
      {"auto", "the fastest for the backend, precision and number of bodies", "", true},
      {"naive", "one target a thread, sources straight from memory", "", true},
      {"scratch_tile", "one target a thread, tiles of sources in team scratch", "", true},
      {"target_tile", "several targets a thread, sources straight from memory", "", true},
      {"register_tile", "several targets a thread, tiles of sources in team scratch", "", true},
      {"shuffle_tile", "several targets a thread, sources passed between the lanes of a warp",
       lane_exchange::width > 1 ? "" : build_info().backend + " has no lanes to exchange between",
       true},
      {"pairwise_atomic", "each pair once, atomic additions: the last bits differ from run to run",
       "", false},
      {"split", "register_tile with the sources in parts too, for few bodies", "", true},
  };
  return table;
}

std::size_t split_below(Precision precision) {
  switch (precision) {
    case Precision::single_precision:
      return Shapes<ExecutionSpace, Single>::split_below;
    case Precision::mixed:
      return Shapes<ExecutionSpace, Mixed>::split_below;
    default:
      return Shapes<ExecutionSpace, Double>::split_below;
  }
}

std::string picked_kernel(Precision precision, std::size_t bodies) {
  return bodies < split_below(precision) ? "split" : "register_tile";
}

}  // namespace apsis::forces
