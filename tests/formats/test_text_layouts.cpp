// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "formats/bodies_formats.hpp"
#include "support/contains.hpp"
#include "support/problems.hpp"
#include "support/scratch.hpp"

#include <doctest/doctest.h>

using namespace apsis;
using testing::contains;
using testing::refusal;
using testing::Scratch;

namespace {

using Texts = std::vector<std::string>;

formats::BodiesFile read_layout(std::string const& text,
                                formats::TextReadOptions const& options = {}) {
  return formats::read_text_bodies({text, "f"}, {}, options);
}
std::string refused_layout(std::string const& text, formats::TextReadOptions const& options = {}) {
  return refusal([&] { read_layout(text, options); });
}

/// Checks the two bodies that the tables below contain.
void check_pair(formats::BodiesFile const& file, bool is_planar = false) {
  CHECK(file.bodies.mass == std::vector<double>{0.5, 0.25});
  double const z = is_planar ? 0.0 : 3.0, vz = is_planar ? 0.0 : 6.0;
  CHECK(file.bodies.position == std::vector<Vec3<double>>{{1, 2, z}, {-1, -2, -z}});
  CHECK(file.bodies.velocity == std::vector<Vec3<double>>{{4, 5, vz}, {-4, -5, -vz}});
}

std::string const rows = "0.5 1 2 3 4 5 6\n0.25 -1 -2 -3 -4 -5 -6\n";

}  // namespace

TEST_CASE("text: blocks of masses, positions and velocities below N, dimension and time") {
  std::string const blocks = "0.5\n0.25\n1 2 3\n-1 -2 -3\n4 5 6\n-4 -5 -6\n";
  for (std::string const header :
       {"2\n3\n1.5\n", "2 3 1.5\n", "# by a tree code\n 2 3\n 0.15E+01\n", "2\n3 1.5\n"}) {
    CAPTURE(header);
    auto const file = read_layout(header + blocks);
    check_pair(file);
    CHECK(file.time == 1.5);
    CHECK_FALSE(file.has_ids);
    CHECK(file.bodies.id == std::vector<std::uint64_t>{0, 1});
    CHECK(file.unused.empty());
    CHECK(file.notes == Texts{"read as masses, positions and velocities in blocks (Barnes' "
                              "treecode, NEMO's atos), time 1.5"});
  }
  check_pair(read_layout("2 2 0\n0.5\n0.25\n1 2\n-1 -2\n4 5\n-4 -5\n"), true);
  CHECK(read_layout("2 3 0\n" + blocks + "-1 -1\n").unused ==
        Texts{"2 numbers below the velocities"});
  CHECK(refused_layout("2 3 0\n" + blocks + "-1\n") ==
        "f: too many numbers (1 follow the velocities of 2 bodies); check the count in the first "
        "line");
  CHECK(contains(refused_layout("3 3 0\n" + blocks),
                 "f: too few numbers (21 are needed for masses, positions and velocities of 3 "
                 "bodies, and there are 14)"));
  CHECK(contains(refused_layout("2 3 0\n0.5\n-1\n1 2 3\n1 2 3\n1 2 3\n1 2 3\n"), "negative mass"));
  CHECK(contains(refused_layout("2 3 0\n0.5\n1\n1 2 x\n1 2 3\n1 2 3\n1 2 3\n"),
                 "line 4: not a finite number (found 'x')"));
  // The count is compared with the size of the file before memory is allocated.
  CHECK(contains(refused_layout("18446744073709551615 3 0\n" + blocks),
                 "the first line says 18446744073709551615 bodies"));
  CHECK(contains(refused_layout("2 3 0\n" + blocks, {"mass x y z vx vy vz", {}}),
                 "leave bodies.columns out"));
}

TEST_CASE("text: several states in blocks") {
  std::string const first = "2 3 0\n0.5\n0.25\n9 2 3\n-1 -2 -3\n4 5 6\n-4 -5 -6\n";
  std::string const second = "2 3 0.125\n0.5\n0.25\n1 2 3\n-1 -2 -3\n4 5 6\n-4 -5 -6\n";
  CHECK(refused_layout(first + second) ==
        "f: bodies at several times (it has 2 times: 0, 0.125); choose one with bodies.time "
        "(convert and render: --time)");
  auto const file = read_layout(first + second, {"", 0.125});
  check_pair(file);
  CHECK(file.time == 0.125);
  CHECK(read_layout(first + second, {"", 0.0}).bodies.position[0].x == 9.0);
  CHECK(contains(refused_layout(first + second, {"", 0.25}), "no bodies at time 0.25"));
  CHECK(contains(refused_layout(first + second + first, {"", 0.0}),
                 "f: line 15: another state at time 0"));
}

TEST_CASE("text: several states, each of rows below a count and a time") {
  std::string const other = "0.5 9 2 3 4 5 6\n0.25 -1 -2 -3 -4 -5 -6\n1 0 0 0 0 0 1\n";
  struct Series {
    std::string first, second, note;
  };
  std::string const ids = "7 0.5 1 2 3 4 5 6\n8 0.25 -1 -2 -3 -4 -5 -6\n";
  for (auto const& [first, second, note] : {
           Series{"2 3 0\n" + rows, "3 3 0.125\n" + other, "a table below N, the dimension and"},
           Series{"2\n3\n0\n" + rows, "3\n3\n.125\n" + other, "a table below N, the dimension"},
           Series{"2 3 0\n# mass x y z vx vy vz\n" + rows,
                  "# next\n3 3 0.125\n# mass x y z vx vy vz\n" + other, "a table below N"},
           Series{"2 3 0\nmass x y z vx vy vz\n" + rows, "3 3 0.125\nmass x y z vx vy vz\n" + other,
                  "a table below N"},
           Series{"0\n2\n" + ids, "0.125\n1\n7 0.5 9 2 3 4 5 6\n", "FDPS"},
           Series{"1 2 0\n0.5 1 2 3 4 5 6 0\n.25 -1 -2 -3 -4 -5 -6 0\n",
                  "2 1 0.125\n0.5 9 2 3 4 5 6 0\n", "PeTar"},
       }) {
    CAPTURE(first + second);
    CHECK(refused_layout(first + second) ==
          "f: bodies at several times (it has 2 times: 0, 0.125); choose one with bodies.time "
          "(convert and render: --time)");
    auto const file = read_layout(first + second, {"", 0.0});
    check_pair(file);
    CHECK(contains(file.notes.at(0), "read as " + note));
    CHECK(contains(file.notes.at(0), "time 0,"));
    auto const later = read_layout(first + second, {"", 0.125});
    CHECK(later.time == 0.125);
    CHECK(later.bodies.position.at(0).x == 9.0);
    CHECK(contains(refused_layout(first + second, {"", 3.0}), "no bodies at time 3 (it has 2"));
    CHECK(contains(refused_layout(first + second + first), "another state at time 0 (a file has"));
  }
}

TEST_CASE("text: several states that cannot be told apart, or are not whole") {
  CHECK(refused_layout("2\n" + rows + "2\n" + rows) ==
        "f: line 4: another state without a time (the numbers above its rows are its count alone); "
        "write count, dimension and time ('2 3 0.5') above each state, or give each a file of its "
        "own");
  std::string const timed = "t mass x y z vx vy vz\n";
  std::string const state = "0 .5 1 2 3 4 5 6\n0 .25 -1 -2 -3 -4 -5 -6\n";
  check_pair(read_layout("2\n" + timed + state + "1\n" + timed + "1 9 9 9 9 9 9 9\n", {"", 0.0}));
  CHECK(contains(refused_layout("2 3 0\n" + rows + "3 3 1\n" + rows),
                 "f: wrong number of rows (2 rows are below a header that says 3)"));
  CHECK(contains(refused_layout("3 3 0\n" + rows + "2 3 1\n" + rows),
                 "f: line 4: wrong number of rows (2 rows are below a header that says 3)"));
  CHECK(contains(refused_layout("2 3 0\n" + rows + "3 3 1\n" + rows + "2 3 2\n" + rows),
                 "f: line 7: wrong number of rows (2 rows are below a header that says 3)"));
  CHECK(contains(refused_layout("2\n3\n0\n" + rows + "2\n2\n1\n" + rows),
                 "f: line 7: numbers of another state that are not understood (found '2')"));
  CHECK(contains(refused_layout("2 3 0\n# mass x y z vx vy vz\n" + rows +
                                "2 3 1\n# x y z vx vy vz mass\n" + rows),
                 "f: line 6: other columns than those of the first state"));
  CHECK(contains(
      refused_layout("2 3 0\nmass x y z vx vy vz\n" + rows + "2 3 1\nx y z vx vy vz mass\n" + rows),
      "f: line 6: other columns than those of the first state"));
  // A row with as many numbers as a header, but none of its meaning.
  CHECK(contains(refused_layout("2 3 0\n" + rows + "1.5 2 3\n"),
                 "f: line 4: wrong number of columns (3 instead of 7)"));
}

TEST_CASE("text: states that only comments separate are refused") {
  for (std::string const comment : {"# t = 0.5", "% time: 0.5 Myr", "# Time=0.5"}) {
    CAPTURE(comment);
    auto const refused = refused_layout("# t = 0\n" + rows + comment + "\n" + rows);
    CHECK(contains(refused, "line 5: bodies of another state (the comment above says"));
    // Below the last row, or beside one, it is a comment as any other.
    check_pair(read_layout("# t = 0\n" + rows + comment + "\n"));
  }
  CHECK(
      contains(refused_layout("# mass x y z vx vy vz\n" + rows + "# mass x y z vx vy vz\n" + rows),
               "bodies of another state"));
  check_pair(read_layout("0.5 1 2 3 4 5 6  # t = 0.5\n0.25 -1 -2 -3 -4 -5 -6\n"));
  check_pair(read_layout(
      "0.5 1 2 3 4 5 6\n# the other body, at time 0.5 of it\n0.25 -1 -2 -3 -4 -5 -6\n"));
}

TEST_CASE("text: a count above rows must be their number") {
  auto const file = read_layout("2\n" + rows);
  check_pair(file);
  CHECK(file.notes ==
        Texts{"read as a table below its number of rows, columns mass x y z vx vy vz"});
  check_pair(read_layout("2\nx,y,z,vx,vy,vz,m\n1,2,3,4,5,6,.5\n-1,-2,-3,-4,-5,-6,.25\n"));
  check_pair(read_layout("# x y z vx vy vz m\n2\n1 2 3 4 5 6 .5\n-1 -2 -3 -4 -5 -6 .25\n"));
  auto const spaced = read_layout("2 3 1.5\n" + rows);
  check_pair(spaced);
  check_pair(read_layout("2 3 1.5\nmass x y z vx vy vz\n" + rows));
  CHECK(spaced.time == 1.5);
  CHECK(refused_layout("3\n" + rows) ==
        "f: wrong number of rows (2 rows are below a header that says 3); check that the file is "
        "whole, or correct the header");
  CHECK(contains(refused_layout("1\n" + rows), "2 rows are below a header that says 1"));
  // Without names, the order of other columns is not known.
  auto const unclear = refused_layout("2\n1 0.5 1 2 3 4 5 6\n2 0.25 -1 -2 -3 -4 -5 -6\n");
  CHECK(unclear ==
        "f: a table that can be read in several ways (each row has 8 fields below '2', and nothing "
        "names them); name the columns in bodies.columns (convert: --columns), for example 'mass x "
        "y z vx vy vz', or 'x y vx vy mass' in a plane, with '-' for each of the others");
  check_pair(read_layout("2\n1 0.5 1 2 3 4 5 6\n2 0.25 -1 -2 -3 -4 -5 -6\n",
                         {"- mass x y z vx vy vz", {}}));
  CHECK(contains(refused_layout("2\n7.5\n" + rows), "each row has 7 fields below '2 7.5'"));
  auto const named = read_layout("2\n7.5\n" + rows, {"mass x y z vx vy vz", {}});
  check_pair(named);
  CHECK(named.unused == Texts{"the number 7.5 above the rows"});
  CHECK(named.time == 0.0);
  // The order of seven columns without names must be clear here too.
  CHECK(contains(refused_layout("2\n1 2 3 .1 -.2 .3 .5\n2 1 -3 .2 .1 -.1 .25\n"),
                 "columns without names in an order that is not clear"));
}

TEST_CASE("text: FDPS and PeTar") {
  auto const fdps =
      read_layout("1.250000e-01\n2\n7\t0.5\t1\t2\t3\t4\t5\t6\n3\t0.25\t-1\t-2\t-3\t-4\t-5\t-6\n");
  check_pair(fdps);
  CHECK(fdps.time == 0.125);
  CHECK(fdps.bodies.id == std::vector<std::uint64_t>{7, 3});
  CHECK(fdps.notes == Texts{"read as FDPS, time 0.125, columns id mass x y z vx vy vz"});
  CHECK(contains(refused_layout("0.5\n3\n7 0.5 1 2 3 4 5 6\n3 0.25 -1 -2 -3 -4 -5 -6\n"),
                 "each row has 8 fields below '0.5 3'"));

  auto const petar =
      read_layout("4 2 0.5\n0.5 1 2 3 4 5 6 0 1e-3 7\n.25 -1 -2 -3 -4 -5 -6 0 0 8\n");
  check_pair(petar);
  CHECK(petar.time == 0.5);
  CHECK(petar.notes == Texts{"read as PeTar, time 0.5, columns mass x y z vx vy vz - - -"});
  auto const moving =
      read_layout("4 2 0.5 8000 0 0 0 220 0\n0.5 1 2 3 4 5 6 0\n.25 -1 -2 -3 -4 -5 -6 0\n");
  check_pair(moving);
  CHECK(moving.unused == Texts{"position and velocity of the centre of mass in the first line, "
                               "8000 0 0 0 220 0"});
  CHECK(contains(refused_layout("3 3 0\n" + rows + "0 1 1 1 1 1 1\n"),
                 "the first line may be N, 3 and a time, or a number, N and a time"));
}

TEST_CASE("text: the planar sets of COS 126") {
  auto const file = read_layout(
      "2\n2.50e+11\n1 2 4 5 0.5 earth.gif\n-1 -2 -4 -5 0.25 sun.gif\n\nThe inner planets, by "
      "2 students.\n");
  check_pair(file, true);
  CHECK(file.notes ==
        Texts{"read as a set of COS 126, in the plane z = 0, columns x y vx vy mass -"});
  CHECK(file.unused == Texts{"the radius of the universe, 2.50e+11", "the text below the bodies"});
  check_pair(read_layout("2\n100\n1 2 4 5 0.5 255 0 0\n-1 -2 -4 -5 0.25 0 0 255\n"), true);
  check_pair(read_layout("2\n100.0\n1 2 4 5 0.5\n-1 -2 -4 -5 0.25\n"), true);
  CHECK(contains(refused_layout("2\n9.\n1 2 4 5 1 a\n1 2 4 5 1 b\n1 2 4 5 1 c\n"),
                 "3 rows are below a header that says 2"));
  CHECK(contains(refused_layout("3\n9.\n1 2 4 5 1 a\n1 2 4 5 1 b\n"), "each row has 6 fields"));
  CHECK(contains(refused_layout("2\n2\n7 1 2 3 4 5 6 7\n3 1 2 3 4 5 6 7\n"),
                 "may be N and a radius (COS 126), or a time and N (FDPS)"));
}

TEST_CASE("text: a series of states is refused unless a time is chosen") {
  std::string const series =
      "t,mass,x,y,z,vx,vy,vz\n0,.5,9,2,3,4,5,6\n0,.25,-1,-2,-3,-4,-5,-6\n"
      "0.1,.5,1,2,3,4,5,6\n0.1,.25,-1,-2,-3,-4,-5,-6\n2,1,1,1,1,1,1,1\n";
  CHECK(refused_layout(series) ==
        "f: bodies at several times (it has 3 times: 0, 0.1, 2); choose one with bodies.time "
        "(convert and render: --time), or leave that column out with '-' in bodies.columns");
  auto const file = read_layout(series, {"", 0.1});
  check_pair(file);
  CHECK(file.time == 0.1);
  CHECK(file.bodies.id == std::vector<std::uint64_t>{0, 1});
  CHECK(read_layout(series, {"- mass x y z vx vy vz", {}}).bodies.size() == 5);
  CHECK(contains(refused_layout(series, {"", 3.0}),
                 "no bodies at time 3 (it has 3 times: 0, 0.1, 2)"));
  CHECK(contains(refused_layout(rows, {"", 3.0}), "the file states no time"));
  // Ids may repeat from time to time.
  auto const ids = read_layout(
      "id time mass x y z vx vy vz\n4 1 .5 9 2 3 4 5 6\n4 2 .5 1 2 3 4 5 6\n"
      "9 2 .25 -1 -2 -3 -4 -5 -6\n",
      {"", 2.0});
  check_pair(ids);
  CHECK(ids.bodies.id == std::vector<std::uint64_t>{4, 9});
  CHECK(read_layout("time mass x y z vx vy vz\n7 1 1 2 3 4 5 6\n").time == 7.0);
  CHECK(
      contains(refused_layout("t mass x y z vx vy vz\n1/2 1 1 2 3 4 5 6\n"),
               "column 1 (time): not a number (found '1/2'); write a decimal number, or skip it"));
  CHECK(contains(
      refused_layout("t mass x y z vx vy vz\n1 1 1 2 3 4 5 6\n1.00000001 1 9 2 3 4 5 6", {"", 1.0}),
      "two times are both 1"));
}

TEST_CASE("text: other comments, quotes and spellings of names") {
  check_pair(read_layout("% by hand\n// mass first\n" + rows + "%% end\n"));
  check_pair(read_layout("0.5 1 2 3 4 5 6 // one\n0.25 -1 -2 -3 -4 -5 -6 % two\n"));
  check_pair(read_layout("% x y z vx vy vz m\n1 2 3 4 5 6 .5\n-1 -2 -3 -4 -5 -6 .25\n"));
  check_pair(read_layout("\"0.5\",\"1\",'2',3,4,5,6\n0.25,-1,-2,-3,-4,-5,\" -6\"\n"));
  std::string const turned = "1 2 3 4 5 6 .5\n-1 -2 -3 -4 -5 -6 .25\n";
  for (std::string const names :
       {"pos_x pos_y pos_z vel_x vel_y vel_z mass", "px py pz v_x v_y v_z m",
        "x_pos y_pos z_pos x_vel y_vel z_vel Mass", "posx posy posz velx vely velz M",
        "PosX PosY PosZ VelX VelY VelZ Mass", "X_position Y_position Z_position VX VY VZ MASS",
        "x_[pc] y_[pc] z_[pc] vx_[km/s] vy_[km/s] vz_[km/s] Mass_[Msun]"}) {
    CAPTURE(names);
    check_pair(read_layout(names + "\n" + turned));
    check_pair(read_layout("# " + names + "\n" + turned));
  }
  CHECK(read_layout("px py pz v_x v_y v_z m\n" + turned).notes ==
        Texts{"columns are read as named: 'px' as x, 'py' as y, 'pz' as z, 'v_x' as vx, 'v_y' as "
              "vy, 'v_z' as vz"});
  CHECK(read_layout("x y z vx vy vz m\n" + turned).notes.empty());
  CHECK(read_layout("# X_[pc] Y_[pc] Z_[pc] VX_[km/s] VY_[km/s] VZ_[km/s] Mass_[Msun]\n" + turned)
            .notes.empty());
  // Momenta are no positions where there are positions, and two spellings of one column are one too
  // many.
  CHECK(read_layout("px py pz x y z vx vy vz mass\n9 9 9 1 2 3 4 5 6 .5\n").bodies.position[0] ==
        Vec3<double>{1, 2, 3});
  CHECK(contains(refused_layout("x y z px py pz m\n" + turned), "no columns 'vx', 'vy', 'vz'"));
  CHECK(contains(refused_layout("pos_x x_pos y z vx vy vz m\n1 2 3 4 5 6 7 8\n"),
                 "duplicate column 'x_pos'"));
  auto const plane = read_layout("mass,x,y,vx,vy\n.5,1,2,4,5\n.25,-1,-2,-4,-5\n");
  check_pair(plane, true);
  CHECK(plane.notes == Texts{"there are no columns z and vz: both are 0"});
  check_pair(read_layout("1 2 4 5 .5 a\n-1 -2 -4 -5 .25 b\n", {"x y vx vy mass -", {}}), true);
  CHECK(contains(refused_layout("mass,x,y,vx,vy,vz\n.5,1,2,4,5,6\n"), "no column 'z'"));
}

TEST_CASE("formats: a text may have any extension") {
  Scratch const folder;
  for (auto const* name : {"bodies.xyz", "bodies", "bodies.tab", "plummer.bin", "a.dat"}) {
    CAPTURE(name);
    files::write_file(folder / name, rows);
    CHECK(formats::format_of(folder / name) == "text");
  }
  files::write_file(folder / "deck.json", "{\"bodies\": 1}");
  CHECK(contains(refusal([&] { formats::format_of(folder / "deck.json"); }), "'.json'"));
  // A file to write has the format of its name, whatever is there.
  CHECK(formats::format_by_extension(folder / "plummer.bin") == "tipsy");
  CHECK(contains(refusal([&] { formats::format_by_extension(folder / "bodies.xyz"); }), "'.xyz'"));
  CHECK(contains(
      refusal([&] { formats::read_bodies(folder / "plummer.bin", "tipsy", {.time = 1.0}); }),
      "has a single time"));
}
