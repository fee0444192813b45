// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "candidate_code.hpp"
#include "forces/direct/pairwise_tile.hpp"
#include <apsis/core/backend.hpp>

#include <type_traits>

/// Grid of shapes that `bench --sweep` times. All are of the tile loop; only the numbers differ.
/// Shapes of the simpler kernels of the ladder that `bench --sweep` times: on a GPU teams of 32 to
/// 1024 threads, each with loops unrolled by 1, 4 and 8; on a host, where a team is one thread and
/// the compiler unrolls, lengths of tiles and targets per thread.
namespace apsis::forces {

template <class Number, class Shape>
KernelCode<Number> candidate_in_parts() {
  return {"split", Shape::numbers,
          [](Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
            sweep_parts<Number, Shape, PlummerAlone, Wants::acceleration>(
                evaluation, workspace,
                split_parts<Number, Shape>(evaluation.sources, evaluation.targets.total));
          }};
}
template <class Number, class Shape>
KernelCode<Number> candidate_in_panels() {
  return {"pairwise_tile", Shape::numbers,
          sweep_pairs<Number, Shape, PlummerAlone, Wants::acceleration>};
}

template <class Number>
std::vector<KernelCode<Number>> make_candidate_codes() {
  constexpr auto scratch = Staging::scratch;
  if constexpr (on_gpu) {
    return {
        candidate_whole<Number, Shape<scratch, 256, 1, 2, 256, 8>>("register_tile"),
        candidate_whole<Number, Shape<scratch, 256, 1, 4, 256, 8>>("register_tile"),
        candidate_whole<Number, Shape<scratch, 256, 1, 4, 256, 16>>("register_tile"),
        candidate_whole<Number, Shape<scratch, 512, 1, 2, 512, 8>>("register_tile"),
        candidate_whole<Number, Shape<scratch, 1024, 1, 2, 1024, 8>>("register_tile"),
        candidate_in_parts<Number, Shape<scratch, 64, 1, 2, 64, 16>>(),
        candidate_in_parts<Number, Shape<scratch, 128, 1, 2, 128, 8>>(),
        candidate_in_parts<Number, Shape<scratch, 256, 1, 2, 128, 8>>(),
        candidate_in_parts<Number, Shape<scratch, 256, 1, 4, 128, 16>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 64, 1, 2, 64, 8>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 64, 1, 4, 64, 4>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 64, 1, 6, 64, 4>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 64, 1, 8, 64, 4>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 128, 1, 4, 128, 4>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 128, 1, 6, 128, 4>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 128, 1, 8, 128, 4>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 256, 1, 4, 256, 8>>(),
    };
  } else {
    constexpr int lanes = simd::native_lanes<typename Number::Real>;
    return {
        candidate_whole<Number, Shape<scratch, 1, lanes, 1, 512, 1>>("register_tile"),
        candidate_whole<Number, Shape<scratch, 1, lanes, 2, 512, 1>>("register_tile"),
        candidate_whole<Number, Shape<scratch, 1, lanes, 3, 512, 1>>("register_tile"),
        candidate_whole<Number, Shape<scratch, 1, lanes, 4, 256, 1>>("register_tile"),
        candidate_in_parts<Number, Shape<scratch, 1, lanes, 2, 256, 1>>(),
        candidate_in_parts<Number, Shape<scratch, 1, lanes, 4, 256, 1>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 1, 128, 1>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 2, 64, 1>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 3, 128, 1>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 2, 128, 1>>(),
    };
  }
}

namespace detail {
/// Adds a shape unless it is the ladder's own.
template <class Number, class Own, class Candidate>
void add_candidate(std::vector<KernelCode<Number>>& codes, char const* kernel) {
  if constexpr (!std::is_same_v<Own, Candidate>) {
    codes.push_back(candidate_whole<Number, Candidate>(kernel));
  }
}

/// Length of a tile: a source per thread of a team; 256 for sources that are not staged.
constexpr int candidate_tile(Staging staging, int team) {
  return staging == Staging::global ? 256 : team;
}

/// Adds a kernel with these teams on a GPU. `Own`: its shape in the ladder.
template <class Number, class Own, int... teams>
void add_teams(std::vector<KernelCode<Number>>& codes, char const* kernel) {
  constexpr auto staging = Own::staging;
  (add_candidate<Number, Own,
                 Shape<staging, teams, 1, Own::targets, candidate_tile(staging, teams), 1>>(codes,
                                                                                            kernel),
   ...);
  (add_candidate<Number, Own,
                 Shape<staging, teams, 1, Own::targets, candidate_tile(staging, teams), 4>>(codes,
                                                                                            kernel),
   ...);
  (add_candidate<Number, Own,
                 Shape<staging, teams, 1, Own::targets, candidate_tile(staging, teams), 8>>(codes,
                                                                                            kernel),
   ...);
}
template <class Number, class Own>
void add_all_teams(std::vector<KernelCode<Number>>& codes, char const* kernel) {
  // Teams that exchange between lanes are whole warps.
  if constexpr (Own::staging != Staging::lanes || lane_exchange::width <= 32) {
    add_teams<Number, Own, 32>(codes, kernel);
  }
  add_teams<Number, Own, 64, 128, 256, 512, 1024>(codes, kernel);
}
}  // namespace detail

template <class Number>
std::vector<KernelCode<Number>> make_ladder_candidates() {
  using S = Shapes<ExecutionSpace, Number>;
  std::vector<KernelCode<Number>> codes;
  if constexpr (on_gpu) {
    detail::add_all_teams<Number, typename S::naive>(codes, "naive");
    detail::add_all_teams<Number, typename S::scratch_tile>(codes, "scratch_tile");
    detail::add_all_teams<Number, typename S::target_tile>(codes, "target_tile");
    if constexpr (lane_exchange::width > 1) {
      detail::add_all_teams<Number, typename S::shuffle_tile>(codes, "shuffle_tile");
    }
  } else {
    constexpr int lanes = simd::native_lanes<typename Number::Real>;
    constexpr auto global = Staging::global, scratch = Staging::scratch;
    codes = {candidate_whole<Number, Shape<global, 1, 1, 1, 128, 1>>("naive"),
             candidate_whole<Number, Shape<global, 1, 1, 1, 1024, 1>>("naive"),
             candidate_whole<Number, Shape<scratch, 1, 1, 1, 128, 1>>("scratch_tile"),
             candidate_whole<Number, Shape<scratch, 1, 1, 1, 256, 1>>("scratch_tile"),
             candidate_whole<Number, Shape<global, 1, lanes, 1, 512, 1>>("target_tile"),
             candidate_whole<Number, Shape<global, 1, lanes, 3, 512, 1>>("target_tile"),
             candidate_whole<Number, Shape<global, 1, lanes, 4, 128, 1>>("target_tile")};
  }
  return codes;
}

}  // namespace apsis::forces
