// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/citation.hpp"
#include "initial_conditions/random.hpp"
#include <apsis/initial_conditions/model.hpp>

#include <functional>

/// Entries of the models, one function each; src/initial_conditions/models.cpp has the table.
namespace apsis::initial_conditions {

ModelEntry plummer_entry();
ModelEntry king_entry();
ModelEntry hernquist_entry();
ModelEntry jaffe_entry();
ModelEntry nfw_entry();
ModelEntry uniform_sphere_entry();
ModelEntry uniform_cube_entry();
ModelEntry fractal_entry();
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

/// Returns the parameters of a list of bodies and of the bodies in it.
std::vector<Parameter> list_parameters();
/// Returns the problems of a list. The list of a part may refer to bodies of earlier parts; such
/// references are checked when it is made.
std::vector<Problem> find_list_problems(Values const& values, bool is_part);
/// Makes the bodies of a list that follow the bodies `before`, to which their primaries may refer.
/// Throws a bad-input error, with `where` before the place in the list, for a wrong reference.
HostBodies make_list_after(Values const& values, double G, HostBodies const& before,
                           std::string const& where);

/// Table of all generators except `composite`, without the keys that the simulation handles.
Registry<ModelEntry> const& simple_models();

/// Returns the parameters of a generator preceded by `count` and `seed`.
std::vector<Parameter> with_count_and_seed(std::vector<Parameter> parameters);
std::int64_t requested_count(Values const& values);
std::uint64_t requested_seed(Values const& values);

/// Draws position and velocity of one body.
using DrawBody =
    std::function<void(BodyRandom& random, Vec3<double>& position, Vec3<double>& velocity)>;
/// Draws all bodies, each with its own random numbers.
void draw_bodies(HostBodies& bodies, Values const& values, DrawBody const& draw);

/// Returns the requested virial ratio, or else that of equilibria, 1/2: 2K = -W.
double equilibrium_virial_ratio(Values const& values);

/// Returns the number of bodies of a model with a fixed number of bodies.
template <std::int64_t bodies>
std::int64_t fixed_count(Values const& /*values*/) {
  return bodies;
}

}  // namespace apsis::initial_conditions
