// SPDX-License-Identifier: Apache-2.0
#include "apsis/diagnostics/test_particles.hpp"

#include <apsis/core/backend.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/diagnostics/energy_scale.hpp>

#include <limits>
#include <utility>
#include <vector>

namespace apsis::diagnostics {

namespace {

/// Specific energy v^2 / 2 + phi, with the velocity relative to the massive body.
template <class Real>
struct SpecificEnergy {
  Bodies<Real> bodies;
  Column<double> potential;
  Vec3<double> reference;  ///< velocity of the massive body

  KOKKOS_FUNCTION double kinetic(std::size_t i) const {
    Vec3<double> const velocity{bodies.velocity(i, 0), bodies.velocity(i, 1),
                                bodies.velocity(i, 2)};
    Vec3<double> const v = velocity - reference;
    return 0.5 * dot(v, v);
  }
  KOKKOS_FUNCTION double operator()(std::size_t i) const { return kinetic(i) + potential(i); }
};

template <class Real>
void note_energies(ExecutionSpace const& space, SpecificEnergy<Real> const& energy,
                   Column<double> const& first, Column<double> const& scale, bool only_forgotten) {
  for_each_body(
      space, "apsis::diagnostics::test_particles::note_energies", first.extent(0),
      KOKKOS_LAMBDA(std::size_t i) {
        if (only_forgotten && scale(i) >= 0.0) return;
        first(i) = energy(i);
        scale(i) = energy_scale(energy.kinetic(i), energy.potential(i)).value;
      });
}

template <class Real>
double worst_error(Context const& context, SpecificEnergy<Real> const& energy,
                   Column<double> const& first, Column<double> const& scale) {
  return largest<double>(
      context, "apsis::diagnostics::test_particles::energy_error", first.extent(0),
      KOKKOS_LAMBDA(std::size_t i) {
        if (energy.bodies.mass(i) != Real(0)) return 0.0;
        double const error =
            EnergyScale{EnergyMeasure::energy, scale(i)}.error(energy(i) - first(i));
        // A maximum would ignore NaN.
        return error >= 0.0 ? error : Kokkos::Experimental::infinity_v<double>;
      });
}

}  // namespace

template <class Real>
TestParticles<Real>::TestParticles(ExecutionSpace const& space, Bodies<Real> const& bodies)
    : first_(Kokkos::view_alloc(space, "apsis::diagnostics::test_particles::first"), bodies.size()),
      scale_(Kokkos::view_alloc(space, "apsis::diagnostics::test_particles::scale"),
             bodies.size()) {
  auto const mass = Kokkos::create_mirror_view(bodies.mass);
  Kokkos::deep_copy(space, mass, bodies.mass);
  space.fence("apsis::diagnostics::test_particles: the host reads masses");
  for (std::size_t i = 0; i < mass.extent(0); ++i) {
    if (mass(i) != Real(0)) massive_ = static_cast<std::ptrdiff_t>(i);
  }
}

template <class Real>
Vec3<double> TestParticles<Real>::reference(Context const& context,
                                            Bodies<Real> const& bodies) const {
  std::vector<Vec3<double>> velocities;
  if (massive_ >= 0) {
    Real v[3];
    for (int axis = 0; axis < 3; ++axis) {
      auto const component =
          Kokkos::subview(bodies.velocity, static_cast<std::size_t>(massive_), axis);
      Kokkos::deep_copy(context.space, v[axis], component);
    }
    context.space.fence("apsis::diagnostics::test_particles: the host reads a velocity");
    velocities.push_back({v[0], v[1], v[2]});
  }
  auto const global = gather_values(context, std::move(velocities));
  return global.empty() ? Vec3<double>{} : global.front();
}

template <class Real>
double TestParticles<Real>::energy_error(Context const& context, Bodies<Real> const& bodies,
                                         Column<double> const& potential) {
  SpecificEnergy<Real> const energy{bodies, potential, reference(context, bodies)};
  if (!known_ || has_forgotten_) note_energies(context, energy, first_, scale_, known_);
  known_ = true;
  has_forgotten_ = false;
  return worst_error(context, energy, first_, scale_);
}

template <class Real>
void TestParticles<Real>::forget(ExecutionSpace const& space,
                                 std::vector<std::size_t> const& rows) {
  auto const scale = Kokkos::create_mirror_view(scale_);
  Kokkos::deep_copy(space, scale, scale_);
  space.fence("apsis::diagnostics::test_particles: the host reads the scales");
  for (auto const row : rows) scale(row) = -1.0;
  Kokkos::deep_copy(space, scale_, scale);
  space.fence("apsis::diagnostics::test_particles: the mirror is freed on return");
  has_forgotten_ = true;
}

template <class Real>
void TestParticles<Real>::exchange(ExecutionSpace const& space, SavedState& state) {
  state.exchange("test_particles/known", known_);
  state.exchange(space, "test_particles/first_energy", first_);
  state.exchange(space, "test_particles/energy_scale", scale_);
  has_forgotten_ = known_;
}

template class TestParticles<float>;
template class TestParticles<double>;

}  // namespace apsis::diagnostics
