// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "formats/bodies_formats.hpp"
#include "formats/planetary_files.hpp"
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/problems.hpp"
#include "support/relative.hpp"
#include "support/scratch.hpp"
#include <apsis/core/units.hpp>
#include <apsis/diagnostics/orbital_elements.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace apsis;
using testing::approximately;
using testing::contains;
using testing::refusal;
using testing::Scratch;

namespace {

std::string const star_line(79, '*');

/// A table in the layout of Horizons with numbers of our own.
std::string horizons_table(std::string const& target, std::string const& physics,
                           std::string const& rows, std::string const& units = "KM-S",
                           std::string const& columns = "JDTDB\n",
                           std::string const& centre = "Sun (10)") {
  return star_line + "\n Revised: 2021    " + target + "\n" + physics + "\n" + star_line +
         "\nTarget body name: " + target + "   {source: DE441}\nCenter body name: " + centre +
         "    {source: DE441}\nCenter-site name: BODY CENTER\n" + star_line +
         "\nOutput units    : " + units + "   \nReference frame : Ecliptic of J2000.0\n" +
         star_line + "\n" + columns + star_line + "\n$$SOE\n" + rows + "$$EOE\n" + star_line + "\n";
}

std::string const mars_rows =
    "2451544.500000000 = A.D. 2000-Jan-01 00:00:00.0000 TDB \n"
    " X = 2.069000000000000E+08 Y =-3.560000000000000E+06 Z =-5.147000000000000E+06\n"
    " VX= 1.304000000000000E+00 VY= 2.628000000000000E+01 VZ= 5.188000000000000E-01\n"
    " LT= 6.9E+02 RG= 2.0E+08 RR= 1.0E+00\n"
    "2451545.500000000 = A.D. 2000-Jan-02 00:00:00.0000 TDB \n"
    " X = 1.000000000000000E+08 Y = 1.000000000000000E+06 Z = 1.000000000000000E+06\n"
    " VX= 1.0E+00 VY= 2.0E+01 VZ= 5.0E-01\n";
std::string const mars_physics =
    "  GM 1-sigma, km^3/s^2  = 0.0028              Mass, x10^23 kg      = 7.0\n"
    "  GM, km^3/s^2          = 42828.375214    Vol. Mean Radius (km) = 3389.92+-0.04";

std::string mercury_file(std::string const& kind, std::string const& style,
                         std::string const& bodies, std::string const& epoch = "") {
  return ")O+_06 " + kind +
         "-body initial data  (WARNING: Do not delete this line!!)\n"
         ") Lines beginning with `)' are ignored.\n)---\n style (Cartesian, Asteroidal, "
         "Cometary) = " +
         style + "\n" + epoch + ")---\n" + bodies;
}

double const G_day = 1.3271244e20 * 86400.0 * 86400.0 / std::pow(149597870700.0, 3);

}  // namespace

TEST_CASE("Horizons: the first row of each table is a body, with the mass from GM") {
  auto const file = formats::read_horizons(
      horizons_table("Mars (499)", mars_physics, mars_rows) +
          horizons_table(
              "1 Ceres (A801 AA)", " GM= 62.6284             RAD= 469.7",
              "2451544.500000000, A.D. 2000-Jan-01 00:00:00.0000, 64.0, 1.0E+08, 2.0E+08, 3.0E+08, "
              "1.5, -2.5, 3.5,\n",
              "KM-S", "   JDTDB,   Calendar Date (TDB), delta-T,  X,  Y,  Z,  VX,  VY,  VZ,\n") +
          horizons_table("Rock", "GM= n.a.",
                         "2451544.5 = A.D. 2000-Jan-01 00:00:00.0000 (TDB)\n  1.0E+00 "
                         "2.0E+00 3.0E+00\n  4.0E+00 5.0E+00 6.0E+00\n"),
      "planets.txt");
  auto const& bodies = file.bodies;
  REQUIRE(bodies.size() == 3);
  CHECK(bodies.name == std::vector<std::string>{"Mars", "1 Ceres", "Rock"});
  CHECK(bodies.position[0] == Vec3<double>{2.069e8, -3.56e6, -5.147e6});
  CHECK(bodies.velocity[0] == Vec3<double>{1.304, 26.28, 0.5188});
  CHECK(bodies.mass[0] == approximately(42828.375214 / 1.3271244e11, 1e-15));
  CHECK(bodies.position[1] == Vec3<double>{1e8, 2e8, 3e8});
  CHECK(bodies.velocity[1] == Vec3<double>{1.5, -2.5, 3.5});
  CHECK(bodies.mass[1] == approximately(62.6284 / 1.3271244e11, 1e-15));
  CHECK(bodies.velocity[2] == Vec3<double>{4.0, 5.0, 6.0});
  CHECK(bodies.mass[2] == 0.0);
  CHECK(file.epoch == 2451544.5);
  CHECK(file.units->length == 1e3);
  CHECK(file.units->time == 1.0);
  std::string notes;
  for (auto const& note : file.unused) notes += note + "\n";
  CHECK(contains(notes, "all rows but the first of the table in line"));
  CHECK(contains(notes, "no mass of 'Rock'"));
  CHECK(contains(notes, "states are relative to Sun (10)"));

  auto const au = formats::read_horizons(
      horizons_table("Mars (499)", " Mass x10^23 (kg)      = 6.4171", mars_rows, "AU-D"), "m");
  CHECK(au.units->length == 149597870700.0);
  CHECK(au.units->time == 86400.0);
  CHECK(au.bodies.mass[0] == approximately(6.4171e23 / constants::solar_mass, 1e-15));
}

TEST_CASE(
    "Horizons: a table that is incomplete or contradicts another is refused with its "
    "line") {
  auto const problem = [](std::string const& text) {
    return refusal([&] { formats::read_horizons(text, "h.txt"); });
  };
  auto const mars = horizons_table("Mars (499)", "", mars_rows);
  CHECK(contains(problem("no table"), "h.txt: line 1: holds no vector table"));
  CHECK(contains(problem(mars.substr(0, mars.find("$$EOE"))), "the last table has no end"));
  CHECK(contains(problem(mars + horizons_table("Venus", "", mars_rows, "AU-D")),
                 "tables of several units"));
  CHECK(contains(problem(mars + horizons_table("Venus", "", mars_rows, "KM-S", "", "Earth (399)")),
                 "tables of several centres ('Sun (10)' and 'Earth (399)')"));
  auto later = mars_rows;
  later.replace(0, 9, "2451546.5");
  CHECK(contains(problem(mars + horizons_table("Venus", "", later)),
                 "tables of several times (Julian dates 2451544.5 and 2451546.5)"));
  CHECK(contains(
      problem(horizons_table("Mars", "", "2451544.5 = A.D. 2000-Jan-01\n X = 1 Y = 2 Z = 3\n")),
      "a row without VX"));
  CHECK(contains(
      problem(horizons_table("Mars", "", "2451544.5 = A.D. 2000-Jan-01\n X = 1 Y = ? Z = 3\n")),
      "Y is no number (found '?')"));
  CHECK(contains(problem(horizons_table("Mars", "", mars_rows, "furlongs")), "unknown units"));
  CHECK(contains(problem(horizons_table("Mars", "", "")), "an empty table"));
}

TEST_CASE("mercury6: Cartesian, asteroidal and cometary bodies about the central body") {
  auto const cartesian = formats::read_mercury(
      mercury_file(
          "Big", "Cartesian",
          " JUPITER  m=9.547E-04 r=3.d0 d=1.33\n 4.8D+00 1.1 -0.1\n -1.7E-03  7.0E-03 1E-5\n"
          " 0. 0. 0.\n SATURN m= 2.858D-4\n 9 1 2\n 1 2 3\n 0 0 0\n",
          " epoch (in days) = 2451000.5\n"),
      "big.in", 1.0);
  REQUIRE(cartesian.bodies.size() == 3);
  CHECK(cartesian.bodies.name == std::vector<std::string>{"central", "JUPITER", "SATURN"});
  CHECK(cartesian.bodies.mass == std::vector<double>{1.0, 9.547e-4, 2.858e-4});
  CHECK(cartesian.bodies.position[1] == Vec3<double>{4.8, 1.1, -0.1});
  CHECK(cartesian.bodies.velocity[2] == Vec3<double>{1.0, 2.0, 3.0});
  CHECK(cartesian.epoch == 2451000.5);

  // Elements a e I g n M.
  auto const asteroid = formats::read_mercury(
      mercury_file(
          "Small", "Asteroidal",
          " APOLLO    ep=2450400.5\n 1.4710345  .5600245  6.35621 285.63908  35.92313  15.77656  "
          "0  0  0\n"),
      "small.in", 2.0);
  REQUIRE(asteroid.bodies.size() == 1);
  CHECK(asteroid.epoch == 2450400.5);
  constexpr double degree = std::numbers::pi / 180.0;
  auto const orbit = diagnostics::orbital_elements(G_day, 2.0, asteroid.bodies.position[0],
                                                   asteroid.bodies.velocity[0]);
  CHECK(orbit.semi_major_axis == approximately(1.4710345, 1e-13));
  CHECK(orbit.eccentricity == approximately(0.5600245, 1e-13));
  CHECK(orbit.inclination == approximately(6.35621 * degree, 1e-12));
  CHECK(orbit.argument_of_pericentre == approximately(285.63908 * degree, 1e-12));
  CHECK(orbit.ascending_node == approximately(35.92313 * degree, 1e-12));
  CHECK(orbit.mean_anomaly == approximately(15.77656 * degree, 1e-12));

  // Elements q e I g n T: 20 days before pericentre, a parabola.
  auto const comet = formats::read_mercury(
      mercury_file("Small", "Com", " C1 ep=100\n 0.5 1.0 90 0 0 120\n 0 0 0\n"), "small.in", 1.0);
  // Barker's equation: D + D^3 / 3 = t sqrt(G / (2 q^3)), r = q (1 + D^2).
  double const W = 20.0 * std::sqrt(G_day / (2.0 * 0.125));
  double D = W;
  for (int i = 0; i < 100; ++i) D -= (D + D * D * D / 3.0 - W) / (1.0 + D * D);
  CHECK(norm(comet.bodies.position[0]) == approximately(0.5 * (1.0 + D * D), 1e-13));
  CHECK(dot(comet.bodies.position[0], comet.bodies.velocity[0]) < 0.0);
}

TEST_CASE("mercury6: sizes, densities and spins are listed as not used") {
  auto const unused = [](std::string const& values, std::string const& spin = "0 0 0") {
    return formats::read_mercury(
               mercury_file("Big", "Cart", " A m=1 " + values + "\n 1 2 3 4 5 6 " + spin + "\n"),
               "big.in", 1.0)
        .unused;
  };
  using Texts = std::vector<std::string>;
  CHECK(unused("a1=0").empty());
  CHECK(unused("r=3.d0 d=1.33") == Texts{"close-encounter radii (r) and densities (d) of the "
                                         "bodies, which have no radius"});
  CHECK(unused("d=1 a1=2 k=3", "0 0 1") ==
        Texts{"densities (d), spins and values 'a1', 'k' of the bodies, which have no radius"});
  CHECK(unused("", "1 0 0") == Texts{"spins of the bodies"});
}

TEST_CASE("mercury6: wrong files are refused with the line") {
  auto const problem = [](std::string const& text) {
    return refusal([&] { formats::read_mercury(text, "b.in", 1.0); });
  };
  CHECK(contains(problem("hello\n"), "b.in: line 1: not a file of mercury6"));
  CHECK(contains(problem(mercury_file("Big", "Polar", "")), "b.in: line 4: unknown style"));
  CHECK(contains(problem(mercury_file("Big", "Cart", " A m=1\n 1 2 3\n 4 5 x\n 0 0 0\n")),
                 "b.in: line 8: a value of 'A' is no number (found 'x')"));
  CHECK(contains(problem(mercury_file("Big", "Cart", " A m=1\n 1 2 3\n 4 5 6\n")),
                 "too few values for 'A' (6 instead of 9"));
  CHECK(contains(problem(mercury_file("Big", "Cart", " A m=-1\n 1 2 3 4 5 6 0 0 0\n")),
                 "negative mass"));
  CHECK(contains(problem(mercury_file("Big", "Ast", " A m=1\n 1 1.5 3 4 5 6 0 0 0\n")),
                 "invalid orbit of 'A' (a is 1 and e 1.5)"));
  CHECK(
      contains(problem(mercury_file("Small", "Cart",
                                    " A ep=1\n 1 2 3 4 5 6 0 0 0\n B ep=2\n 1 2 3 4 5 6 0 0 0\n")),
               "bodies at several epochs"));
}

TEST_CASE("files of planets are recognised, and their numbers are converted to units of the deck") {
  Scratch const folder;
  files::write_file(folder / "mars.txt", horizons_table("Mars (499)", mars_physics, mars_rows));
  files::write_file(folder / "big.in",
                    mercury_file("Big", "Cart", " A m=1e-3\n 1 0 0 0 0.01 0 0 0 0\n"));
  files::write_file(
      folder / "twins.in",
      mercury_file("Big", "Cart", " A m=1e-3\n 1 0 0 0 1 0 0 0 0\n A\n 2 0 0 0 1 0 0 0 0\n"));
  CHECK(formats::format_of(folder / "mars.txt") == "horizons");
  CHECK(formats::format_of(folder / "big.in") == "mercury");
  CHECK(contains(refusal([&] { formats::read_bodies(folder / "twins.in", "mercury"); }),
                 "two bodies have the name 'A'"));
  CHECK(contains(refusal([&] { formats::read_bodies(folder / "mars.txt", "text"); }),
                 "looks like a table of JPL Horizons"));
  CHECK(contains(refusal([&] { formats::write_bodies(folder / "x.in", "mercury", {}); }),
                 "are only read"));

  auto const deck = [&](std::string const& name, std::string const& system,
                        std::string const& more = "") {
    return R"({"units": {"system": ")" + system + R"("}, "bodies": {"file": ")" +
           (folder / name).string() + "\"" + more +
           R"(}, "integrator": {"time_step": 0.01}, "run": {"steps": 1}})";
  };
  auto const mars = testing::configured(deck("mars.txt", "solar"), {}).bodies.file->bodies;
  CHECK(mars.position[0].x == approximately(2.069e8 / 149597870.7, 1e-15));
  CHECK(mars.velocity[0].y == approximately(26.28 * 365.25 * 86400.0 / 149597870.7, 1e-15));
  CHECK(mars.mass[0] == approximately(42828.375214 / 1.3271244e11, 1e-15));
  auto const big =
      testing::configured(deck("big.in", "solar", R"(, "central_mass": 0.5)"), {}).bodies.file;
  CHECK(big->bodies.mass[0] == 0.5);
  CHECK(big->bodies.velocity[1].y == approximately(3.6525, 1e-15));
  CHECK(contains(testing::problems_of(deck("big.in", "henon"), {}),
                 "bodies.file: contradicts units"));
  CHECK(contains(testing::problems_of(deck("mars.txt", "solar", R"(, "central_mass": 0.5)"), {}),
                 "has no central body"));
}
