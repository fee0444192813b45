// SPDX-License-Identifier: Apache-2.0
#include "support/comes_true.hpp"
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
using apsis::testing::complaint;
using apsis::testing::contains;
using apsis::testing::Hdf5File;
using apsis::testing::processor_seconds_of;
using apsis::testing::refusal;
using apsis::testing::Scratch;
using apsis::testing::snapshot_refusal;
using apsis::testing::SnapshotSample;
using apsis::testing::write_gadget;
namespace fs = std::filesystem;

namespace {

using Doubles = std::vector<double>;

/// The error of reading a GADGET file with one change.
template <class Change>
std::string refusal_of_gadget(Scratch const& place, Change const& change) {
  {
    Hdf5File file(place / "foreign.hdf5");
    write_gadget(file);
    change(file);
  }
  auto const text = snapshot_refusal(place / "foreign.hdf5");
  CHECK(contains(text, "foreign.hdf5: "));
  CHECK(text.find('\n') == std::string::npos);
  return text;
}

}  // namespace

TEST_CASE("snapshots of GADGET are read in the order of their types") {
  Scratch const place;
  {
    Hdf5File file(place / "foreign.hdf5");
    write_gadget(file);
  }
  auto const read = io::read_snapshot(place / "foreign.hdf5");
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
  REQUIRE(read.unused.size() == 2);
  CHECK(contains(read.unused[0], "BoxSize"));
  CHECK(read.unused[1] == "PartType0: InternalEnergy");
}

TEST_CASE("bodies without ids are numbered") {
  Scratch const place;
  {
    Hdf5File file(place / "foreign.hdf5");
    write_gadget(file);
    file.remove("PartType0/ParticleIDs");
  }
  auto const some = io::read_snapshot(place / "foreign.hdf5");
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
  auto const none = io::read_snapshot(place / "foreign.hdf5");
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
  auto const read = io::read_snapshot(place / "swift.hdf5");
  CHECK(read.bodies.mass == Doubles{7});
  CHECK(read.bodies.id == std::vector<std::uint64_t>{8});
  REQUIRE(read.units);
  CHECK(read.units->length == approximately(3.0));
  CHECK(read.units->mass == approximately(2.0));
  CHECK(read.units->time == approximately(5.0));
  CHECK(read.unused.empty());
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
    auto const read = io::read_snapshot(path);
    double const factor = h == 0.5 ? 2.0 : 1.0;
    CHECK(read.bodies.position[0].z == 3.0);
    REQUIRE(read.units);
    CHECK(read.units->length == approximately(5.0 * factor));
    CHECK(read.units->mass == approximately(0.5 * factor));
    CHECK(read.units->time == approximately(1.0 * factor));
  }
  auto const refused = [&] { return refusal([&] { io::read_snapshot(path); }); };
  write(0.7, {});
  CHECK(contains(refused(),
                 "gadget.hdf5: has a HubbleParam of 0.7 (its values contain factors of h"));
  write(0.7, {"Unit length in cgs (U_L)", "Unit mass in cgs (U_M)", "Unit time in cgs (U_t)"});
  CHECK(contains(refused(), "HubbleParam"));
  write(-0.7, units);
  CHECK(contains(refused(), "HubbleParam below zero"));
  write(1.0, {});
  CHECK_FALSE(io::read_snapshot(path).units.has_value());
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
  auto const read = io::read_snapshot(place / "foreign.hdf5");
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
  auto const read = io::read_snapshot(place / "gadget4.hdf5");
  CHECK(read.bodies.mass == Doubles{2});
  REQUIRE(read.units);
  CHECK(read.units->time == approximately(2.0));
}

TEST_CASE("unsupported and inconsistent snapshots are rejected with the reason") {
  Scratch const place;
  auto const refusal_after = [&](auto const& change) { return refusal_of_gadget(place, change); };
  CHECK(contains(refusal_after([](Hdf5File& file) {
                   file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {4});
                 }),
                 "is one of 4 files of a snapshot"));
  CHECK(contains(
      refusal_after([](Hdf5File& file) { file.attribute<double>("Header", "Redshift", {0.5}); }),
      "is a cosmological snapshot (Redshift is not 0"));
  CHECK(contains(refusal_after([](Hdf5File& file) {
                   file.attribute<double>("Header", "Scale-factor", {0.5});
                 }),
                 "Scale-factor is not 1"));
  CHECK(contains(refusal_after([](Hdf5File& file) {
                   file.group("Parameters")
                       .attribute<std::int32_t>("Parameters", "ComovingIntegrationOn", {1});
                 }),
                 "ComovingIntegrationOn is set"));
  CHECK(contains(
      refusal_after([](Hdf5File& file) {
        file.group("Cosmology").attribute<std::int32_t>("Cosmology", "Cosmological run", {1});
      }),
      "'Cosmological run' is set"));
  CHECK(contains(refusal_after([](Hdf5File& file) {
                   file.attribute<std::uint32_t>("Header", "NumPart_Total", {1, 3, 0, 0, 1, 0});
                 }),
                 "counts its bodies in two ways"));
  CHECK(contains(refusal_after([](Hdf5File& file) {
                   file.attribute<std::int32_t>("Header", "NumPart_ThisFile", {1, -2, 0, 0, 1, 0})
                       .attribute<std::int32_t>("Header", "NumPart_Total", {1, -2, 0, 0, 1, 0});
                 }),
                 "counts bodies below zero"));
  CHECK(contains(refusal_after([](Hdf5File& file) { file.remove("Header"); }),
                 "there is no /Header"));
  CHECK(contains(refusal_after([](Hdf5File& file) { file.remove("PartType4"); }),
                 "has no /PartType4"));
  CHECK(contains(refusal_after([](Hdf5File& file) { file.remove("PartType4/Coordinates"); }),
                 "has no PartType4/Coordinates"));
  CHECK(contains(refusal_after([](Hdf5File& file) { file.remove("PartType4/Masses"); }),
                 "has no masses for PartType4"));
  CHECK(contains(refusal_after([](Hdf5File& file) {
                   file.attribute<double>("Header", "Time", {std::nan("")});
                 }),
                 "no finite 'Time'"));
  CHECK(contains(refusal_after([](Hdf5File& file) {
                   file.attribute<double>("Header", "NumPart_ThisFile", {1, 2, 0, 0, 1, 0});
                 }),
                 "it must be whole numbers"));
}

TEST_CASE("invalid bodies are rejected with their index and id") {
  Scratch const place;
  auto const refusal_after = [&](auto const& change) { return refusal_of_gadget(place, change); };
  float const nan = std::nanf("");
  CHECK(contains(refusal_after([&](Hdf5File& file) {
                   file.dataset<float>("PartType1/Coordinates", {2, 3}, {1, 1, 1, 1, nan, 1});
                 }),
                 "bodies[2] (id 8): not finite (y is nan)"));
  CHECK(contains(refusal_after([&](Hdf5File& file) {
                   file.dataset<float>("PartType1/Velocities", {2, 3}, {1, 1, 1 / 0.0F, 1, 1, 1});
                 }),
                 "bodies[1] (id 7): not finite (vz is inf)"));
  CHECK(contains(
      refusal_after([](Hdf5File& file) { file.dataset<float>("PartType0/Masses", {1}, {-1}); }),
      "bodies[0] (id 4000000000): negative mass (it is -1)"));
  CHECK(contains(
      refusal_after([&](Hdf5File& file) { file.dataset<float>("PartType0/Masses", {1}, {nan}); }),
      "bodies[0] (id 4000000000): not finite (mass is nan)"));
  CHECK(contains(refusal_after([](Hdf5File& file) {
                   file.dataset<std::uint32_t>("PartType4/ParticleIDs", {1}, {7});
                 }),
                 "bodies[3] (id 7): duplicate id (bodies[1] has it too)"));
  CHECK(contains(refusal_after([](Hdf5File& file) {
                   file.dataset<std::int32_t>("PartType1/ParticleIDs", {2}, {7, -8});
                 }),
                 "PartType1/ParticleIDs has a number below zero (row 1)"));
}

TEST_CASE("data that disagree with the header in shape, type or size are rejected") {
  Scratch const place;
  auto const refusal_after = [&](auto const& change) { return refusal_of_gadget(place, change); };
  for (auto const& extents : std::vector<std::vector<hsize_t>>{{3, 3}, {2, 4}, {6}, {2, 3, 1}}) {
    CHECK(contains(refusal_after([&](Hdf5File& file) {
                     file.dataset<float>("PartType1/Coordinates", extents, {});
                   }),
                   "PartType1/Coordinates has another shape (the header counts 2 bodies)"));
  }
  CHECK(contains(refusal_after([](Hdf5File& file) {
                   file.dataset<std::int32_t>("PartType1/Coordinates", {2, 3}, {});
                 }),
                 "PartType1/Coordinates is of another type"));
  CHECK(contains(refusal_after([](Hdf5File& file) {
                   file.dataset<float>("PartType1/ParticleIDs", {2}, {1, 2});
                 }),
                 "PartType1/ParticleIDs is of another type"));
  CHECK(contains(refusal_after([](Hdf5File& file) {
                   file.remove("PartType1/Coordinates").group("PartType1/Coordinates");
                 }),
                 "PartType1/Coordinates is of another kind"));
  CHECK(contains(refusal_after([](Hdf5File& file) {
                   file.dataset<float>("PartType1/Velocities", {2, 3}, {});
                 }),
                 "PartType1/Velocities is not all there"));
  CHECK(contains(refusal_after([](Hdf5File& file) {
                   hid_t const chunks = H5Pcreate(H5P_DATASET_CREATE);
                   hsize_t const chunk[2] = {1, 3};
                   H5Pset_chunk(chunks, 2, chunk);
                   file.dataset<float>("PartType1/Velocities", {2, 3}, {}, chunks);
                   H5Pclose(chunks);
                 }),
                 "blocks of it were never written"));
}

TEST_CASE("a count of 2^40 bodies is rejected without delay") {
  Scratch const place;
  std::string text, sparse;
  auto const seconds = processor_seconds_of([&] {
    text = refusal_of_gadget(place, [](Hdf5File& file) {
      file.attribute<std::int64_t>("Header", "NumPart_ThisFile", {0, std::int64_t{1} << 40})
          .attribute<std::uint32_t>("Header", "NumPart_Total", {0, 0})
          .attribute<std::uint32_t>("Header", "NumPart_Total_HighWord", {0, 256});
    });
    // A count that the file can hold, and a dataset without data.
    sparse = refusal_of_gadget(place, [](Hdf5File& file) {
      file.attribute<std::int32_t>("Header", "NumPart_ThisFile", {0, 40000})
          .attribute<std::uint32_t>("Header", "NumPart_Total", {0, 40000})
          .attribute<std::uint32_t>("Header", "NumPart_Total_HighWord", {0, 0});
      hid_t const chunks = H5Pcreate(H5P_DATASET_CREATE);
      hsize_t const chunk[2] = {40000, 3};
      H5Pset_chunk(chunks, 2, chunk);
      file.dataset<double>("PartType1/Coordinates", {40000, 3}, {}, chunks)
          .dataset<double>("PartType1/Velocities", {40000, 3}, {}, chunks)
          .dataset<std::uint64_t>("PartType1/ParticleIDs", {40000}, {});
      H5Pclose(chunks);
    });
  });
  CHECK(contains(text, "promises more bodies than the file holds (1099511627776 in a file of "));
  CHECK(contains(sparse, "PartType1/ParticleIDs is not all there"));
  CHECK(seconds < 1.0);
}

TEST_CASE("data outside the file are not read") {
  Scratch const place;
  auto const refusal_after = [&](auto const& change) { return refusal_of_gadget(place, change); };
  {
    Hdf5File other(place / "other.hdf5");
    write_gadget(other);
  }
  std::string const other = (place / "other.hdf5").string();
  CHECK(contains(refusal_after([&](Hdf5File& file) {
                   file.remove("PartType4");
                   H5Lcreate_external(other.c_str(), "/PartType4", file.id(), "PartType4",
                                      H5P_DEFAULT, H5P_DEFAULT);
                 }),
                 "PartType4 is a link (only what lies in the file itself is read)"));
  CHECK(contains(refusal_after([&](Hdf5File& file) {
                   file.remove("PartType4/Masses");
                   H5Lcreate_soft("/PartType0/Masses", file.id(), "PartType4/Masses", H5P_DEFAULT,
                                  H5P_DEFAULT);
                 }),
                 "PartType4/Masses is a link"));
  CHECK(contains(refusal_after([&](Hdf5File& file) {
                   hid_t const outside = H5Pcreate(H5P_DATASET_CREATE);
                   H5Pset_external(outside, "/etc/hostname", 0, 12);
                   file.dataset<float>("PartType4/Velocities", {1, 3}, {}, outside);
                   H5Pclose(outside);
                 }),
                 "PartType4/Velocities lies in other files"));
  CHECK(contains(refusal_after([&](Hdf5File& file) {
                   hsize_t const extents[2] = {1, 3};
                   hid_t const space = H5Screate_simple(2, extents, nullptr);
                   hid_t const mapped = H5Pcreate(H5P_DATASET_CREATE);
                   H5Pset_virtual(mapped, space, other.c_str(), "PartType4/Velocities", space);
                   file.dataset<double>("PartType4/Velocities", {1, 3}, {}, mapped);
                   H5Pclose(mapped);
                   H5Sclose(space);
                 }),
                 "PartType4/Velocities lies in other files"));
}

TEST_CASE("files that are not snapshots are rejected") {
  Scratch const place;
  CHECK(contains(complaint([&] { io::read_snapshot(place / "none.h5"); }, ExitStatus::input_output),
                 "none.h5: cannot be read (No such file or directory)"));
  CHECK(contains(complaint([&] { io::read_snapshot(place / "."); }, ExitStatus::input_output),
                 "cannot be read (Is a directory)"));
  std::ofstream(place / "empty.h5");
  CHECK(contains(snapshot_refusal(place / "empty.h5"), "cannot be read as HDF5"));
  std::ofstream(place / "text.h5") << "mass x y z vx vy vz\n1 0 0 0 0 0 0\n";
  CHECK(contains(snapshot_refusal(place / "text.h5"),
                 "text.h5: cannot be read as HDF5 (file signature not found)"));
  SnapshotSample<double> sample(3);
  io::write_snapshot(place / "a.h5", sample.header, sample.columns());
  fs::resize_file(place / "a.h5", fs::file_size(place / "a.h5") - 1);
  CHECK(contains(snapshot_refusal(place / "a.h5"), "truncated file"));
}
