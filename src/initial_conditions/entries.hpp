// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/initial_conditions/model.hpp>
#include <apsis/initial_conditions/random.hpp>

#include <functional>

/// The models, one function each; src/initial_conditions/models.cpp is their table.
namespace apsis::initial_conditions {

ModelEntry plummer_entry();
ModelEntry king_entry();
ModelEntry hernquist_entry();
ModelEntry jaffe_entry();
ModelEntry nfw_entry();
ModelEntry uniform_sphere_entry();
ModelEntry cuda_random_entry();
ModelEntry cuda_shell_entry();
ModelEntry cuda_expand_entry();
ModelEntry kepler_entry();
ModelEntry figure_eight_entry();
ModelEntry pythagorean_entry();
ModelEntry lagrange_triangle_entry();
ModelEntry solar_system_entry();
ModelEntry disk_galaxy_entry();
ModelEntry composite_entry();

/// Every generator but `composite`, without the keys that the driver answers to.
Registry<ModelEntry> const& simple_models();

/// `count` and `seed`, which every generator has.
std::vector<Parameter> with_count_and_seed(std::vector<Parameter> own);
std::int64_t requested_count(Values const& values);
std::uint64_t requested_seed(Values const& values);

/// Puts one body somewhere.
using Place =
    std::function<void(BodyRandom& random, Vec3<double>& position, Vec3<double>& velocity)>;
/// Places every body with random numbers of its own.
void place_each(HostBodies& bodies, Values const& values, Place const& place);

/// The virial ratio of equilibria: 2K = -W.
double in_equilibrium(Values const& values);

/// The count of a model that always has as many bodies.
template <std::int64_t bodies>
std::int64_t always(Values const& /*values*/) {
  return bodies;
}

}  // namespace apsis::initial_conditions
