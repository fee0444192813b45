// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

namespace apsis::initial_conditions {

Parameter centring() {
  return boolean("centre", "whether the centre of mass is moved to the origin and brought to rest")
      .with_default(false);
}

bool is_centred(Values const& bodies) {
  return bodies.has("centre") && bodies.boolean("centre");
}

void centre(HostBodies& bodies) {
  auto const centre = centre_of_mass(bodies);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies.position[i] = bodies.position[i] - centre.position;
    bodies.velocity[i] = bodies.velocity[i] - centre.velocity;
  }
}

void bring_to_rest(HostBodies& bodies, std::size_t first, std::size_t count) {
  double mass = 0.0;
  Vec3<double> momentum;
  for (std::size_t i = first; i < first + count; ++i) {
    mass += bodies.mass[i];
    momentum += bodies.mass[i] * bodies.velocity[i];
  }
  if (!(mass > 0.0)) return;
  auto const mean_velocity = (1.0 / mass) * momentum;
  for (std::size_t i = first; i < first + count; ++i) {
    bodies.velocity[i] = bodies.velocity[i] - mean_velocity;
  }
}

void bring_to_rest(HostBodies& bodies) {
  bring_to_rest(bodies, 0, bodies.size());
}

namespace {

Parameter ratio_key(std::string const& rest) {
  return number("virial_ratio",
                "scale the velocities in the centre-of-mass frame so that K / |W| has this value, "
                "with the softening of the run: 1/2 in equilibrium; " +
                    rest);
}

/// Adds `henon_units` to every generator. The simulation, which measures energies, rescales.
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

Parameter virial_ratio_key() {
  return ratio_key("default: velocities are not scaled").above(0.0);
}

Parameter virial_ratio_key(double default_ratio) {
  return ratio_key("0 is at rest").at_least(0.0).with_default(default_ratio);
}

std::optional<double> requested_virial_ratio(Values const& values) {
  return values.has("virial_ratio") ? std::optional(values.number("virial_ratio")) : std::nullopt;
}

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
