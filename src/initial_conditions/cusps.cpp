// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/profiles/spherical_model.hpp"
#include "masses.hpp"

/// Hernquist, Jaffe and NFW spheres: double power law densities with isotropic velocities from
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
  return make_cluster(values, std::move(masses), G,
                      [&](auto& random, auto& position, auto& velocity) {
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
      {number("scale_radius", std::move(scale_doc)).above(0.0).with_default_in_natural_units(scale),
       number("truncation", "r_t / scale_radius of the truncation of the density by sech(r / r_t)")
           .at_least(0.1)
           .at_most(1e6)
           .with_default(truncation)},
      make);
}

}  // namespace

ModelEntry hernquist_entry() {
  return cited(
      cusp_entry("hernquist",
                 "Hernquist sphere in equilibrium (Hernquist 1990, ApJ 356, 359), isotropic, "
                 "truncated far out, "
                 "at the origin",
                 "a [length]; the default is that of Henon units without truncation", 1.0 / 3.0,
                 50.0, make_cusp<1, 4>),
      {"Hernquist1990", "McMillanDehnen2007", "Salmon2011"});
}

ModelEntry jaffe_entry() {
  return cited(cusp_entry("jaffe",
                          "Jaffe sphere in equilibrium (Jaffe 1983, MNRAS 202, 995), isotropic, "
                          "truncated far out, at "
                          "the "
                          "origin",
                          "r_J, which encloses half of the mass without truncation [length]; the "
                          "default is that of "
                          "Henon units without truncation",
                          1.0, 10.0, make_cusp<2, 4>),
               {"Jaffe1983", "McMillanDehnen2007", "Salmon2011"});
}

ModelEntry nfw_entry() {
  return cited(
      cusp_entry("nfw",
                 "truncated halo of Navarro, Frenk & White (1996, ApJ 462, 563) in equilibrium, "
                 "isotropic, "
                 "at the origin",
                 "r_s, the radius with the density slope -2 [length]", 1.0, 10.0, make_cusp<1, 3>),
      {"NavarroFrenkWhite1996", "McMillanDehnen2007", "Salmon2011"});
}

}  // namespace apsis::initial_conditions
