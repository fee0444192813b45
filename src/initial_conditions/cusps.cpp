// SPDX-License-Identifier: Apache-2.0
#include "masses.hpp"
#include <apsis/initial_conditions/spherical_model.hpp>

/// Hernquist, Jaffe and NFW spheres: one density with two slopes, and isotropic velocities from
/// Eddington's formula.
namespace apsis::initial_conditions {

namespace {

template <int inner, int outer>
HostBodies make_cusp(Values const& values, double G) {
  auto masses = drawn_masses(values);
  if (masses.each.empty()) return {};
  double const scale = values.number("scale_radius");
  SphericalModel const sphere(
      double_power_law(inner, outer, scale, values.number("truncation") * scale), masses.total, G);
  return cluster(values, std::move(masses), [&](auto& random, auto& position, auto& velocity) {
    double const radius = sphere.radius_of_mass(random.uniform());
    position = radius * random.direction();
    double const speed = sphere.draw_speed(random, radius);
    velocity = speed * random.direction();
  });
}

ModelEntry cusp_entry(std::string name, std::string doc, std::string scale_doc, double scale,
                      double truncation, HostBodies (*make)(Values const&, double G)) {
  return cluster_entry(
      std::move(name), std::move(doc),
      {number("scale_radius", std::move(scale_doc)).above(0.0).or_else_in_natural_units(scale),
       number("truncation", "the density is cut by sech(r / r_t) at this r_t / scale_radius")
           .at_least(0.1)
           .at_most(1e6)
           .or_else(truncation)},
      make);
}

}  // namespace

ModelEntry hernquist_entry() {
  return cusp_entry(
      "hernquist",
      "Hernquist sphere in equilibrium (Hernquist 1990, ApJ 356, 359), isotropic, cut far out, "
      "at the origin",
      "a [length]; the default, uncut, is that of Henon units", 1.0 / 3.0, 50.0, make_cusp<1, 4>);
}

ModelEntry jaffe_entry() {
  return cusp_entry(
      "jaffe",
      "Jaffe sphere in equilibrium (Jaffe 1983, MNRAS 202, 995), isotropic, cut far out, at the "
      "origin",
      "r_J, which encloses half the uncut mass [length]; the default, uncut, is that of "
      "Henon units",
      1.0, 10.0, make_cusp<2, 4>);
}

ModelEntry nfw_entry() {
  return cusp_entry(
      "nfw",
      "truncated halo of Navarro, Frenk & White (1996, ApJ 462, 563) in equilibrium, isotropic, "
      "at the origin",
      "r_s, where the slope of the density is -2 [length]", 1.0, 10.0, make_cusp<1, 3>);
}

}  // namespace apsis::initial_conditions
