// SPDX-License-Identifier: Apache-2.0
#include "apsis/forces/extra.hpp"

#include "entries.hpp"

#include <utility>

namespace apsis::forces {

Parameter speed_of_light_parameter() {
  return number("c", "speed of light [length / time]; default: that of the units").above(0.0);
}
Parameter source_parameter(char const* name, char const* doc) {
  return integer(name, doc).at_least(0).at_most(0x1p53).with_default(std::int64_t{0});
}
std::uint64_t id_in(Values const& values, char const* name) {
  return static_cast<std::uint64_t>(values.integer(name));
}
double inverse_square(double c) {
  return 1.0 / (c * c);
}

ConservedSums& ConservedSums::operator&=(ConservedSums const& other) {
  energy = energy && other.energy;
  momentum = momentum && other.momentum;
  angular_momentum = angular_momentum && other.angular_momentum;
  internal_energy = internal_energy && other.internal_energy;
  massless_energies = massless_energies && other.massless_energies;
  return *this;
}

std::unique_ptr<ExtraForce> PlannedForce::make(ExtraForceSetting const& setting) const {
  return entry->make(values, setting, where);
}

ExtraForces::ExtraForces(std::vector<PlannedForce> const& plans, ExtraForceSetting const& setting) {
  for (auto const& plan : plans) {
    forces_.push_back(plan.make(setting));
    is_field_.push_back(fixes_frame(*plan.entry));
    has_fields_ = has_fields_ || is_field_.back();
    depends_on_velocity_ = depends_on_velocity_ || plan.entry->velocity_dependent;
  }
}

void ExtraForces::bind(Context const& context, BodiesOfForces const& bodies) {
  conserved_ = {};
  for (auto const& force : forces_) {
    force->bind(context, bodies);
    conserved_ &= force->conserved();
  }
}

template <class Stored>
void ExtraForces::add(Context const& context, Request<Stored> const& request, double time,
                      bool only_fields) const {
  APSIS_EXPECT(request.is_among_sources(), "forces besides gravity act on bodies only");
  auto const add_all = [&](ForcePass pass) {
    for (std::size_t k = 0; k < forces_.size(); ++k) {
      if (!only_fields || is_field_[k]) forces_[k]->add(context, request, time, pass);
    }
  };
  add_all(ForcePass::values);
  // The rates of velocities are the accelerations by all forces, which are now complete.
  if (request.wanted.has(Wants::snap)) {
    add_all(ForcePass::snaps);
  } else if (request.wanted.has(Wants::jerk)) {
    add_all(ForcePass::jerks);
  }
}

template <class Stored>
double ExtraForces::energy(Context const& context, Bodies<Stored> const& bodies,
                           double time) const {
  double sum = 0.0;
  for (auto const& force : forces_) sum += force->energy(context, bodies, time);
  return sum;
}

template void ExtraForces::add(Context const&, Request<float> const&, double, bool) const;
template void ExtraForces::add(Context const&, Request<double> const&, double, bool) const;
template double ExtraForces::energy(Context const&, Bodies<float> const&, double) const;
template double ExtraForces::energy(Context const&, Bodies<double> const&, double) const;

namespace {

AddedEntries<ExtraForceEntry>& added_forces() {
  static AddedEntries<ExtraForceEntry> added;
  return added;
}

}  // namespace

void add_extra_force(ExtraForceEntry entry) {
  added_forces().add(std::move(entry));
}

Registry<ExtraForceEntry> const& extra_forces() {
  static Registry<ExtraForceEntry> const table{
      "force", added_forces().after({external_entry(), tidal_field_entry(), oblate_entry(),
                                     post_newtonian_entry(), schwarzschild_entry(),
                                     einstein_infeld_hoffmann_entry(), radiation_entry()})};
  return table;
}

}  // namespace apsis::forces
