// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/sphere_profiles.hpp"
#include "masses.hpp"

#include <numbers>

namespace apsis::initial_conditions {

namespace {

/// Scale radius of a Plummer sphere in Henon units (G = M = 1, E = -1/4).
constexpr double henon_scale_radius = 3.0 * std::numbers::pi / 16.0;

/// Default outer radius in scale radii: it encloses 0.999 of the mass of the infinite sphere, as in
/// Starlab, NEMO and AMUSE (22.8 in Henon units).
constexpr double default_truncation = 38.7;

/// Draws a speed in units of the local escape speed from g(q) = q^2 (1 - q^2)^(7/2) by rejection
/// below 0.1 (the maximum is 0.0922). Aarseth, Henon & Wielen 1974, equations A4 and A5.
double escape_speed_fraction(BodyRandom& random) {
  for (;;) {
    double const q = random.uniform();
    double const y = 0.1 * random.uniform();
    if (y < q * q * std::pow(1.0 - q * q, 3.5)) return q;
  }
}

HostBodies make_plummer(Values const& values, double G) {
  auto masses = drawn_masses(values);
  double const scale = values.number("scale_radius");
  double const truncation = values.number("truncation");
  // Fraction of the mass of the infinite sphere inside the truncation (equation A1). The bodies
  // have this mass; the mass outside would not accelerate them.
  double const inside = std::pow(1.0 + 1.0 / (truncation * truncation), -1.5);
  double const unit = std::sqrt(G * masses.total / inside / scale);  // unit of velocity
  return make_cluster(
      values, std::move(masses), G, [=](auto& random, auto& position, auto& velocity) {
        // Equation A2: radius that encloses a random fraction of the mass.
        double const fraction = inside * random.uniform();
        double const radius = 1.0 / std::sqrt(std::pow(fraction, -2.0 / 3.0) - 1.0);
        double const escape = std::numbers::sqrt2 * std::pow(1.0 + radius * radius, -0.25);
        position = scale * radius * random.direction();
        double const speed = escape_speed_fraction(random) * escape * unit;
        velocity = speed * random.direction();
      });
}

/// Ratio of the radius in the deck to the same radius in Henon units.
double length_scale(Values const& values, KingProfile const& king) {
  if (values.has("core_radius")) return values.number("core_radius") / king.core_radius;
  if (values.has("half_mass_radius")) {
    return values.number("half_mass_radius") / king.half_mass_radius;
  }
  return values.has("virial_radius") ? values.number("virial_radius") : 1.0;
}

HostBodies make_king(Values const& values, double G) {
  auto masses = drawn_masses(values);
  auto const king = king_profile(values.number("W0"));
  double const length = length_scale(values, king);
  double const unit = std::sqrt(G * masses.total / length) * king.velocity_scale;
  return make_cluster(
      values, std::move(masses), G, [&](auto& random, auto& position, auto& velocity) {
        double const radius = king.radius_of_mass(random.uniform());
        position = (length * radius) * random.direction();
        double const speed = unit * draw_king_speed(random, king.potential_at(radius));
        velocity = speed * random.direction();
      });
}

std::vector<Problem> check_king(Values const& values, Units const& units) {
  auto problems = check_masses(values, units);
  std::string other;
  for (auto const* name : {"virial_radius", "half_mass_radius", "core_radius"}) {
    if (!values.has(name)) continue;
    if (!other.empty()) {
      problems.push_back({name, "contradicts " + other, "each of them sets the size of the cluster",
                          "keep one of them"});
    }
    other = name;
  }
  return problems;
}

// Hernquist, Jaffe and NFW spheres: double power laws, isotropic, from Eddington's formula.

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
      {positive("scale_radius", std::move(scale_doc)).with_default_in_natural_units(scale),
       number("truncation", "r_t / scale_radius of the truncation of the density by sech(r / r_t)")
           .at_least(0.1)
           .at_most(1e6)
           .with_default(truncation)},
      make);
}

HostBodies make_uniform_sphere(Values const& values, double G) {
  auto masses = drawn_masses(values);
  double const radius = values.number("radius");
  // K = Q |W| with W = -3 G M^2 / (5 R) (Binney & Tremaine 2008, equation 2.41) and K = 3/2 M
  // sigma^2, but for the sampling errors, which the simulation removes.
  double const sigma = std::sqrt(0.4 * values.number("virial_ratio") * G * masses.total / radius);
  return make_cluster(values, std::move(masses), G,
                      [=](auto& random, auto& position, auto& velocity) {
                        double const r = radius * std::cbrt(random.uniform());
                        position = r * random.direction();
                        velocity = sigma * random.normal_vector();
                      });
}

/// Potential energy |W| of a homogeneous cube of side L in units of G M^2 / L: (1 + sqrt 2 - 2 sqrt
/// 3) / 5 - pi / 3 + ln((1 + sqrt 2) (2 + sqrt 3)) (Ciftja 2011, Physics Letters A 375, 766, the
/// Coulomb energy of a uniformly charged cube).
constexpr double cube_energy = 0.9411563221948303;

HostBodies make_uniform_cube(Values const& values, double G) {
  auto masses = drawn_masses(values);
  double const side = values.number("side");
  // K = 3/2 M sigma^2, but for the sampling errors, which the simulation removes.
  double const ratio = values.number("virial_ratio");
  double const sigma = std::sqrt(2.0 / 3.0 * ratio * cube_energy * G * masses.total / side);
  return make_cluster(values, std::move(masses), G,
                      [=](auto& random, auto& position, auto& velocity) {
                        position = 0.5 * side * random.in_cube();
                        velocity = sigma * random.normal_vector();
                      });
}

}  // namespace

ModelEntry plummer_entry() {
  return cited(
      cluster_entry(
          "plummer",
          "Plummer sphere in equilibrium (Aarseth, Henon & Wielen 1974), truncated far out, at the "
          "origin",
          {positive("scale_radius", "Plummer's a [length]; the default is that of Henon units")
               .with_default_in_natural_units(henon_scale_radius),
           number("truncation",
                  "outer radius in scale radii; 38.7, which encloses 0.999 of the mass of the "
                  "infinite sphere, as in Starlab, NEMO and AMUSE; NBODY6 has 10")
               .at_least(1.0)
               .at_most(1e6)
               .with_default(default_truncation)},
          make_plummer),
      {"Plummer1911", "AarsethHenonWielen1974", "Salmon2011"});
}

ModelEntry king_entry() {
  auto entry = cluster_entry(
      "king",
      "King model in equilibrium (King 1966, AJ 71, 64), isotropic, at the origin; its density "
      "ends at the tidal radius",
      {number("W0", "central potential over the squared velocity scale")
           .at_least(0.1)
           .at_most(16.0)
           .with_default(6.0),
       positive("virial_radius",
                "G M^2 / (2 |W|) [length]; set at most one of the three radii; without any of them "
                "the virial radius is 1 in dimensionless units, as in Henon units")
           .with_default_in_natural_units({})
           .needed_unless({"half_mass_radius", "core_radius"}),
       positive("half_mass_radius", "encloses half the mass [length]"),
       positive("core_radius", "King's r_c = 3 sigma / sqrt(4 pi G rho_0) [length]")},
      make_king);
  entry.check = check_king;
  entry.cite = {"King1966", "Salmon2011"};
  return entry;
}

ModelEntry hernquist_entry() {
  return cited(cusp_entry("hernquist",
                          "Hernquist sphere in equilibrium (Hernquist 1990, ApJ 356, 359), "
                          "isotropic, truncated far out, at the origin",
                          "a [length]; the default is that of Henon units without truncation",
                          1.0 / 3.0, 50.0, make_cusp<1, 4>),
               {"Hernquist1990", "McMillanDehnen2007", "Salmon2011"});
}

ModelEntry jaffe_entry() {
  return cited(cusp_entry("jaffe",
                          "Jaffe sphere in equilibrium (Jaffe 1983, MNRAS 202, 995), isotropic, "
                          "truncated far out, at the origin",
                          "r_J, which encloses half of the mass without truncation [length]; the "
                          "default is that of Henon units without truncation",
                          1.0, 10.0, make_cusp<2, 4>),
               {"Jaffe1983", "McMillanDehnen2007", "Salmon2011"});
}

ModelEntry nfw_entry() {
  return cited(
      cusp_entry("nfw",
                 "truncated halo of Navarro, Frenk & White (1996, ApJ 462, 563) in equilibrium, "
                 "isotropic, at the origin",
                 "r_s, the radius with the density slope -2 [length]", 1.0, 10.0, make_cusp<1, 3>),
      {"NavarroFrenkWhite1996", "McMillanDehnen2007", "Salmon2011"});
}

ModelEntry uniform_sphere_entry() {
  return cited(cluster_entry("uniform_sphere",
                             "sphere of constant density, cold (it collapses in pi/2 sqrt(R^3 / (2 "
                             "G M))) or with normal velocities",
                             {positive("radius", "R [length]").with_default_in_natural_units(1.0),
                              virial_ratio_key(0.0)},
                             make_uniform_sphere),
               {"Salmon2011"});
}

ModelEntry uniform_cube_entry() {
  return cited(
      cluster_entry("uniform_cube",
                    "cube of constant density about the origin, cold or with normal velocities",
                    {positive("side", "L, the length of its edges [length]")
                         .with_default_in_natural_units(1.0),
                     virial_ratio_key(0.0)},
                    make_uniform_cube, false),
      {"Salmon2011"});
}

}  // namespace apsis::initial_conditions
