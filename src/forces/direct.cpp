// SPDX-License-Identifier: Apache-2.0
#include "direct_laws.hpp"
#include <apsis/forces/direct.hpp>
#include <apsis/forces/tile_loop.hpp>

namespace apsis::forces {

namespace {

/// Adds up the chunks of each of `count` rows, first to last.
template <class Rows, class Result>
void combine(ExecutionSpace const& space, std::string const& label, std::size_t count,
             std::size_t chunks, Rows const& rows, Result const& result) {
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, count),
      KOKKOS_LAMBDA(std::size_t i) {
        auto sum = rows.data()[i];
        for (std::size_t chunk = 1; chunk < chunks; ++chunk) sum += rows.data()[chunk * count + i];
        result.data()[i] = sum;
      });
}

template <class View>
void reserve(ExecutionSpace const& space, View& view, std::size_t rows, std::string const& label) {
  if (view.extent(0) != rows) {
    view = View();
    view = View(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label), rows);
  }
}

template <bool softened, class Real>
void sweep_acceleration(ExecutionSpace const& space, Bodies<Real> const& bodies,
                        Gravity const& gravity, VectorColumns<Real> const& result,
                        std::size_t chunks) {
  using Traits = DirectTraits<ExecutionSpace, Real>;
  Real const eps = static_cast<Real>(gravity.softening);
  AccelerationLaw<Real, softened> const law{bodies.position, bodies.mass, result, eps * eps,
                                            static_cast<Real>(gravity.G)};
  TileLoop<AccelerationLaw<Real, softened>, Traits>(law, bodies.size(), chunks)
      .launch(space, "apsis::forces::direct::accelerate", chunks);
}

}  // namespace

template <class Real>
void Direct<Real>::do_accelerate(ExecutionSpace const& space, Bodies<Real> const& bodies) {
  std::size_t const count = bodies.size();
  if (count == 0) return;
  std::size_t const chunks = DirectTraits<ExecutionSpace, Real>::chunks(count);
  auto result = bodies.acceleration;
  if (chunks > 1) {
    reserve(space, partial_, chunks * count, "apsis::forces::direct::partial");
    result = partial_;
  }
  if (this->gravity().softening > 0) {
    sweep_acceleration<true>(space, bodies, this->gravity(), result, chunks);
  } else {
    sweep_acceleration<false>(space, bodies, this->gravity(), result, chunks);
  }
  for (int axis = 0; chunks > 1 && axis < 3; ++axis) {
    combine(space, "apsis::forces::direct::combine_acceleration", count, chunks,
            Kokkos::subview(partial_, Kokkos::ALL, axis),
            Kokkos::subview(bodies.acceleration, Kokkos::ALL, axis));
  }
}

template <class Real>
void Direct<Real>::potential(ExecutionSpace const& space, Bodies<Real> const& bodies,
                             Column<double> const& potential) {
  using Traits = DirectTraits<ExecutionSpace, double>;
  std::size_t const count = bodies.size();
  if (count == 0) return;
  std::size_t const chunks = Traits::chunks(count);
  auto result = potential;
  if (chunks > 1) {
    reserve(space, partial_potential_, chunks * count, "apsis::forces::direct::partial_potential");
    result = partial_potential_;
  }
  // Softening and G as the force sees them: rounded to the precision of the bodies.
  double const eps = static_cast<Real>(this->gravity().softening);
  double const G = static_cast<Real>(this->gravity().G);
  PotentialLaw<Real> const law{bodies.position, bodies.mass, result, eps * eps, -G};
  TileLoop<PotentialLaw<Real>, Traits>(law, count, chunks)
      .launch(space, "apsis::forces::direct::potential", chunks);
  if (chunks > 1) {
    combine(space, "apsis::forces::direct::combine_potential", count, chunks, partial_potential_,
            potential);
  }
}

template class Direct<float>;
template class Direct<double>;

}  // namespace apsis::forces
