// SPDX-License-Identifier: Apache-2.0
#include "support/comes_true.hpp"
#include "support/contains.hpp"
#include "support/foreign_snapshot.hpp"
#include "support/problems.hpp"
#include "support/scratch.hpp"
#include "support/snapshots.hpp"
#include <apsis/core/error.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace apsis;
using apsis::testing::complaint;
using apsis::testing::contains;
using apsis::testing::Hdf5File;
using apsis::testing::processor_seconds_of;
using apsis::testing::refusal_of_gadget;
using apsis::testing::Scratch;
using apsis::testing::snapshot_refusal;
using apsis::testing::SnapshotSample;
using apsis::testing::write_gadget;
namespace fs = std::filesystem;

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
                 "PartType4 is a link to another file (only what lies in the file itself is "
                 "read)"));
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
  CHECK(contains(
      complaint([&] { formats::read_snapshot(place / "none.h5"); }, ExitStatus::input_output),
      "none.h5: cannot be read (No such file or directory)"));
  CHECK(contains(complaint([&] { formats::read_snapshot(place / "."); }, ExitStatus::input_output),
                 "cannot be read (Is a directory)"));
  std::ofstream(place / "empty.h5");
  CHECK(contains(snapshot_refusal(place / "empty.h5"), "cannot be read as HDF5"));
  std::ofstream(place / "text.h5") << "mass x y z vx vy vz\n1 0 0 0 0 0 0\n";
  CHECK(contains(snapshot_refusal(place / "text.h5"),
                 "text.h5: cannot be read as HDF5 (file signature not found)"));
  SnapshotSample<double> sample(3);
  formats::write_snapshot(place / "a.h5", sample.header, sample.columns());
  fs::resize_file(place / "a.h5", fs::file_size(place / "a.h5") - 1);
  CHECK(contains(snapshot_refusal(place / "a.h5"), "truncated file"));
}
