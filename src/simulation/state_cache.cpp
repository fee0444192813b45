// SPDX-License-Identifier: Apache-2.0
#include "state_cache.hpp"

#include <apsis/bodies/transfer.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace apsis::simulation {

namespace {

/// Returns the values of the bodies that are not gone, out of one for each body or none.
template <class Value>
std::shared_ptr<std::vector<Value> const> present_values(
    BodyEvents const& events, std::shared_ptr<std::vector<Value> const> const& values) {
  if (events.gone() == 0 || values->empty()) return values;
  std::vector<Value> present;
  for (std::size_t row = 0; row < values->size(); ++row) {
    if (!events.is_gone(row)) present.push_back((*values)[row]);
  }
  return std::make_shared<std::vector<Value> const>(std::move(present));
}

}  // namespace

StateCache::StateCache(Method& method, BodyLabels const& labels, BodyEvents const& events)
    : method_(method),
      labels_(labels),
      events_(events),
      own_potential_(Kokkos::view_alloc(method.context().space, "apsis::simulation::potential"),
                     method.bodies().size()) {}

WholeBodies StateCache::gather(bool present_accelerations) const {
  return {method_.context().space,
          method_.gravity(),
          method_.gather(events_.present_rows(), present_accelerations),
          present_values(events_, labels_.species()),
          events_.radii(),
          present_values(events_, labels_.names())};
}

WholeBodies& StateCache::whole(bool potentials) {
  if (!cached_.whole) cached_.whole = gather(false);
  if (potentials && !cached_.whole->potential) {
    compute_potential();
    auto const potential = gather_column(method_.context(), own_potential_);
    auto const* const rows = events_.present_rows();
    cached_.whole->potential =
        rows ? select_rows(method_.context().space, potential, *rows) : potential;
  }
  return *cached_.whole;
}

diagnostics::Measurement const& StateCache::measure(
    std::optional<diagnostics::TestParticles>& test_particles) {
  if (!cached_.measurement) {
    compute_potential();
    auto const& context = method_.context();
    auto& measurement = cached_.measurement.emplace(
        diagnostics::measure(context, method_.bodies(), own_potential_));
    // Potentials of forces besides gravity belong to one body, those of gravity to pairs, of which
    // measure() has taken half.
    if (auto const* const extra = method_.extra_forces()) {
      measurement.extra_energy = method_.energy_of_extra_forces();
      measurement.potential += 0.5 * measurement.extra_energy;
      measurement.conserved = extra->conserved();
    }
    measurement.moved = events_.moved();
    if (test_particles) {
      measurement.test_particle_energy_error =
          test_particles->energy_error(context, method_.bodies(), own_potential_);
    }
  }
  return *cached_.measurement;
}

void StateCache::compute_potential() {
  if (!cached_.own_potential) method_.evaluate_potential(own_potential_, false);
  cached_.own_potential = true;
}

}  // namespace apsis::simulation
