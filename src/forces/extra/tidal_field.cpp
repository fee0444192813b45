// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/forces/extra_formula.hpp>

namespace apsis::forces {

namespace {

/// Tidal, centrifugal and Coriolis forces in the frame that rotates with a circular orbit, x away
/// from the centre of the galaxy and y along the orbit (Binney & Tremaine 2008, Galactic Dynamics,
/// equation 8.98; Fukushige & Heggie 2000, MNRAS 318, 753):
///   a = (2 omega v_y + (4 omega^2 - kappa^2) x, -2 omega v_x, -nu^2 z)
struct TidalField {
  double omega;            ///< angular velocity of the orbit [1 / time]
  double outward, upward;  ///< 4 omega^2 - kappa^2, nu^2

  template <class Number>
  KOKKOS_FUNCTION Push<Number> operator()(Particle<Number> const& body) const {
    auto const& x = body.position;
    auto const& v = body.velocity;
    Number const twice(2.0 * omega);
    return {{twice * v[1] + Number(outward) * x[0], -(twice * v[0]), -(Number(upward) * x[2])},
            Number(0.5) * (Number(upward) * (x[2] * x[2]) - Number(outward) * (x[0] * x[0]))};
  }
};

std::unique_ptr<ExtraForce> make_tidal_field(Values const& values, ExtraForceSetting const&,
                                             std::string const& where) {
  double const omega = values.number("omega");
  auto const frequency = [&](char const* name) {
    return values.has(name) ? values.number(name) : omega;
  };
  double const kappa = frequency("kappa"), nu = frequency("nu");
  ForceSelection selection{where};
  selection.conserved = [](bool, bool has_mass) {
    return ConservedSums{true, !has_mass, !has_mass, !has_mass, !has_mass};
  };
  return make_force(TidalField{omega, 4.0 * omega * omega - kappa * kappa, nu * nu},
                    std::move(selection));
}

}  // namespace

ExtraForceEntry tidal_field_entry() {
  ExtraForceEntry entry{
      "tidal_field",
      "tidal field of a circular orbit in a galaxy, in the frame that rotates with it: x outward, "
      "y along the orbit; the energy is Jacobi's",
      {number("omega", "angular velocity of the orbit [1 / time]").needed(),
       number("kappa",
              "epicyclic frequency [1 / time]; default: omega, as in the field of a point mass")
           .at_least(0.0),
       number("nu", "vertical frequency [1 / time]; default: omega").at_least(0.0)},
      make_tidal_field};
  entry.velocity_dependent = true;
  entry.cite = {"FukushigeHeggie2000"};
  return entry;
}

}  // namespace apsis::forces
