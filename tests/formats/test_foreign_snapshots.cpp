// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/foreign_snapshot.hpp"
#include "support/problems.hpp"
#include "support/relative.hpp"
#include "support/scratch.hpp"
#include "support/snapshots.hpp"
#include <apsis/core/error.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace apsis;
using apsis::testing::approximately;
using apsis::testing::contains;
using apsis::testing::Hdf5File;
using apsis::testing::refusal;
using apsis::testing::refusal_of_gadget;
using apsis::testing::Scratch;
using apsis::testing::write_gadget;

namespace {

using Doubles = std::vector<double>;

}  // namespace

TEST_CASE("snapshots of GADGET are read in the order of their types") {
  Scratch const place;
  {
    Hdf5File file(place / "foreign.hdf5");
    write_gadget(file);
  }
  auto const read = formats::read_snapshot(place / "foreign.hdf5");
  auto const& bodies = read.bodies;
  CHECK(bodies.size() == 4);
  CHECK(bodies.mass == Doubles{0.1F, 0.25, 0.25, 0.5});
  CHECK(bodies.id == std::vector<std::uint64_t>{4000000000U, 7, 8, 9});
  CHECK(bodies.position[2].y == 14.0);
  CHECK(bodies.velocity[2].z == 1.0);
  CHECK(bodies.position[3].x == -1.0);
  CHECK(read.time == 0.75);
  CHECK(read.has_ids);
  CHECK_FALSE(read.units.has_value());
  CHECK(read.unit_system == "");
  REQUIRE(read.unused.size() == 3);
  CHECK(contains(read.unused[0], "BoxSize"));
  CHECK(read.unused[1] == "gas: only gravity acts on it, Apsis computes no gas dynamics");
  CHECK(read.unused[2] == "PartType0: InternalEnergy");
}

TEST_CASE("bodies without ids are numbered") {
  Scratch const place;
  {
    Hdf5File file(place / "foreign.hdf5");
    write_gadget(file);
    file.remove("PartType0/ParticleIDs");
  }
  auto const some = formats::read_snapshot(place / "foreign.hdf5");
  CHECK_FALSE(some.has_ids);
  CHECK(some.bodies.id == std::vector<std::uint64_t>{0, 1, 2, 3});
  CHECK(contains(some.unused.back(), "ParticleIDs"));
  {
    Hdf5File file(place / "foreign.hdf5");
    write_gadget(file);
    for (auto const* type : {"0", "1", "4"}) {
      file.remove(std::string("PartType") + type + "/ParticleIDs");
    }
  }
  auto const none = formats::read_snapshot(place / "foreign.hdf5");
  CHECK_FALSE(none.has_ids);
  CHECK(none.bodies.id == std::vector<std::uint64_t>{0, 1, 2, 3});
}

TEST_CASE("snapshots and initial conditions of SWIFT are read with their units") {
  Scratch const place;
  {
    Hdf5File file(place / "swift.hdf5");
    // Initial conditions have no NumPart_ThisFile, and seven types.
    file.group("Header")
        .attribute<std::uint32_t>("Header", "NumPart_Total", {0, 1, 0, 0, 0, 0, 0})
        .attribute<std::uint32_t>("Header", "NumPart_Total_HighWord", {0, 0, 0, 0, 0, 0, 0})
        .attribute<double>("Header", "Scale-factor", {1.0});
    file.group("Cosmology").attribute<std::int32_t>("Cosmology", "Cosmological run", {0});
    file.group("Units")
        .attribute<double>("Units", "Unit length in cgs (U_L)", {300.0})
        .attribute<double>("Units", "Unit mass in cgs (U_M)", {2000.0})
        .attribute<double>("Units", "Unit time in cgs (U_t)", {5.0});
    file.group("PartType1")
        .dataset<double>("PartType1/Coordinates", {1, 3}, {1, 2, 3})
        .dataset<float>("PartType1/Velocities", {1, 3}, {4, 5, 6})
        .dataset<float>("PartType1/Masses", {1}, {7})
        .dataset<std::int64_t>("PartType1/ParticleIDs", {1}, {8});
  }
  auto const read = formats::read_snapshot(place / "swift.hdf5");
  CHECK(read.bodies.mass == Doubles{7});
  CHECK(read.bodies.id == std::vector<std::uint64_t>{8});
  REQUIRE(read.units);
  CHECK(read.units->length == approximately(3.0));
  CHECK(read.units->mass == approximately(2.0));
  CHECK(read.units->time == approximately(5.0));
  CHECK(read.unused.empty());
}

TEST_CASE("a box whose time is a scale factor is comoving unless the file says otherwise") {
  Scratch const place;
  auto const comoving_box = [](Hdf5File& file) {
    file.attribute<double>("Header", "Omega0", {0.3});
  };
  CHECK(contains(refusal_of_gadget(place, comoving_box),
                 "is a cosmological snapshot (a BoxSize, Omega0 and Time 0.75, a scale factor"));
  {
    Hdf5File file(place / "isolated.hdf5");
    write_gadget(file);
    comoving_box(file);
    file.group("Parameters").attribute<std::int32_t>("Parameters", "ComovingIntegrationOn", {0});
  }
  CHECK(formats::read_snapshot(place / "isolated.hdf5").bodies.size() == 4);
}

TEST_CASE("units of GADGET contain 1/h; without units, values with h are rejected") {
  Scratch const place;
  auto const path = place / "gadget.hdf5";
  auto const write = [&](double h, std::vector<std::string> const& unit_names) {
    Hdf5File file(path);
    file.group("Header")
        .attribute<std::int32_t>("Header", "NumPart_ThisFile", {0, 1})
        .attribute<double>("Header", "HubbleParam", {h})
        .group("PartType1")
        .dataset<double>("PartType1/Coordinates", {1, 3}, {1, 2, 3})
        .dataset<double>("PartType1/Velocities", {1, 3}, {4, 5, 6})
        .dataset<double>("PartType1/Masses", {1}, {7});
    if (!unit_names.empty()) file.group("Units");
    for (auto const& name : unit_names) file.attribute<double>("Units", name, {500.0});
  };
  std::vector<std::string> const units{"UnitLength_in_cm", "UnitMass_in_g",
                                       "UnitVelocity_in_cm_per_s"};
  for (double const h : {0.5, 1.0, 0.0}) {  // codes without a cosmology write 0
    write(h, units);
    auto const read = formats::read_snapshot(path);
    double const factor = h == 0.5 ? 2.0 : 1.0;
    CHECK(read.bodies.position[0].z == 3.0);
    REQUIRE(read.units);
    CHECK(read.units->length == approximately(5.0 * factor));
    CHECK(read.units->mass == approximately(0.5 * factor));
    CHECK(read.units->time == approximately(1.0 * factor));
  }
  auto const refused = [&] { return refusal([&] { formats::read_snapshot(path); }); };
  write(0.7, {});
  CHECK(contains(refused(),
                 "gadget.hdf5: has a HubbleParam of 0.7 (its values contain factors of h"));
  write(0.7, {"Unit length in cgs (U_L)", "Unit mass in cgs (U_M)", "Unit time in cgs (U_t)"});
  CHECK(contains(refused(), "HubbleParam"));
  write(-0.7, units);
  CHECK(contains(refused(), "HubbleParam below zero"));
  write(1.0, {});
  CHECK_FALSE(formats::read_snapshot(path).units.has_value());
}

TEST_CASE("bodies that the header does not count are listed, and units of zero are rejected") {
  Scratch const place;
  {
    Hdf5File file(place / "foreign.hdf5");
    write_gadget(file);
    file.group("PartType2").dataset<float>("PartType2/Coordinates", {2, 3}, {1, 2, 3, 4, 5, 6});
    file.group("PartType3");  // an empty type, as SWIFT writes it
    file.group("PartType6").dataset<float>("PartType6/Coordinates", {1, 3}, {1, 2, 3});
  }
  auto const read = formats::read_snapshot(place / "foreign.hdf5");
  CHECK(read.bodies.size() == 4);
  std::string unused;
  for (auto const& words : read.unused) unused += words + "\n";
  CHECK(contains(unused, "PartType2: 2 bodies that Header/NumPart_ThisFile does not count\n"));
  CHECK(contains(unused, "PartType6: 1 bodies that Header/NumPart_ThisFile does not count\n"));
  CHECK_FALSE(contains(unused, "PartType3"));
  for (auto const* name : {"UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s",
                           "Unit length in cgs (U_L)", "Unit time in cgs (U_t)"}) {
    for (double const value : {0.0, -1.0}) {
      CAPTURE(name);
      CHECK(contains(refusal_of_gadget(place,
                                       [&](Hdf5File& file) {
                                         file.group("Units").attribute<double>("Units", name,
                                                                               {value});
                                       }),
                     std::string("has invalid units (/Units/") + name + " must be above zero)"));
    }
  }
}

TEST_CASE("counts and units of GADGET-4 are read") {
  Scratch const place;
  {
    Hdf5File file(place / "gadget4.hdf5");
    file.group("Header")
        .attribute<std::uint32_t>("Header", "NumPart_ThisFile", {0, 1})
        .attribute<std::uint64_t>("Header", "NumPart_Total", {0, 1})
        .attribute<double>("Header", "MassTable", {0, 2.0});
    file.group("Parameters")
        .attribute<double>("Parameters", "UnitLength_in_cm", {100.0})
        .attribute<double>("Parameters", "UnitMass_in_g", {1000.0})
        .attribute<double>("Parameters", "UnitVelocity_in_cm_per_s", {50.0});
    file.group("PartType1")
        .dataset<double>("PartType1/Coordinates", {1, 3}, {1, 2, 3})
        .dataset<float>("PartType1/Velocities", {1, 3}, {4, 5, 6});
  }
  auto const read = formats::read_snapshot(place / "gadget4.hdf5");
  CHECK(read.bodies.mass == Doubles{2});
  REQUIRE(read.units);
  CHECK(read.units->time == approximately(2.0));
}
