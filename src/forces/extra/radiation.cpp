// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/forces/extra_formula.hpp>

#include <algorithm>

namespace apsis::forces {

namespace {

/// Radiation pressure and Poynting-Robertson drag (Burns, Lamy & Soter 1979, Icarus 40, 1, equation
/// 5), to first order in v / c:
///   a = beta G M / r^2 [ (1 - (v . n) / c) n - v / c ],  n = r / r
struct RadiationPush {
  double strength;  ///< G
  double over_c;

  template <class Number>
  KOKKOS_FUNCTION Push<Number> operator()(Particle<Number> const& body) const {
    auto const& x = body.position;
    auto const& v = body.velocity;
    Number const s = body.squared_distance(), r = square_root(s);
    Number const pressure = Number(body.coefficient * strength * body.source_mass) / s;
    Number const inverse(over_c);
    Number const radial = Particle<Number>::dot(x, v) / r;
    Number const along_position = pressure * (Number(1.0) - inverse * radial) / r;
    Number const along_velocity = -(pressure * inverse);
    Push<Number> push;
    for (int k = 0; k < 3; ++k) {
      push.acceleration[k] = along_position * x[k] + along_velocity * v[k];
    }
    // The pressure has a potential, the drag has none.
    push.potential = pressure * r;
    return push;
  }
};

std::unique_ptr<ExtraForce> make_radiation(Values const& values, ExtraForceSetting const& setting,
                                           std::string const& where) {
  auto const& beta = values.object("beta");
  double const value = beta.number("value");
  ForceSelection selection{where, id_in(values, "from"), "from"};
  std::optional<std::uint8_t> kind;
  if (beta.has("species")) kind = static_cast<std::uint8_t>(beta.integer("species"));
  if (beta.has("ids")) {
    for (double const id : beta.numbers("ids")) {
      selection.targets.push_back(static_cast<std::uint64_t>(id));
    }
  }
  selection.coefficient = [value, kind, ids = selection.targets](std::uint64_t id, double mass,
                                                                 std::uint8_t species) {
    bool const is_listed = std::find(ids.begin(), ids.end(), id) != ids.end();
    bool const is_selected = kind ? species == *kind : !ids.empty() ? is_listed : mass == 0.0;
    return is_selected ? value : 0.0;
  };
  selection.conserved = [](bool has_massive_targets, bool) {
    bool const is_massless = !has_massive_targets;
    return ConservedSums{is_massless, is_massless, is_massless, true, false};
  };
  return make_force(RadiationPush{setting.G, 1.0 / values.number("c")}, std::move(selection));
}

std::vector<Problem> check_radiation(Values const& values) {
  auto const& beta = values.object("beta");
  std::vector<Problem> problems;
  if (beta.has("species") && beta.has("ids")) {
    problems.push_back(
        {"beta.ids", "contradicts beta.species", "each selects bodies", "keep one of them"});
  }
  if (!beta.has("ids")) return problems;
  for (double const id : beta.numbers("ids")) {
    if (id >= 0.0 && id <= 0x1p53 && id == static_cast<double>(static_cast<std::uint64_t>(id)))
      continue;
    problems.push_back(
        {"beta.ids", "not a list of ids", "ids are whole numbers >= 0", "give ids of bodies"});
    break;
  }
  return problems;
}

}  // namespace

ExtraForceEntry radiation_entry() {
  ExtraForceEntry entry{
      "radiation",
      "radiation pressure and Poynting-Robertson drag of a star on dust (Burns, Lamy & Soter 1979)",
      {source_parameter("from", "id of the star"),
       object(
           "beta",
           {number("value", "radiation pressure over gravity of the star").at_least(0.0).needed(),
            integer("species",
                    "acts on bodies of this particle type, 0 to 5; default: on "
                    "massless bodies")
                .at_least(0)
                .at_most(species_types::count - 1),
            numbers("ids", "acts on the bodies with these ids; default: on massless bodies")},
           "bodies on which the radiation acts, and how strongly")
           .needed(),
       speed_of_light_parameter()},
      make_radiation};
  entry.velocity_dependent = true;
  entry.has_source = true;
  entry.has_potential = false;
  entry.needs_speed_of_light = true;
  entry.check = check_radiation;
  entry.cite = {"Burns1979"};
  return entry;
}

}  // namespace apsis::forces
