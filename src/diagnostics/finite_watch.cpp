// SPDX-License-Identifier: Apache-2.0
#include <apsis/diagnostics/finite_watch.hpp>

namespace apsis::diagnostics {

namespace {
constexpr std::uint64_t nothing = ~std::uint64_t{0};
}

template <class Real>
FiniteWatch<Real>::FiniteWatch(ExecutionSpace const& space)
    : first_(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                "apsis::diagnostics::FiniteWatch")) {
  Kokkos::deep_copy(space, first_, nothing);
}

template <class Real>
void FiniteWatch<Real>::look(ExecutionSpace const& space, Bodies<Real> const& bodies,
                             std::uint64_t step) {
  auto const first = first_;
  auto const position = bodies.position;
  auto const velocity = bodies.velocity;
  Kokkos::parallel_for(
      "apsis::diagnostics::FiniteWatch::look",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, bodies.size()),
      KOKKOS_LAMBDA(std::size_t i) {
        bool finite = true;
        for (int axis = 0; axis < 3; ++axis) {
          finite =
              finite && Kokkos::isfinite(position(i, axis)) && Kokkos::isfinite(velocity(i, axis));
        }
        // Every finding of a step writes the same step; the smallest body of the first step stays.
        std::uint64_t const found = finite ? nothing : Kokkos::atomic_load(&first(0));
        if (!finite && (found == nothing || found == step)) {
          Kokkos::atomic_store(&first(0), step);
          Kokkos::atomic_min(&first(1), static_cast<std::uint64_t>(i));
        }
      });
}

template <class Real>
std::optional<typename FiniteWatch<Real>::Finding> FiniteWatch<Real>::finding(
    ExecutionSpace const& space) const {
  auto const host = Kokkos::create_mirror_view(first_);
  Kokkos::deep_copy(space, host, first_);
  space.fence("apsis::diagnostics::FiniteWatch: the host reads");
  if (host(0) == nothing) return std::nullopt;
  return Finding{host(0), host(1)};
}

template class FiniteWatch<float>;
template class FiniteWatch<double>;

}  // namespace apsis::diagnostics
