// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/test_particles.hpp"

#include <apsis/bodies/transfer.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/core/views.hpp>
#include <apsis/diagnostics/conservation.hpp>

#include <vector>

namespace apsis::diagnostics {

namespace {

/// Specific energy v^2 / 2 + phi, with the velocity relative to the massive body.
struct SpecificEnergy {
  ReadBodies bodies;
  Column<double> potential;
  Vec3<double> reference;  ///< velocity of the massive body

  KOKKOS_FUNCTION double kinetic(std::size_t i) const {
    auto const v = row(bodies.velocity, i) - reference;
    return 0.5 * dot(v, v);
  }
  KOKKOS_FUNCTION double operator()(std::size_t i) const { return kinetic(i) + potential(i); }
};

/// Velocity of the massive body, which may belong to any rank; 0 if there is none. `massive`:
/// its row, below 0 if this rank does not have it.
Vec3<double> velocity_of(Context const& context, ReadBodies const& bodies, std::ptrdiff_t massive) {
  auto const velocity = bodies.velocity;
  auto const body = static_cast<std::size_t>(massive);
  return fixed_order_sum<Vec3<double>>(
      context, "apsis::diagnostics::test_particles::reference", massive < 0 ? 0 : 1,
      KOKKOS_LAMBDA(std::size_t) { return row(velocity, body); });
}

void note_energies(ExecutionSpace const& space, SpecificEnergy const& energy,
                   Column<double> const& first, Column<double> const& scale, bool only_forgotten) {
  for_each_body(
      space, "apsis::diagnostics::test_particles::note_energies", first.extent(0),
      KOKKOS_LAMBDA(std::size_t i) {
        if (only_forgotten && scale(i) >= 0.0) return;
        first(i) = energy(i);
        scale(i) = energy_scale(energy.kinetic(i), energy.potential(i)).value;
      });
}

double worst_error(Context const& context, SpecificEnergy const& energy,
                   Column<double> const& first, Column<double> const& scale) {
  return largest<double>(
      context, "apsis::diagnostics::test_particles::energy_error", first.extent(0),
      KOKKOS_LAMBDA(std::size_t i) {
        if (energy.bodies.mass(i) != 0.0) return 0.0;
        double const error =
            EnergyScale{EnergyMeasure::energy, scale(i)}.error(energy(i) - first(i));
        // A maximum would ignore NaN.
        return error >= 0.0 ? error : Kokkos::Experimental::infinity_v<double>;
      });
}

}  // namespace

TestParticles::TestParticles(ExecutionSpace const& space, ReadBodies const& bodies)
    : first_(Kokkos::view_alloc(space, "apsis::diagnostics::test_particles::first"), bodies.size()),
      scale_(Kokkos::view_alloc(space, "apsis::diagnostics::test_particles::scale"),
             bodies.size()) {
  auto const mass = values_on_host(space, bodies.mass);
  for (std::size_t i = 0; i < mass.size(); ++i) {
    if (mass[i] != 0.0) massive_ = static_cast<std::ptrdiff_t>(i);
  }
}

double TestParticles::energy_error(Context const& context, ReadBodies const& bodies,
                                   Column<double> const& potential) {
  SpecificEnergy const energy{bodies, potential, velocity_of(context, bodies, massive_)};
  if (!known_ || has_forgotten_) note_energies(context, energy, first_, scale_, known_);
  known_ = true;
  has_forgotten_ = false;
  return worst_error(context, energy, first_, scale_);
}

void TestParticles::forget(ExecutionSpace const& space, std::vector<std::size_t> const& rows) {
  auto scale = values_on_host(space, scale_);
  for (auto const row : rows) scale[row] = -1.0;
  Kokkos::deep_copy(space, scale_, unmanaged(scale));
  space.fence("apsis::diagnostics::test_particles: the copy on the host is freed on return");
  has_forgotten_ = true;
}

void TestParticles::exchange(ExecutionSpace const& space, SavedState& state) {
  state.exchange("test_particles/known", known_);
  state.exchange(space, "test_particles/first_energy", first_);
  state.exchange(space, "test_particles/energy_scale", scale_);
  has_forgotten_ = known_;
}

}  // namespace apsis::diagnostics
