// SPDX-License-Identifier: Apache-2.0
#include "formats/text_bodies.hpp"
#include "support/contains.hpp"
#include "support/problems.hpp"
#include "support/relative.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <locale>

using namespace apsis;
using apsis::testing::approximately;
using testing::contains;
using testing::refusal;

namespace {

using Names = std::vector<std::string>;

formats::BodiesFile read_text(std::string const& text) {
  return formats::read_text_bodies({text, "f"});
}
std::string refused_text(std::string const& text) {
  return refusal([&] { read_text(text); });
}

/// Checks the two bodies that all tables of the next test contain.
void check_two(formats::BodiesFile const& file) {
  CHECK(file.bodies.mass == std::vector<double>{1.5, 0.0});
  CHECK(file.bodies.position == std::vector<Vec3<double>>{{1, 2, 3}, {-1, -2e-3, 30}});
  CHECK(file.bodies.velocity == std::vector<Vec3<double>>{{4, 5, 6}, {0.5, 0.25, -6}});
  CHECK(file.time == 0.0);
}

}  // namespace

TEST_CASE("text: equivalent spellings of a table give the same bodies") {
  for (auto const* const text : {
           "1.5 1 2 3 4 5 6\n0 -1 -2e-3 30 .5 0.25 -6\n",
           "1.5 1 2 3 4 5 6\n0 -1 -2e-3 30 .5 0.25 -6",
           "1.5 1 2 3 4 5 6\r\n0 -1 -2e-3 30 .5 0.25 -6\r\n",
           "\xEF\xBB\xBF# a comment\n\n \t\n  +1.5\t1  2 3 4 5 6 # more\n0 -1 -2E-3 3e1 .5 0.25 -6 "
           "\n",
           "1.5,1,2,3,4,5,6\n0, -1, -2e-3, 30, .5, 0.25, -6\n",
           "mass,x,y,z,vx,vy,vz\n1.5,1,2,3,4,5,6\n0,-1,-2e-3,30,.5,0.25,-6\n",
           "vz x y z vx vy mass\n6 1 2 3 4 5 1.5\n-6 -1 -2e-3 30 .5 .25 0\n",
           "# vz, x, y, z, vx, vy, mass\n6 1 2 3 4 5 1.5\n-6 -1 -2e-3 30 .5 .25 0\n",
       }) {
    CAPTURE(text);
    auto const file = read_text(text);
    check_two(file);
    CHECK_FALSE(file.has_ids);
    CHECK(file.bodies.id == std::vector<std::uint64_t>{0, 1});
    CHECK(file.unused.empty());
  }
  for (
      auto const* const text : {
          "id mass x y z vx vy vz\n18446744073709551615 1.5 1 2 3 4 5 6\n7 0 -1 -2e-3 30 .5 .25 -6",
          "# id mass x y z vx vy vz\n18446744073709551615 1.5 1 2 3 4 5 6\n7 0 -1 -2e-3 30 .5 .25 "
          "-6",
          "mass,x,y,z,vx,vy,vz,id\n1.5,1,2,3,4,5,6,18446744073709551615\n0,-1,-2e-3,30,.5,.25,-6,7",
      }) {
    CAPTURE(text);
    auto const file = read_text(text);
    check_two(file);
    CHECK(file.has_ids);
    CHECK(file.bodies.id == std::vector<std::uint64_t>{18446744073709551615U, 7});
  }
  // Other comments are ignored, however many words they have.
  check_two(read_text(
      "# these are all the bodies of it\n# x marks the spot: mass of a y\n1.5 1 2 3 4 5 6\n"
      "0 -1 -2e-3 30 .5 .25 -6"));
  auto const more =
      read_text("type,mass,x,y,z,vx,vy,vz,phi\na,1.5,1,2,3,4,5,6,?\n,0,-1,-2e-3,30,.5,.25,-6,");
  check_two(more);
  CHECK(more.unused == Names{"columns 'type', 'phi'"});
  CHECK(read_text("").bodies.size() == 0);
  CHECK(read_text("# nothing\n\n").bodies.size() == 0);
}

TEST_CASE("text: units after names are not part of the names, and reported as unused") {
  std::string const rows = "1,2,3,4,5,6,1.5\n-1,-2e-3,30,.5,.25,-6,0\n";
  auto const named =
      read_text("x (pc),y (pc),z (pc),vx (km/s),vy (km/s),vz (km/s),m (Msun)\n" + rows);
  check_two(named);
  REQUIRE(named.unused.size() == 1);
  CHECK(contains(named.unused[0], "the units of line 1, 'x (pc)'"));
  check_two(read_text("\"x\",\"y\",\"z\",\"vx\",\"vy\",\"vz\",\"mass\"\n" + rows));
  check_two(read_text("# x[au] y[au] z[au] vx vy vz m[Msun]\n" + rows));
  check_two(read_text("# x y z vx vy vz m   (au, au/yr, Msun)\n" + rows));
  auto const above = read_text("# Msun pc pc pc km/s km/s km/s\n1 1 2 3 4 5 6\n");
  REQUIRE(above.unused.size() == 1);
  CHECK(contains(above.unused[0], "'Msun pc pc pc km/s km/s km/s'"));
  CHECK(read_text("# units: solar\n# in Msun, au\n1 1 2 3 4 5 6\n").unused.empty());
  for (auto const* prose :
       {"# the Sun and Jupiter", "# written on the second day", "# from the MPC"}) {
    CAPTURE(prose);
    CHECK(read_text(std::string(prose) + "\n1 1 2 3 4 5 6\n").unused.empty());
  }
  CHECK(contains(refused_text("# units: solar\n# units: henon\n1 1 2 3 4 5 6\n"),
                 "line 2: units for the second time"));
}

TEST_CASE("text: units are recognised by name") {
  auto const units_of = [](std::string const& words) {
    auto const file = read_text("# units: " + words + "\n1 1 2 3 4 5 6\n");
    REQUIRE(file.units);
    return *file.units;
  };
  for (auto const* words : {"pc Msun km/s", "length pc, mass Msun, velocity km/s",
                            "Msun, 1000 m/s, 1 parsec", "MSUN PC km/s",
                            "LENGTH 3.0856775814913672e16 m, "
                            "velocity 1 km/s, mass 1 Msun"}) {
    CAPTURE(words);
    auto const si = units_of(words);
    CHECK(si.length == approximately(3.0856775814913672e16, 1e-14));
    CHECK(si.mass == approximately(1.98840987e30, 1e-8));
    CHECK(si.time == approximately(3.0856775814913672e13, 1e-14));
  }
  CHECK(units_of("kpc 1e10 Msun Gyr").mass == approximately(1.98840987e40, 1e-8));
  for (auto const* words :
       {"pc Msun", "pc Msun Myr km/s", "pc pc Msun Myr", "pc Msun Myr 3",
        "length Msun, mass pc, time s", "pc Msun parsnips", "-1 pc Msun Myr", "mpc Msun Myr",
        "Msun 1e10, kpc, km/s", "G km s", "solar Msun pc Myr", "henon au Msun yr"}) {
    CAPTURE(words);
    CHECK(contains(refused_text("# units: " + std::string(words) + "\n1 1 2 3 4 5 6\n"),
                   "units that are not understood"));
  }
}

TEST_CASE("text: the unnamed index column of pandas is ignored") {
  auto const table =
      read_text(",mass,x,y,z,vx,vy,vz\n0,1.5,1,2,3,4,5,6\n1,0,-1,-2e-3,30,.5,.25,-6\n");
  check_two(table);
  CHECK(table.unused == std::vector<std::string>{"columns '(without a name)'"});
  CHECK_FALSE(table.has_ids);
}

TEST_CASE("text: a comment that names the columns in unknown words is an error") {
  std::string const rows = "1.5 1 2 3 4 5 6\n0 -1 -2e-3 30 .5 .25 -6\n";
  for (std::string const comment :
       {"# x y z u v w m", "# x1 x2 x3 v1 v2 v3 mass", "# Position Velocity Mass",
        "# pos vel m (pc, km/s, Msun)", "# mass x y z vx vy vy",
        "# 0: x\n# 1: y\n# 2: z\n# 3: vx\n# 4: vy\n# 5: vz\n# 6: m", "#x y z\n#vx vy vz\n#m"}) {
    CAPTURE(comment);
    auto const message = refused_text(comment + "\n" + rows);
    CHECK(contains(message, "names of columns that are not understood"));
    CHECK(contains(message, "write the names as one line of mass, x, y, z, vx, vy and vz"));
    // A line of names or a comment with known names resolves the ambiguity.
    CHECK(read_text(comment + "\nmass x y z vx vy vz\n" + rows).bodies.size() == 2);
    CHECK(read_text(comment + "\n# mass x y z vx vy vz\n" + rows).bodies.size() == 2);
  }
  // Comments without meaning, and comments that state the default order.
  for (std::string const comment :
       {"# 1.0 0 0 0 0 0 0", "# 1 2 3 4 5 6 7", "# t=0 N=2 E=-0.25 v1.2 a b c",
        "# columns: mass x y z vx vy vz", "# mass, x y z, vx vy vz", "# Mass Position Velocity",
        "# mass in Msun; x, y, z in au; vx, vy, vz in au/yr", "# (mass, x, y, z, vx, vy, vz)",
        "# the mass of it all is what counts", "# a cluster by King, seed 7"}) {
    CAPTURE(comment);
    check_two(read_text(comment + "\n" + rows));
  }
  std::string const turned = "1 2 3 4 5 6 1.5\n-1 -2e-3 30 .5 .25 -6 0\n";
  for (std::string const comment :
       {"# Columns: x y z vx vy vz m", "# (x, y, z, vx, vy, vz, m)", "# [x, y, z, vx, vy, vz, m]",
        "# x, y, z in pc; vx vy vz in km/s; m in Msun", "#pos_x,pos_y,pos_z,vel_x,vel_y,vel_z,mass",
        "# xpos ypos zpos xvel yvel zvel mass", "# pos-x pos-y pos-z vel-x vel-y vel-z mass"}) {
    CAPTURE(comment);
    check_two(read_text(comment + "\n" + turned));
  }
  auto const message = read_text("# Col 1-3 position, col 4-6 velocity, col 7 mass\n" + rows);
  CHECK(message.unused ==
        Names{"comments about the columns: they are read as mass x y z vx vy vz"});
  auto const more = read_text("# id x y z vx vy vz m phi\n7 1 2 3 4 5 6 1.5 -1\n");
  CHECK(more.bodies.id.front() == 7);
  CHECK(more.bodies.mass.front() == 1.5);
  REQUIRE(more.unused.size() == 1);
  CHECK(contains(more.unused[0], "the columns of other names"));
  CHECK(read_text("mass x y z vx vy vz\n# units: Solar\n" + rows).unit_system == "solar");
  CHECK(read_text("# UNITS: solar\n" + rows).unit_system == "solar");
  CHECK(read_text("# units of whatever kind\n" + rows).unit_system.empty());
  for (auto const* comment : {"# units astrophysical", "# Units = solar", "#units   SOLAR"}) {
    CAPTURE(comment);
    CHECK(contains(refused_text(comment + ("\n" + rows)), "units that are not understood"));
  }
}

TEST_CASE("text: lines may cross block boundaries, and have a maximum length") {
  std::string text;
  std::size_t const many = 100000;  // several blocks
  for (std::size_t i = 0; i < many; ++i) text += std::to_string(i) + " 1 2 3 4 5 6.25 # and more\n";
  auto const file = read_text(text);
  REQUIRE(file.bodies.size() == many);
  for (std::size_t i = 0; i < many; ++i) {
    REQUIRE(file.bodies.mass[i] == static_cast<double>(i));
    REQUIRE(file.bodies.velocity[i].z == 6.25);
  }
  std::string const longest(65536, ' ');
  CHECK(read_text("1 2 3 4 5 6 7" + longest.substr(13) + "\n1 2 3 4 5 6 7").bodies.size() == 2);
  CHECK(refused_text("1 2 3 4 5 6 7\n" + longest + " \n") ==
        "f: line 2: too long (more than 65536 bytes); check that it is a table of "
        "bodies as text");
  CHECK(contains(refused_text(std::string(3 << 20, '1')), "f: line 1: too long"));
}

TEST_CASE("text: numbers do not depend on the locale") {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  auto const before = std::locale::global(std::locale(std::locale(), new Comma));
  auto const file = read_text("1.5 1 2 3 4 5 6\n0 -1 -2e-3 30 .5 0.25 -6\n");
  Names lost;
  auto const text = formats::write_text_bodies(file, {}, lost);
  std::locale::global(before);
  check_two(file);
  CHECK(contains(text, "\n1.5 1 2 3 4 5 6\n0 -1 -0.002 30 0.5 0.25 -6\n"));
}

TEST_CASE("text: errors state line and column, several at once") {
  CHECK(refused_text("# masses\n1 0 0 0 0 0 0\n1 0 zero 0 0 0 1.5x\n-1 0 0 0 0 nan 0\r\n1 2 3\n") ==
        "f: line 3, column 3 (y): not a number (found 'zero'); write a decimal number\n"
        "f: line 3, column 7 (vz): not a number (found '1.5x'); write a decimal number\n"
        "f: line 4, column 1 (mass): negative mass (found '-1'); remove or correct the body\n"
        "f: line 4, column 6 (vy): not finite (found 'nan'); remove or correct the body\n"
        "f: line 5: wrong number of columns (3 instead of 7); write mass x y z vx vy vz, or name "
        "the columns in the first line");
  CHECK(contains(refused_text("inf 0 0 0 0 0 0"), "line 1, column 1 (mass): not finite"));
  CHECK(contains(refused_text("1 0 0 0 0 0 1e999"), "column 7 (vz): a number out of range"));
  CHECK(contains(refused_text("1 0 0 0 0 0 +-1"), "not a number (found '+-1')"));
  CHECK(contains(refused_text("1 0 0 0 0 0 0x1"), "not a number (found '0x1')"));
  CHECK(contains(refused_text("1,0,0,0,0,0,"), "column 7 (vz): not a number (found '')"));
  CHECK(
      contains(refused_text("1 0 0 0 0 0 0\n1,0,0,0,0,0,0"), "line 2: wrong number of columns (1"));
  CHECK(contains(refused_text("1 0 0 0 0 0 0 0"), "or name the columns in the first line"));
  CHECK(contains(refused_text("1 0 0 0 0 0 " + std::string(9999, 'a')),
                 "'" + std::string(40, 'a') + "...'"));
  // An invalid file gives at most ten errors and a final line.
  std::string nonsense;
  for (int i = 0; i < 100; ++i) nonsense += std::string(i, '?') + " 1 0 0 0 0 0\n";
  auto const lines = refused_text(nonsense);
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 10);
  CHECK(contains(lines, "f: line 10: reading stopped here"));
}

TEST_CASE("text: a problem of many lines is one, with their number") {
  std::string narrow;
  for (int i = 0; i < 100; ++i) narrow += "1 0 0 0 0 0\n";
  CHECK(refused_text(narrow) ==
        "f: line 1: wrong number of columns (6 instead of 7, and 99 further lines); write mass x y "
        "z vx vy vz, or name the columns in the first line");
  // Problems that differ in more than the line are all reported.
  CHECK(refused_text("1 0 0 0 0 0 0\nnan 0 0 0 0 0 x\nnan 0 0 0 0 0 y\n1 0 0\n") ==
        "f: line 2, column 1 (mass): not finite (found 'nan', and 1 further line); remove or "
        "correct the body\n"
        "f: line 2, column 7 (vz): not a number (found 'x'); write a decimal number\n"
        "f: line 3, column 7 (vz): not a number (found 'y'); write a decimal number\n"
        "f: line 4: wrong number of columns (3 instead of 7); write mass x y z vx vy vz, or name "
        "the columns in the first line");
}

TEST_CASE("text: each column must be named exactly once") {
  CHECK(refused_text("mas,x,y,z,vx,vy,x\n1,2\n") ==
        "f: line 1: duplicate column 'x'; remove one of them\n"
        "f: line 1: no columns 'mass', 'vz' (the first line names the columns, also "
        "'mas'); use these names; did you mean 'mass' by 'mas'?");
  CHECK(refused_text("mass;x;y;z;vx;vy;vz\n1;2;3;4;5;6;7\n") ==
        "f: line 1: fields between ';' (found 'mass;x;y;z;vx;vy;vz'); put blanks or commas between "
        "them");
  CHECK(contains(refused_text("mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6\n"),
                 "line 2: wrong number of columns (6 instead of 7)"));
  CHECK(contains(refused_text("id mass x y z vx vy vz\n3 1 0 0 0 0 0 0\n\n-1 1 0 0 0 0 0 0\n"),
                 "line 4, column 1 (id): not an id (found '-1')"));
  CHECK(contains(refused_text("id mass x y z vx vy vz\n1.5 1 0 0 0 0 0 0\n"),
                 "not an id (found '1.5')"));
  CHECK(contains(
      refused_text("id mass x y z vx vy vz\n3 1 0 0 0 0 0 0\n\n4 1 0 0 0 0 0 0\n3 1 1 0 0 0 0 0"),
      "f: line 5: id 3 is given twice (line 2 has it too)"));
}

TEST_CASE("text: a written table reads back to the last bit") {
  formats::BodiesFile file{.bodies = HostBodies(2), .time = 1.5, .has_ids = true};
  file.bodies.mass = {0.1, 5e-324};
  file.bodies.position = {{1.0 / 3.0, -0.0, 1e300}, {0x1.fffffffffffffp-1, 2.0, 3.0}};
  file.bodies.velocity = {{-1e-300, 1e22, 123456789.0}, {0.0, 0.0, 9007199254740993.0}};
  file.bodies.id = {18446744073709551615U, 3};
  for (bool const csv : {false, true}) {
    for (bool const ids : {false, true}) {
      Names lost;
      auto const text = formats::write_text_bodies(file, {csv, ids}, lost);
      CHECK(lost.size() == (ids ? 1 : 2));
      CHECK(lost[0] == "the time, 1.5, is left out");
      if (!ids) CHECK(lost[1] == "ids are left out");
      auto const again = read_text(text);
      CHECK(again.bodies.mass == file.bodies.mass);
      CHECK(again.bodies.position == file.bodies.position);
      CHECK(std::signbit(again.bodies.position[0].y));
      CHECK(again.bodies.velocity == file.bodies.velocity);
      CHECK(again.has_ids == ids);
      if (ids) CHECK(again.bodies.id == file.bodies.id);
    }
  }
  file = {HostBodies(1), 0.0, false, {}};
  file.bodies.mass[0] = 0.1;
  Names lost;
  CHECK(formats::write_text_bodies(file, {}, lost) == "# mass x y z vx vy vz\n0.1 0 0 0 0 0 0\n");
  CHECK(formats::write_text_bodies(file, {true, true}, lost) ==
        "id,mass,x,y,z,vx,vy,vz\n0,0.1,0,0,0,0,0,0\n");
  CHECK(lost == Names{});
}

TEST_CASE("text: numbers in the style of numpy and Fortran are read") {
  auto const numpy = read_text(
      "id mass x y z vx vy vz\n0.000e+00 1.5 1 2 3 4 5 6\n+1.70000e+01 0 -1 -2e-3 30 .5 .25 -6");
  check_two(numpy);
  CHECK(numpy.bodies.id == std::vector<std::uint64_t>{0, 17});
  check_two(read_text("1.5D0 1d0 2.D+00 3 4 5 6\n0 -1 -2D-3 3d1 .5 0.25 -6"));
  auto const with_id = [](std::string const& id) {
    return refused_text("id mass x y z vx vy vz\n" + id + " 1 1 2 3 4 5 6");
  };
  for (auto const* id : {"0.5", "-1.0", "1e400", "nan", "9.1e15", "one"}) {
    CHECK(contains(with_id(id), "line 2, column 1 (id): not an id"));
  }
  for (auto const* number : {"1D", "D0", "1DD0", "1e0D0", "0d400x"}) {
    CHECK(contains(refused_text(std::string("1 1 1 1 1 1 ") + number), "not a number"));
  }
  CHECK(contains(refused_text("1 1 1 1 1 1 1D400"), "out of range"));
}

TEST_CASE("text: names of columns are recognised in other spellings") {
  for (auto const* const names : {"m x y z vx vy vz", "M X Y Z VX VY VZ", "Mass x Y z Vx vy vZ",
                                  "# m x y z vx vy vz", "mass,X,y,z,VX,vy,vz"}) {
    CAPTURE(names);
    std::string rows = "1.5 1 2 3 4 5 6\n0 -1 -2e-3 30 .5 .25 -6";
    if (names[4] == ',') std::replace(rows.begin(), rows.end(), ' ', ',');
    auto const file = read_text(names + ("\n" + rows));
    check_two(file);
    CHECK(file.unused.empty());
  }
  CHECK(read_text("ID m x y z vx vy vz\n7 1 1 2 3 4 5 6").bodies.id ==
        std::vector<std::uint64_t>{7});
  // The exact name has precedence over another spelling.
  auto const both =
      read_text("M mass x y z vx vy vz\n9 1.5 1 2 3 4 5 6\n9 0 -1 -2e-3 30 .5 .25 -6");
  check_two(both);
  CHECK(both.unused == Names{"columns 'M'"});
  CHECK(contains(refused_text("m M x y z vx vy vz\n1 1 1 2 3 4 5 6"), "duplicate column 'M'"));
}

TEST_CASE("text: units are written above the table and read back") {
  std::string const bodies = "1.5 1 2 3 4 5 6\n0 -1 -2e-3 30 .5 .25 -6\n";
  auto const named = read_text("# units: astrophysical\n" + bodies);
  check_two(named);
  CHECK(named.unit_system == "astrophysical");
  REQUIRE(named.units);
  CHECK(named.units->length == constants::parsec);
  auto const custom =
      read_text("# a comment\n#units:  length 1.5e3 m, mass 2 kg, time 0.25 s \n" + bodies);
  CHECK(custom.unit_system.empty());
  REQUIRE(custom.units);
  CHECK(custom.units->length == 1500.0);
  CHECK(custom.units->mass == 2.0);
  CHECK(custom.units->time == 0.25);
  auto const henon = read_text("# units: henon\n" + bodies);
  CHECK(henon.unit_system == "henon");
  CHECK_FALSE(henon.units.has_value());
  CHECK(read_text("# units of a kind\n" + bodies).unit_system.empty());

  for (auto const* file : {&named, &custom, &henon}) {
    for (bool const csv : {false, true}) {
      Names lost;
      auto const text = formats::write_text_bodies(*file, {csv, false}, lost);
      CHECK(lost.empty());
      CHECK(contains(text, "# units: "));
      auto const again = read_text(text);
      check_two(again);
      CHECK(again.unit_system == file->unit_system);
      REQUIRE(again.units.has_value() == file->units.has_value());
      if (!again.units) continue;
      CHECK(again.units->length == file->units->length);
      CHECK(again.units->mass == file->units->mass);
      CHECK(again.units->time == file->units->time);
    }
  }
  for (auto const* units :
       {"pc, Msun", "", "solarr", "length 1 m", "length -1 m, mass 1 kg, time 1 s",
        "length 1 m, mass 1 kg, time 1 s, more", "solar: length 1"}) {
    CHECK(contains(refused_text(std::string("# units: ") + units + "\n" + bodies),
                   "f: line 1: units that are not understood"));
  }
}

TEST_CASE("text: comments with missing columns and negative masses are rejected") {
  CHECK(refused_text("# x y z vx vy vz\n1 2 3 4 5 6\n") ==
        "f: line 2: no column 'mass' (a comment names the columns); add it");
  CHECK(contains(refused_text("-1 0 0 0 0 0 1\n"),
                 "name the columns in the first line if they are not mass x y z vx vy vz"));
  CHECK(contains(refused_text("mass x y z vx vy vz\n-1 0 0 0 0 0 1\n"),
                 "remove or correct the body"));
}

TEST_CASE("text: units below the bodies are an error, because they would be ignored") {
  CHECK(
      refused_text("1 0 0 0 0 0 0\n# Units: pc Msun Myr\n") ==
      "f: line 2: units below the bodies (found 'Units: pc Msun Myr'); move that line above them");
}
