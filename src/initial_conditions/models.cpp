// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

namespace apsis::initial_conditions {

namespace {
/// Adds the parameter `henon_units` to every generator. The simulation rescales the bodies, because
/// it can measure the energy.
std::vector<ModelEntry> models_with_henon_units() {
  std::vector<ModelEntry> table(simple_models().begin(), simple_models().end());
  table.push_back(composite_entry());
  for (auto& model : table) {
    std::string const ratio = model.virial_ratio != nullptr ? "its virial ratio is exact"
                                                            : "its virial ratio is unchanged";
    model.parameters.push_back(
        boolean("henon_units", "rescale the model so that M = 1, E = -1/4 and " + ratio +
                                   ", with the softening of the run; needs G = 1")
            .with_default(false));
  }
  return table;
}
}  // namespace

Registry<ModelEntry> const& simple_models() {
  static Registry<ModelEntry> const table{
      "model",
      {plummer_entry(), king_entry(), hernquist_entry(), jaffe_entry(), nfw_entry(),
       uniform_sphere_entry(), uniform_cube_entry(), fractal_entry(), disk_galaxy_entry(),
       kepler_entry(), figure_eight_entry(), pythagorean_entry(), lagrange_triangle_entry(),
       solar_system_entry(), cuda_random_entry(), cuda_shell_entry(), cuda_expand_entry()}};
  return table;
}

Registry<ModelEntry> const& models() {
  static Registry<ModelEntry> const table{"model", models_with_henon_units()};
  return table;
}

std::vector<Parameter> with_count_and_seed(std::vector<Parameter> parameters) {
  parameters.insert(
      parameters.begin(),
      {integer("count", "number of bodies").at_least(0).at_most(0x1p53).needed(),
       integer("seed", "seed of the random numbers; the same seed gives the same bodies")
           .at_least(0)
           .at_most(0x1p53)
           .with_default(std::int64_t{0})});
  return parameters;
}

std::int64_t requested_count(Values const& values) {
  return values.integer("count");
}

std::uint64_t requested_seed(Values const& values) {
  return static_cast<std::uint64_t>(values.integer("seed"));
}

void draw_bodies(HostBodies& bodies, Values const& values, DrawBody const& draw) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    BodyRandom random(requested_seed(values), i);
    draw(random, bodies.position[i], bodies.velocity[i]);
  }
}

double equilibrium_virial_ratio(Values const& values) {
  return requested_virial_ratio(values).value_or(0.5);
}

}  // namespace apsis::initial_conditions
