// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

namespace apsis::initial_conditions {

namespace {
/// Every generator can be asked for Henon units; the driver does it, who can measure the energy.
std::vector<ModelEntry> all_with_henon_units() {
  std::vector<ModelEntry> all(simple_models().begin(), simple_models().end());
  all.push_back(composite_entry());
  for (auto& model : all) {
    std::string const ratio =
        model.virial_ratio != nullptr ? "its virial ratio is exact" : "its virial ratio is kept";
    model.parameters.push_back(
        boolean("henon_units", "rescale the finished model so that M = 1, E = -1/4 and " + ratio +
                                   ", with the run's own softening; needs G = 1")
            .or_else(false));
  }
  return all;
}
}  // namespace

Registry<ModelEntry> const& simple_models() {
  static Registry<ModelEntry> const table{
      "model",
      {plummer_entry(), king_entry(), hernquist_entry(), jaffe_entry(), nfw_entry(),
       uniform_sphere_entry(), disk_galaxy_entry(), kepler_entry(), figure_eight_entry(),
       pythagorean_entry(), lagrange_triangle_entry(), solar_system_entry(), cuda_random_entry(),
       cuda_shell_entry(), cuda_expand_entry()}};
  return table;
}

Registry<ModelEntry> const& models() {
  static Registry<ModelEntry> const table{"model", all_with_henon_units()};
  return table;
}

std::vector<Parameter> with_count_and_seed(std::vector<Parameter> own) {
  own.insert(own.begin(),
             {integer("count", "number of bodies").at_least(0).at_most(0x1p53).needed(),
              integer("seed", "of the random numbers; the same seed gives the same bodies")
                  .at_least(0)
                  .at_most(0x1p53)
                  .or_else(std::int64_t{0})});
  return own;
}

std::int64_t requested_count(Values const& values) {
  return values.integer("count");
}

std::uint64_t requested_seed(Values const& values) {
  return static_cast<std::uint64_t>(values.integer("seed"));
}

void place_each(HostBodies& bodies, Values const& values, Place const& place) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    BodyRandom random(requested_seed(values), i);
    place(random, bodies.position[i], bodies.velocity[i]);
  }
}

double in_equilibrium(Values const& /*values*/) {
  return 0.5;
}

}  // namespace apsis::initial_conditions
