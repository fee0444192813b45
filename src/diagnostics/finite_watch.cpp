// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/finite_watch.hpp"

#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/reductions.hpp>

#include <algorithm>
#include <array>

namespace apsis::diagnostics {

namespace {
/// Value of a step without a finding.
constexpr std::uint64_t nothing = ~std::uint64_t{0};

/// Whether the position of a body is within range, and whether its velocity is finite.
struct Verdict {
  bool position, velocity;
};

KOKKOS_FUNCTION Verdict verdict_of(ReadColumns const& position, ReadColumns const& velocity,
                                   std::size_t i, double largest_square) {
  double squared = 0.0;
  bool good_velocity = true;
  for (int axis = 0; axis < 3; ++axis) {
    double const x = position(i, axis);
    squared += x * x;
    good_velocity = good_velocity && Kokkos::isfinite(velocity(i, axis));
  }
  return {squared <= largest_square, good_velocity};
}

}  // namespace

FiniteWatch::FiniteWatch(ExecutionSpace const& space, double largest_square)
    : first_(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                "apsis::diagnostics::FiniteWatch")),
      largest_square_(largest_square) {
  Kokkos::deep_copy(space, first_, nothing);
}

void FiniteWatch::check(ExecutionSpace const& space, ReadBodies const& bodies, std::uint64_t step) {
  auto const first = first_;
  auto const position = bodies.position;
  auto const velocity = bodies.velocity;
  std::uint64_t const count = bodies.size(), number = bodies.first, total = bodies.total;
  double const largest_square = largest_square_;
  total_ = std::max<std::uint64_t>(total, 1);
  for_each(
      space, "apsis::diagnostics::FiniteWatch::look", count, KOKKOS_LAMBDA(std::size_t i) {
        auto const good = verdict_of(position, velocity, i, largest_square);
        if (good.position && good.velocity) return;
        // A bad position makes all velocities bad at the next force evaluation, which may belong to
        // the same step. Therefore bodies with a bad position come before bodies with only a bad
        // velocity.
        std::uint64_t const order = (good.position ? total : 0) + number + i;
        // All findings of a step write the same step; the lowest order in the first step is kept.
        std::uint64_t const first_step = Kokkos::atomic_load(&first(0));
        if (first_step == nothing || first_step == step) {
          Kokkos::atomic_store(&first(0), step);
          Kokkos::atomic_min(&first(1), order);
        }
      });
}

bool FiniteWatch::passes(ReadBodies const& bodies) const {
  if constexpr (bodies_on_host) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      auto const good = verdict_of(bodies.position, bodies.velocity, i, largest_square_);
      if (!good.position || !good.velocity) return false;
    }
  } else {
    APSIS_EXPECT(false, "a loop cannot read bodies on a GPU");
  }
  return true;
}

std::optional<FiniteWatch::Finding> FiniteWatch::finding(Context const& context) const {
  auto const first = first_;
  auto const first_here = tabulate<std::uint64_t>(
      context, "apsis::diagnostics::FiniteWatch::finding", 2,
      KOKKOS_LAMBDA(std::size_t i) { return first(i); });
  using StepAndOrder = std::array<std::uint64_t, 2>;
  auto const findings =
      gather_values(context, std::vector{StepAndOrder{first_here[0], first_here[1]}});
  auto const [step, order] = *std::min_element(findings.begin(), findings.end());
  if (step == nothing) return std::nullopt;
  return Finding{step, order % total_};
}

}  // namespace apsis::diagnostics
