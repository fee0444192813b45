// SPDX-License-Identifier: Apache-2.0
#include "support/relative.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/units.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <utility>

using namespace apsis;
using apsis::testing::approximately;

namespace {
double relative(double value, double expected) {
  return std::abs(value / expected - 1.0);
}
}  // namespace

TEST_CASE("every named unit has its exact SI value") {
  // IAU 2012 B2, 2015 B2 and B3, CODATA 2018, computed independently of the code.
  std::pair<char const*, double> const expected[]{
      {"au", 149597870700.0},
      {"pc", 3.0856775814913673e16},
      {"kpc", 3.0856775814913673e19},
      {"Mpc", 3.0856775814913673e22},
      {"m", 1.0},
      {"km", 1000.0},
      {"cm", 0.01},
      {"Msun", 1.9884098706980507e30},
      {"Mjup", 1.8981246e27},
      {"Mearth", 5.9721679e24},
      {"kg", 1.0},
      {"g", 0.001},
      {"s", 1.0},
      {"day", 86400.0},
      {"yr", 31557600.0},
      {"Myr", 3.15576e13},
      {"Gyr", 3.15576e16},
  };
  CHECK(named_units().size() == std::size(expected));
  for (auto const& [name, si] : expected) {
    CAPTURE(name);
    REQUIRE(find_unit(name) != nullptr);
    bool const of_planet = std::string(name) == "Mjup" || std::string(name) == "Mearth";
    CHECK(find_unit(name)->si == approximately(si, of_planet ? 1e-7 : 1e-15));
  }
}

TEST_CASE("G of the 'solar' units agrees with Gauss's gravitational constant") {
  // k = 0.01720209895 per day defined the au until 2012: G = (365.25 k)^2.
  double const gauss = std::pow(365.25 * 0.01720209895, 2);
  CHECK(relative(unit_systems().get("solar").G, gauss) < 1e-9);
  CHECK(relative(unit_systems().get("solar").G, 39.4769) < 1e-6);
}

TEST_CASE("G of the 'astrophysical' units agrees with PeTar, which uses the tropical year") {
  double const tropical = 365.24219 / 365.25;
  double const petar = 0.00449830997959438;
  CHECK(relative(unit_systems().get("astrophysical").G * tropical * tropical, petar) < 1e-6);
  // Both systems use the same Sun: G M_sun is the same number in SI units.
  auto const mu = [](Units const& units) {
    return units.G * std::pow(units.si->length, 3) / std::pow(units.si->time, 2);
  };
  CHECK(relative(mu(unit_systems().get("astrophysical")), 1.3271244e20) < 1e-14);
  CHECK(relative(mu(unit_systems().get("solar")), 1.3271244e20) < 1e-14);
}

TEST_CASE("constants: a parsec is 3.0857e16 m, the Sun 1.9884e30 kg, 1 pc/Myr 0.9778 km/s") {
  CHECK(relative(constants::parsec, 3.0856775814913673e16) < 1e-15);
  CHECK(relative(constants::solar_mass, 1.98841e30) < 1e-6);
  auto const& units = unit_systems().get("astrophysical");
  CHECK(relative(*units.velocity_in_km_s(), 0.97779222) < 1e-8);
  // The Earth moves at 29.78 km/s: 2 pi au/yr.
  auto const& solar = unit_systems().get("solar");
  CHECK(relative(2.0 * std::numbers::pi * *solar.velocity_in_km_s(), 29.785) < 1e-4);
  CHECK_FALSE(unit_systems().get("henon").velocity_in_km_s().has_value());
}

TEST_CASE(
    "custom units have the G of CODATA in SI units, and the G of 'solar' for its unit values") {
  CHECK(custom_units({1.0, 1.0, 1.0}).G == 6.67430e-11);
  auto const& solar = unit_systems().get("solar");
  CHECK(relative(custom_units(*solar.si).G, solar.G) < 1e-15);
  // Kilometres, kilotonnes and hours: three different powers.
  auto const odd = custom_units({1e3, 1e6, 3600.0});
  CHECK(relative(odd.G, 6.67430e-11 * 1e6 * 3600.0 * 3600.0 / 1e9) < 1e-15);
}

TEST_CASE("a number's unit is written from its dimension") {
  auto const& units = unit_systems().get("astrophysical");
  CHECK(units.name(dimension::none) == "");
  CHECK(units.name(dimension::length) == "pc");
  CHECK(units.name(dimension::velocity) == "pc Myr^-1");
  CHECK(units.name(dimension::momentum) == "Msun pc Myr^-1");
  CHECK(units.name(dimension::energy) == "Msun pc^2 Myr^-2");
  CHECK(unit_systems().get("solar").name(dimension::velocity) == "au yr^-1");
  CHECK(unit_systems().get("henon").name(dimension::energy) == "mass length^2 time^-2");
  auto const custom = custom_units({10.0, 3.0, 2.0});
  CHECK(custom.length == "10 m");
  CHECK(custom.name(dimension::velocity) == "5 m s^-1");
  CHECK(custom.name(dimension::energy) == "75 kg m^2 s^-2");
  CHECK(custom.name(dimension::none) == "");
  CHECK(custom_units({1.0, 1.0, 1.0}).name(dimension::length) == "m");
}

TEST_CASE("'henon' is the first system of units, and the names are unique") {
  CHECK(unit_systems().front().system == "henon");
  CHECK(unit_systems().front().G == 1.0);
  std::set<std::string> names;
  for (auto const& units : unit_systems()) names.insert(units.system);
  CHECK(names.size() == unit_systems().size());
  CHECK_THROWS_AS(unit_systems().get("imperial"), Error);
}

TEST_CASE("units are found by name, ignoring case where that is unambiguous") {
  CHECK(find_unit("kpc")->si == approximately(3.0856775814913672e19));
  CHECK(find_unit("MSUN")->dimension == dimension::mass);
  CHECK(find_unit("AU")->name == "au");
  CHECK(find_unit("solar_mass")->name == "Msun");
  for (auto const* none : {"mpc", "MPC", "G", "M", "S", "furlong", "", "k-p-c"}) {
    CAPTURE(none);
    CHECK(find_unit(none) == nullptr);
  }
  CHECK(find_unit("Mpc")->si == approximately(3.0856775814913672e22));
}

TEST_CASE("custom units are shown by their common names") {
  auto const gadget = custom_units({3.085678e19, 1.989e40, 3.0857e16});
  CHECK(gadget.with_short_unit("1.5", dimension::length) == "1.5 kpc");
  CHECK(gadget.with_short_unit("48", dimension::mass) == "48 x 1e10 Msun");
  CHECK(gadget.with_short_unit("2", dimension::time) == "2 x 3.09e+16 s (1.96 Gyr)");
  CHECK(gadget.with_short_unit("2", dimension::none) == "2");
  CHECK(gadget.short_words().starts_with(
      "custom: kpc, 1e10 Msun, 3.09e+16 s (velocities in 0.999993 km/s), G = 430"));
  CHECK(unit_systems().front().short_words() == "henon: G = 1");
  CHECK(unit_systems().get("solar").with_short_unit("2", dimension::time) == "2 yr");
  CHECK(unit_systems().front().with_short_unit("2", dimension::time) == "2");
}

TEST_CASE("quantities are parsed: a unit, a number with a unit, a length over a time") {
  CHECK(unit_in("km/s")->si == 1e3);
  CHECK(unit_in("km/s")->dimension == dimension::velocity);
  CHECK(unit_in("km/s")->exact);
  CHECK_FALSE(unit_in("KPC")->exact);
  CHECK(relative(quantity_in("1e10 Msun")->si, 1.98841e40) < 1e-6);
  CHECK(quantity_in(" 2.5  pc ")->si == 2.5 * constants::parsec);
  CHECK(quantity_in("au/yr")->dimension == dimension::velocity);
  for (auto const* none : {"", "1e10", "s/km", "km/km", "km/s/s", "-1 pc", "0 pc", "nan pc",
                           "inf pc", "1 2 pc", "1 pc pc", "pc 1", "mpc", "1e999 pc", "1x pc"}) {
    CAPTURE(none);
    CHECK_FALSE(quantity_in(none));
  }
}
