// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/foreign_snapshot.hpp"
#include "support/scratch.hpp"

#include <doctest/doctest.h>

using namespace apsis;
using testing::contains;
using testing::Hdf5File;
using testing::refusal_of_gadget;
using testing::Scratch;
using testing::write_gadget;

namespace {

using Links = std::vector<std::pair<char const*, char const*>>;  ///< name and target

void soft_links(Hdf5File& file, Links const& links) {
  for (auto const& [name, target] : links) {
    file.remove(name);
    H5Lcreate_soft(target, file.id(), name, H5P_DEFAULT, H5P_DEFAULT);
  }
}

struct VirtualPart {
  hsize_t first;     ///< row in the virtual dataset
  hsize_t count;     ///< rows
  hsize_t from;      ///< first row in the source
  hsize_t extent;    ///< rows of the source
  std::string name;  ///< of the source
  char const* file = ".";
};

/// Replaces a dataset of two rows of three numbers by a virtual one.
void virtual_dataset(Hdf5File& file, std::string const& name,
                     std::vector<VirtualPart> const& parts) {
  hsize_t const extents[2] = {2, 3};
  hid_t const space = H5Screate_simple(2, extents, nullptr);
  hid_t const properties = H5Pcreate(H5P_DATASET_CREATE);
  for (auto const& part : parts) {
    hsize_t const source_extents[2] = {part.extent, 3}, count[2] = {part.count, 3};
    hsize_t const into[2] = {part.first, 0}, from[2] = {part.from, 0};
    hid_t const source = H5Screate_simple(2, source_extents, nullptr);
    H5Sselect_hyperslab(source, H5S_SELECT_SET, from, nullptr, count, nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, into, nullptr, count, nullptr);
    H5Pset_virtual(properties, space, part.file, part.name.c_str(), source);
    H5Sclose(source);
  }
  H5Sselect_all(space);
  file.dataset<double>(name, {2, 3}, {}, properties);
  H5Pclose(properties);
  H5Sclose(space);
}

/// Writes the data of the halo to /a (one row) and /b (three rows, of which the last is used).
void write_sources(Hdf5File& file) {
  file.dataset<float>("a", {1, 3}, {10, 11, 12})
      .dataset<double>("b", {3, 3}, {0, 0, 0, 0, 0, 0, 13, 14, 15});
}

}  // namespace

TEST_CASE("soft links are followed inside the file, and singular names are read") {
  Scratch const place;
  {
    Hdf5File file(place / "plain.hdf5");
    write_gadget(file);
  }
  {
    Hdf5File file(place / "linked.hdf5");
    write_gadget(file);
    auto const move = [&](char const* from, char const* to) {
      H5Lmove(file.id(), from, file.id(), to, H5P_DEFAULT, H5P_DEFAULT);
    };
    file.group("data").group("data/halo");
    move("PartType1/Coordinates", "data/halo/x");
    move("PartType4", "data/stars");
    move("PartType0/Masses", "PartType0/Mass");
    move("PartType0/Velocities", "PartType0/Velocity");
    // Absolute, relative, to a group, over a chain and over a linked folder.
    soft_links(file, {{"PartType1/Coordinates", "/second/./x"},
                      {"second", "data//halo"},
                      {"PartType4", "fourth"},
                      {"fourth", "/data/stars"}});
  }
  auto const plain = formats::read_snapshot(place / "plain.hdf5");
  auto const linked = formats::read_snapshot(place / "linked.hdf5");
  CHECK(linked.bodies.mass == plain.bodies.mass);
  CHECK(linked.bodies.position == plain.bodies.position);
  CHECK(linked.bodies.velocity == plain.bodies.velocity);
  CHECK(linked.bodies.id == plain.bodies.id);
  CHECK(linked.bodies.species == plain.bodies.species);
  CHECK(linked.unused == plain.unused);
}

TEST_CASE("soft links that leave the file or lead nowhere are refused") {
  Scratch const place;
  {
    Hdf5File other(place / "other.hdf5");
    write_gadget(other);
  }
  auto const refusal_with = [&](Links const& links) {
    return refusal_of_gadget(place, [&](Hdf5File& file) {
      H5Lcreate_external((place / "other.hdf5").c_str(), "/", file.id(), "outside", H5P_DEFAULT,
                         H5P_DEFAULT);
      soft_links(file, links);
    });
  };
  CHECK(contains(refusal_with({{"PartType4/Masses", "/outside/PartType4/Masses"}}),
                 "PartType4/Masses is a link to another file (only what lies in the file itself"));
  CHECK(contains(refusal_with({{"PartType4", "outside"}}), "PartType4 is a link to another file"));
  CHECK(contains(refusal_with({{"PartType4/Masses", "/none"}}),
                 "PartType4/Masses leads to nothing (there is no '/none' in the file)"));
  CHECK(contains(refusal_with({{"PartType4/Masses", "/PartType0/Masses/further"}}),
                 "PartType4/Masses leads to nothing"));
  CHECK(contains(refusal_with({{"PartType4/Masses", "/PartType0"}}),
                 "PartType4/Masses is of another kind (it must be a dataset)"));
  CHECK(contains(refusal_with({{"PartType4", "ring"}, {"ring", "PartType4"}}),
                 "PartType4 is a link in a chain that is too long"));
}

TEST_CASE("virtual datasets whose parts lie in the file are read") {
  Scratch const place;
  for (bool const linked : {false, true}) {
    {
      Hdf5File file(place / "virtual.hdf5");
      write_gadget(file);
      write_sources(file);
      if (linked) soft_links(file, {{"c", "b"}});
      virtual_dataset(file, "PartType1/Coordinates",
                      {{1, 1, 2, 3, linked ? "c" : "/b"}, {0, 1, 0, 1, "/a"}});
    }
    auto const read = formats::read_snapshot(place / "virtual.hdf5");
    CHECK(read.bodies.position[1] == Vec3<double>{10, 11, 12});
    CHECK(read.bodies.position[2] == Vec3<double>{13, 14, 15});
  }
}

TEST_CASE("virtual datasets with parts elsewhere, or with gaps, are refused") {
  Scratch const place;
  {
    Hdf5File other(place / "other.hdf5");
    write_sources(other);
  }
  auto const refusal_with = [&](std::vector<VirtualPart> const& parts) {
    return refusal_of_gadget(place, [&](Hdf5File& file) {
      write_sources(file);
      virtual_dataset(file, "d", {{0, 1, 0, 1, "/a"}, {1, 1, 2, 3, "/b"}});
      virtual_dataset(file, "PartType1/Coordinates", parts);
    });
  };
  VirtualPart const whole{0, 1, 0, 1, "/a"};
  CHECK(contains(refusal_with({whole, {1, 1, 2, 3, "/b", "other.hdf5"}}),
                 "PartType1/Coordinates lies in other files (only what lies in the file itself is "
                 "read, and a part is in 'other.hdf5')"));
  CHECK(contains(refusal_with({whole, {1, 1, 2, 3, "/b", "none.hdf5"}}), "lies in other files"));
  CHECK(contains(refusal_with({whole}),
                 "PartType1/Coordinates is not all there (its parts do not cover row 1)"));
  CHECK(contains(refusal_with({{1, 1, 2, 3, "/b"}}), "its parts do not cover row 0"));
  CHECK(contains(refusal_with({whole, {1, 1, 2, 3, "/none"}}),
                 "PartType1/Coordinates leads to nothing (there is no '/none'"));
  CHECK(contains(refusal_with({whole, {1, 1, 3, 4, "/b"}}),
                 "PartType1/Coordinates has a part that is no range of rows of '/b'"));
  CHECK(contains(refusal_with({{0, 2, 0, 2, "/d"}}), "is a virtual dataset of virtual datasets"));
  CHECK(contains(refusal_with({{0, 2, 0, 2, "PartType1/Coordinates"}}),
                 "is a virtual dataset of virtual datasets"));
}
