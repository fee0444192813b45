// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/core/text.hpp>
#include <apsis/forces/extra_formula.hpp>

namespace apsis::forces {

namespace {

/// Sets an acceleration of -factor times the position.
template <class Number>
KOKKOS_FORCEINLINE_FUNCTION Push<Number> inward(Number const (&position)[3], Number const& factor,
                                                Number const& potential) {
  return {{-(factor * position[0]), -(factor * position[1]), -(factor * position[2])}, potential};
}

/// Place of a profile.
struct Centre {
  double place[3];

  /// The position relative to the centre.
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION void relative(Particle<Number> const& body,
                                            Number (&position)[3]) const {
    for (int axis = 0; axis < 3; ++axis) position[axis] = body.position[axis] - Number(place[axis]);
  }
};

template <class Number>
KOKKOS_FORCEINLINE_FUNCTION Number square_of(Number const& x) {
  return x * x;
}
template <class Number>
KOKKOS_FORCEINLINE_FUNCTION Number squared_length(Number const (&x)[3]) {
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

/// phi = -G M / sqrt(r^2 + a^2) (Plummer 1911, MNRAS 71, 460); a point mass if a = 0.
struct PlummerProfile {
  Centre centre;
  double strength;        ///< G M
  double radius_squared;  ///< a^2

  template <class Number>
  KOKKOS_FUNCTION Push<Number> operator()(Particle<Number> const& body) const {
    Number x[3];
    centre.relative(body, x);
    Number const s = squared_length(x) + Number(radius_squared);
    Number const depth = Number(strength) / square_root(s);
    return inward(x, depth / s, -depth);
  }
};

/// phi = v0^2 / 2 ln(r_c^2 + x^2 + y^2 + z^2 / q^2) (Binney & Tremaine 2008, Galactic Dynamics,
/// equation 2.71a).
struct LogarithmicProfile {
  Centre centre;
  double speed_squared;    ///< v0^2
  double radius_squared;   ///< r_c^2
  double inverse_squared;  ///< 1 / q^2

  template <class Number>
  KOKKOS_FUNCTION Push<Number> operator()(Particle<Number> const& body) const {
    Number x[3];
    centre.relative(body, x);
    Number const s = Number(radius_squared) + x[0] * x[0] + x[1] * x[1] +
                     Number(inverse_squared) * (x[2] * x[2]);
    Number const factor = Number(speed_squared) / s;
    auto push = inward(x, factor, Number(0.5 * speed_squared) * logarithm(s));
    push.acceleration[2] = Number(inverse_squared) * push.acceleration[2];
    return push;
  }
};

/// phi = -G M ln(1 + r / r_s) / r (Navarro, Frenk & White 1996, ApJ 462, 563), where M = 4 pi rho_s
/// r_s^3 is about the mass within 5.3 r_s.
struct NfwProfile {
  Centre centre;
  double strength;  ///< G M
  double radius;    ///< r_s

  template <class Number>
  KOKKOS_FUNCTION Push<Number> operator()(Particle<Number> const& body) const {
    Number x[3];
    centre.relative(body, x);
    Number const s = squared_length(x);
    if (!(value_of(s) > 0.0)) return inward(x, Number(0.0), Number(-strength / radius));
    Number const r = square_root(s), u = r / Number(radius);
    // L = ln(1 + u) / u, and m = (ln(1 + u) - u / (1 + u)) / u^2, whose terms cancel near 0.
    Number ratio, mass;
    constexpr double small = 0.05;
    if (value_of(u) < small) {
      constexpr int terms = 12;
      ratio = Number(0.0);
      mass = Number(0.0);
      for (int k = terms; k >= 0; --k) {
        double const sign = k % 2 == 0 ? 1.0 : -1.0;
        ratio = ratio * u + Number(sign / (k + 1));
        mass = mass * u + Number(sign * (k + 1.0) / (k + 2));
      }
    } else {
      Number const grown = Number(1.0) + u, log = logarithm(grown);
      ratio = log / u;
      mass = (log - u / grown) / (u * u);
    }
    Number const scale(strength / (radius * radius));
    return inward(x, scale * mass / r, Number(-strength / radius) * ratio);
  }
};

/// phi = -G M / sqrt(R^2 + (a + sqrt(z^2 + b^2))^2) (Miyamoto & Nagai 1975, PASJ 27, 533).
struct MiyamotoNagaiProfile {
  Centre centre;
  double strength;        ///< G M
  double radius;          ///< a
  double height_squared;  ///< b^2

  template <class Number>
  KOKKOS_FUNCTION Push<Number> operator()(Particle<Number> const& body) const {
    Number x[3];
    centre.relative(body, x);
    Number const height = square_root(x[2] * x[2] + Number(height_squared));
    Number const whole = Number(radius) + height;
    Number const s = x[0] * x[0] + x[1] * x[1] + square_of(whole);
    Number const depth = Number(strength) / square_root(s);
    auto push = inward(x, depth / s, -depth);
    push.acceleration[2] = push.acceleration[2] * (whole / height);
    return push;
  }
};

/// A profile, and which keys it has besides `centre`.
struct NamedProfile {
  char const* name;
  std::vector<char const*> needed, optional;
  std::unique_ptr<ExtraForce> (*make)(Values const&, Centre const&, double G, ForceSelection);
};

double number_in(Values const& values, char const* name, double otherwise = 0.0) {
  return values.has(name) ? values.number(name) : otherwise;
}

std::unique_ptr<ExtraForce> make_plummer(Values const& values, Centre const& centre, double G,
                                         ForceSelection selection) {
  double const a = number_in(values, "scale_radius");
  return make_force(PlummerProfile{centre, G * values.number("mass"), a * a}, std::move(selection));
}
std::unique_ptr<ExtraForce> make_logarithmic(Values const& values, Centre const& centre, double,
                                             ForceSelection selection) {
  double const v = values.number("velocity"), core = number_in(values, "scale_radius");
  double const q = number_in(values, "flattening", 1.0);
  return make_force(LogarithmicProfile{centre, v * v, core * core, 1.0 / (q * q)},
                    std::move(selection));
}
std::unique_ptr<ExtraForce> make_nfw(Values const& values, Centre const& centre, double G,
                                     ForceSelection selection) {
  return make_force(NfwProfile{centre, G * values.number("mass"), values.number("scale_radius")},
                    std::move(selection));
}
std::unique_ptr<ExtraForce> make_miyamoto_nagai(Values const& values, Centre const& centre,
                                                double G, ForceSelection selection) {
  double const b = values.number("scale_height");
  return make_force(MiyamotoNagaiProfile{centre, G * values.number("mass"),
                                         number_in(values, "scale_radius"), b * b},
                    std::move(selection));
}

std::vector<NamedProfile> const& profiles() {
  static std::vector<NamedProfile> const table{
      {"point_mass", {"mass"}, {}, make_plummer},
      {"plummer", {"mass", "scale_radius"}, {}, make_plummer},
      {"logarithmic", {"velocity"}, {"scale_radius", "flattening"}, make_logarithmic},
      {"nfw", {"mass", "scale_radius"}, {}, make_nfw},
      {"miyamoto_nagai", {"mass", "scale_height"}, {"scale_radius"}, make_miyamoto_nagai}};
  return table;
}

NamedProfile const& profile_in(Values const& values) {
  for (auto const& profile : profiles()) {
    if (values.text("profile") == profile.name) return profile;
  }
  APSIS_EXPECT(false, "the deck has checked the profile");
}

std::vector<Problem> check_profile(Values const& values) {
  std::vector<Problem> problems;
  auto const& profile = profile_in(values);
  auto const has = [](std::vector<char const*> const& names, std::string const& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (auto const* key : {"mass", "scale_radius", "scale_height", "velocity", "flattening"}) {
    bool const is_needed = has(profile.needed, key);
    if (is_needed && !values.has(key)) {
      problems.push_back({key, "missing key",
                          "the profile '" + std::string(profile.name) + "' has this parameter",
                          "give it"});
    } else if (values.has(key) && !is_needed && !has(profile.optional, key)) {
      problems.push_back({key, "contradicts profile",
                          "the profile '" + std::string(profile.name) + "' has no such parameter",
                          "remove it"});
    }
  }
  bool const is_nfw = std::string(profile.name) == "nfw";
  if (is_nfw && values.has("scale_radius") && !(values.number("scale_radius") > 0.0)) {
    problems.push_back({"scale_radius", "out of range", "the density would be infinite everywhere",
                        "give a length above 0"});
  }
  return problems;
}

std::unique_ptr<ExtraForce> make_external(Values const& values, ExtraForceSetting const& setting,
                                          std::string const& where) {
  auto const c = values.vector3("centre");
  ForceSelection selection{where};
  selection.conserved = [](bool, bool has_mass) {
    return ConservedSums{true, !has_mass, !has_mass, !has_mass, !has_mass};
  };
  return profile_in(values).make(values, {{c.x, c.y, c.z}}, setting.G, std::move(selection));
}

}  // namespace

ExtraForceEntry external_entry() {
  std::vector<std::string> names;
  for (auto const& profile : profiles()) names.emplace_back(profile.name);
  ExtraForceEntry entry{
      "external",
      "field of a galaxy or halo at rest: point mass, Plummer, logarithmic, NFW, Miyamoto-Nagai",
      {choice("profile", names,
              "point_mass, plummer (mass, scale_radius), logarithmic (velocity, scale_radius: of "
              "the core, flattening), nfw (mass: 4 pi rho_s r_s^3, scale_radius), miyamoto_nagai "
              "(mass, scale_radius, scale_height)")
           .needed(),
       number("mass", "mass of the profile [mass]").above(0.0),
       number("scale_radius", "scale radius; of a logarithmic profile that of the core [length]")
           .at_least(0.0),
       number("scale_height", "scale height b of miyamoto_nagai [length]").above(0.0),
       number("velocity", "circular velocity of a logarithmic profile far out [length / time]")
           .above(0.0),
       number("flattening", "axis ratio q of the potential of a logarithmic profile; 1").above(0.0),
       vector3("centre", "place of the centre [length]").with_default(Vec3<double>{})},
      make_external};
  entry.check = check_profile;
  entry.cite = {"NavarroFrenkWhite1996", "MiyamotoNagai1975"};
  return entry;
}

}  // namespace apsis::forces
