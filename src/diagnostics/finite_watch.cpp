// SPDX-License-Identifier: Apache-2.0
#include <apsis/diagnostics/finite_watch.hpp>

#include <algorithm>
#include <array>

namespace apsis::diagnostics {

namespace {
constexpr std::uint64_t nothing = ~std::uint64_t{0};
}

template <class Real>
FiniteWatch<Real>::FiniteWatch(ExecutionSpace const& space, double largest_square)
    : first_(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                "apsis::diagnostics::FiniteWatch")),
      largest_square_(largest_square) {
  Kokkos::deep_copy(space, first_, nothing);
}

template <class Real>
void FiniteWatch<Real>::look(ExecutionSpace const& space, Bodies<Real> const& bodies,
                             std::uint64_t step) {
  auto const first = first_;
  auto const position = bodies.position;
  auto const velocity = bodies.velocity;
  std::uint64_t const count = bodies.size(), number = bodies.first, total = bodies.total;
  double const most = largest_square_;
  total_ = std::max<std::uint64_t>(total, 1);
  Kokkos::parallel_for(
      "apsis::diagnostics::FiniteWatch::look",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, count),
      KOKKOS_LAMBDA(std::size_t i) {
        double squared = 0.0;
        bool good_velocity = true;
        for (int axis = 0; axis < 3; ++axis) {
          double const x = position(i, axis);
          squared += x * x;
          good_velocity = good_velocity && Kokkos::isfinite(velocity(i, axis));
        }
        bool const good_position = squared <= most;
        if (good_position && good_velocity) return;
        // A bad position spoils every velocity at the next force evaluation, which may be of the
        // same step: bodies with a bad position come before those with a bad velocity alone.
        std::uint64_t const rank = (good_position ? total : 0) + number + i;
        // Every finding of a step writes the same step; the lowest rank of the first step stays.
        std::uint64_t const found = Kokkos::atomic_load(&first(0));
        if (found == nothing || found == step) {
          Kokkos::atomic_store(&first(0), step);
          Kokkos::atomic_min(&first(1), rank);
        }
      });
}

template <class Real>
std::optional<typename FiniteWatch<Real>::Finding> FiniteWatch<Real>::finding(
    Context const& context) const {
  auto const host = Kokkos::create_mirror_view(first_);
  Kokkos::deep_copy(context.space, host, first_);
  context.space.fence("apsis::diagnostics::FiniteWatch: the host reads");
  using Place = std::array<std::uint64_t, 2>;  // step, rank
  auto const all = gathered(context, std::vector{Place{host(0), host(1)}});
  auto const [step, rank] = *std::min_element(all.begin(), all.end());
  if (step == nothing) return std::nullopt;
  return Finding{step, rank % total_};
}

template class FiniteWatch<float>;
template class FiniteWatch<double>;

}  // namespace apsis::diagnostics
