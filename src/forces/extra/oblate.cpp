// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/forces/extra_formula.hpp>

namespace apsis::forces {

namespace {

/// Quadrupole of an oblate body, with z along its axis:
///   phi = J2 G M R^2 / (2 r^3) (3 z^2 / r^2 - 1)
/// (Murray & Dermott 1999, Solar System Dynamics, equation 6.218).
struct OblateBody {
  double strength;  ///< G J2 R^2; times the mass of the source
  double axis[3];   ///< unit vector

  template <class Number>
  KOKKOS_FUNCTION Push<Number> operator()(Particle<Number> const& body) const {
    auto const& x = body.position;
    Number const s = body.squared_distance();
    Number const height = Number(axis[0]) * x[0] + Number(axis[1]) * x[1] + Number(axis[2]) * x[2];
    Number const cosine_squared = height * height / s;
    // J2 G M R^2 / r^3
    Number const scale = Number(strength * body.source_mass) / (s * square_root(s));
    Number const factor = Number(1.5) * scale / s;
    Number const along_position = factor * (Number(5.0) * cosine_squared - Number(1.0));
    Number const along_axis = Number(-2.0) * factor * height;
    Push<Number> push;
    for (int k = 0; k < 3; ++k) {
      push.acceleration[k] = along_position * x[k] + along_axis * Number(axis[k]);
    }
    push.potential = Number(0.5) * scale * (Number(3.0) * cosine_squared - Number(1.0));
    return push;
  }
};

std::unique_ptr<ExtraForce> make_oblate(Values const& values, ExtraForceSetting const& setting,
                                        std::string const& where) {
  auto const axis = values.vector3("axis");
  double const R = values.number("R"), over_length = 1.0 / norm(axis);
  ForceSelection selection{where, id_in(values, "body"), "body", true};
  // The axis stays as it is, so the torque on it is lost.
  selection.conserved = [](bool has_massive_targets, bool) {
    ConservedSums sums;
    sums.angular_momentum = !has_massive_targets;
    return sums;
  };
  return make_force(OblateBody{setting.G * values.number("J2") * R * R,
                               {over_length * axis.x, over_length * axis.y, over_length * axis.z}},
                    std::move(selection));
}

std::vector<Problem> check_oblate(Values const& values) {
  if (norm(values.vector3("axis")) > 0.0) return {};
  return {{"axis", "has no direction", "its length is 0", "give a vector along the axis"}};
}

}  // namespace

ExtraForceEntry oblate_entry() {
  ExtraForceEntry entry{
      "oblate",
      "quadrupole J2 of a body that its rotation has flattened, with a fixed axis",
      {source_parameter("body", "id of the oblate body"),
       number("J2", "coefficient of the quadrupole, such as 1.0826e-3 of the Earth").needed(),
       number("R", "equatorial radius to which J2 refers [length]").above(0.0).needed(),
       vector3("axis", "direction of the axis of rotation").with_default(Vec3<double>{0, 0, 1})},
      make_oblate};
  entry.has_source = true;
  entry.check = check_oblate;
  entry.cite = {"Apsis"};
  return entry;
}

}  // namespace apsis::forces
