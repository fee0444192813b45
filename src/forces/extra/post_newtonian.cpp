// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/forces/extra_formula.hpp>

namespace apsis::forces {

namespace {

/// First post-Newtonian precession of pericentres by a potential
///   phi = -3 (G M)^2 / (c^2 r^2)
/// (Nobili & Roxburgh 1986, in Relativity in Celestial Mechanics and Astrometry, 105). It gives the
/// right precession, 6 pi G M / (c^2 a (1 - e^2)) per orbit; other effects are not those of
/// general relativity.
struct PrecessionPotential {
  double strength;  ///< G
  double over_c_squared;

  template <class Number>
  KOKKOS_FUNCTION Push<Number> operator()(Particle<Number> const& body) const {
    double const mu = strength * body.source_mass;
    Number const s = body.squared_distance();
    Number const potential = Number(-3.0 * mu * mu * over_c_squared) / s;
    Number const factor = Number(2.0) * potential / s;
    auto const& x = body.position;
    return {{factor * x[0], factor * x[1], factor * x[2]}, potential};
  }
};

/// First post-Newtonian acceleration of a light body about a heavy one, harmonic coordinates
/// (Anderson et al. 1975, ApJ 200, 221, equation 12):
///   a = G M / (c^2 r^3) [ (4 G M / r - v^2) r + 4 (r . v) v ]
/// The potential is what it adds to the conserved energy per mass:
///   3 v^4 / 8 + 3 G M v^2 / (2 r) + (G M / r)^2 / 2, over c^2.
struct SchwarzschildPush {
  double strength;  ///< G
  double over_c_squared;

  template <class Number>
  KOKKOS_FUNCTION Push<Number> operator()(Particle<Number> const& body) const {
    auto const& x = body.position;
    auto const& v = body.velocity;
    Number const s = body.squared_distance(), r = square_root(s);
    Number const depth = Number(strength * body.source_mass) / r;
    Number const speed_squared = Particle<Number>::dot(v, v);
    Number const scale = Number(over_c_squared) * depth / s;
    Number const along_position = scale * (Number(4.0) * depth - speed_squared);
    Number const along_velocity = Number(4.0) * scale * Particle<Number>::dot(x, v);
    Push<Number> push;
    for (int k = 0; k < 3; ++k) {
      push.acceleration[k] = along_position * x[k] + along_velocity * v[k];
    }
    push.potential = Number(over_c_squared) *
                     (Number(0.375) * speed_squared * speed_squared +
                      Number(1.5) * depth * speed_squared + Number(0.5) * depth * depth);
    return push;
  }
};

std::vector<Parameter> relativity_parameters() {
  return {source_parameter("around", "id of the heavy body"), speed_of_light_parameter()};
}

std::unique_ptr<ExtraForce> make_post_newtonian(Values const& values,
                                                ExtraForceSetting const& setting,
                                                std::string const& where) {
  ForceSelection selection{where, id_in(values, "around"), "around", true};
  return make_force(PrecessionPotential{setting.G, inverse_square(values.number("c"))},
                    std::move(selection));
}

std::unique_ptr<ExtraForce> make_schwarzschild(Values const& values,
                                               ExtraForceSetting const& setting,
                                               std::string const& where) {
  ForceSelection selection{where, id_in(values, "around"), "around", true};
  // Conserved to first order in (v / c)^2, and for massive bodies to first order in their masses.
  selection.conserved = [](bool has_massive_targets, bool) {
    bool const is_exact = !has_massive_targets;
    return ConservedSums{is_exact, true, is_exact, true, false};
  };
  return make_force(SchwarzschildPush{setting.G, inverse_square(values.number("c"))},
                    std::move(selection));
}

}  // namespace

ExtraForceEntry post_newtonian_entry() {
  ExtraForceEntry entry{
      "post_newtonian",
      "relativistic precession about a heavy body by a potential (Nobili & Roxburgh 1986)",
      relativity_parameters(), make_post_newtonian};
  entry.has_source = true;
  entry.needs_speed_of_light = true;
  entry.cite = {"NobiliRoxburgh1986"};
  return entry;
}

ExtraForceEntry schwarzschild_entry() {
  ExtraForceEntry entry{
      "schwarzschild",
      "first post-Newtonian force of a heavy body on light ones (Anderson et al. 1975)",
      relativity_parameters(), make_schwarzschild};
  entry.velocity_dependent = true;
  entry.has_source = true;
  entry.needs_speed_of_light = true;
  entry.cite = {"Anderson1975"};
  return entry;
}

}  // namespace apsis::forces
